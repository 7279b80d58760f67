package waits

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A message is an operation that waits for what another goroutine does later: a send or
// receive, also as the case that a select has chosen, or a wait for a WaitGroup, for a
// condition (where the goroutine stands before it wakes), or for a Once's function (before
// Do returns).
type message struct {
	at int32
	// frees are the events that let it go on in the recorded run, any of which it lacks
	// if the goroutine of that does not come to it: the receive that makes room for the
	// element, the send of it or the close, each Done, the signal, the function's end.
	frees []int32
	obj   uint64
	side  int // what of the channel lets it go on, noFrees if it is none
	held  []order.Lock
	// since is where a Once's function begins: up to there, nobody waits for its end.
	since int32
	// misses says that the signal may come before it waits, and is lost then.
	misses bool
}

// maxFrees bounds the Dones of one round that are looked at.
const maxFrees = 64

// maxAlike is how many messages are looked at of those at the same place, under the same
// locks, that events at the same place let go on.
const maxAlike = 8

// A channel is what went through one channel: where the send and the receive of each
// element begin, by its number, and the events that let one of the other side go on.
type channel struct {
	sends, recvs []int32 // by element, from 1; none where the trace does not have it
	frees        [2][]int32
	close        int32
}

const none = -1

// A side is what a channel's events of one kind let go on.
const (
	freesSends = iota // receives
	freesRecvs        // sends and the close
	noFrees
)

// A collector gathers messages in one pass over the trace.
type collector struct {
	*finder
	groups map[uint64]*group
	conds  map[uint64][]wakeup
	onces  map[uint64]once
	begun  []int32 // by goroutine: the operation that it has begun, or none
	waits  []int32 // by goroutine: where it last began to wait for a condition
	done   []completion
}

// A wakeup is a signal or broadcast that woke n waiters, from the ticket first on.
type wakeup struct {
	first, n uint64
	at       int32
}

// A completion is where an operation of a channel begins, and where it is done.
type completion struct{ at, done int32 }

// A once is where a Once's function begins, and where it has ended, or none.
type once struct{ begin, end int32 }

// A group is a WaitGroup.
type group struct {
	count int64
	dones []int32 // of this round
}

// messages finds the messages of the trace, those that are alike at most maxAlike times.
func (f *finder) messages() {
	n := len(f.t.Goroutines)
	c := &collector{
		finder: f, groups: make(map[uint64]*group), conds: make(map[uint64][]wakeup), onces: make(map[uint64]once),
		begun: make([]int32, n), waits: make([]int32, n),
	}
	for g := range c.begun {
		c.begun[g], c.waits[g] = none, none
	}
	for i := range f.t.Events {
		switch e := &f.t.Events[i]; e.Kind.Class() {
		case trace.ClassChannel:
			c.channel(int32(i), e)
		case trace.ClassWaitGroup:
			c.group(int32(i), e)
		case trace.ClassCond:
			c.cond(int32(i), e)
		case trace.ClassOnce:
			c.once(int32(i), e)
		}
	}
	for _, d := range c.done {
		c.completed(d)
	}
	for k := range c.chans {
		for _, frees := range c.chans[k].frees {
			slices.Sort(frees)
		}
	}
}

// channelOf returns the channel of a number in the trace, as long as no further ones come.
func (f *finder) channelOf(obj uint64) *channel {
	k := f.numbers.Of(numbering.Word(obj))
	if int(k) == len(f.chans) {
		f.chans = append(f.chans, channel{close: none})
	}
	return &f.chans[k]
}

func (c *collector) channel(i int32, e *trace.Event) {
	switch e.Kind {
	case trace.Send, trace.Recv:
		c.begun[e.G] = i
		if e.Obj != 0 {
			c.channelOf(e.Obj).free(e.Kind == trace.Send, i)
		}
	case trace.SelectSend:
		c.channelOf(e.Obj).free(true, i)
	case trace.Select:
		c.begun[e.G] = i
	case trace.Close:
		ch := c.channelOf(e.Obj)
		if ch.close == none {
			ch.close = i
		}
		ch.frees[freesRecvs] = append(ch.frees[freesRecvs], i)
	case trace.SendDone, trace.RecvDone:
		c.ends(i, e)
	}
}

// free notes an operation that lets one of the other side go on.
func (ch *channel) free(send bool, i int32) {
	side := freesSends
	if send {
		side = freesRecvs
	}
	ch.frees[side] = append(ch.frees[side], i)
}

// ends matches a completion, event i, with where the operation began.
func (c *collector) ends(i int32, e *trace.Event) {
	at := c.begun[e.G]
	c.begun[e.G] = none
	if at == none {
		return
	}
	recv := e.Kind == trace.RecvDone
	ch := c.channelOf(e.Obj)
	begin := &c.t.Events[at]
	if begin.Kind == trace.Select && recv {
		ch.free(false, at)
	}
	list := &ch.sends
	if recv {
		list = &ch.recvs
	}
	// Numbers grow with the completions; one far off is damage.
	if n := c.t.Element(e); n > 0 && n <= uint64(len(*list)+len(c.t.Goroutines)+1) {
		for uint64(len(*list)) < n {
			*list = append(*list, none)
		}
		(*list)[n-1] = at
	}
	if begin.Flags&trace.FlagDefault == 0 {
		c.done = append(c.done, completion{at, i})
	}
}

// completed takes up the operation of a channel that was completed, if it could have had
// to wait for another goroutine.
func (c *collector) completed(d completion) {
	e := &c.t.Events[d.done] // its size is the channel's room
	ch, free, side := c.channelOf(e.Obj), int32(none), freesSends
	switch n, room := c.t.Element(e), uint64(e.Size); {
	case e.Kind == trace.RecvDone && n == 0:
		free, side = ch.close, freesRecvs
	case e.Kind == trace.RecvDone:
		free, side = line(ch.sends, n), freesRecvs
	case n > room:
		free = line(ch.recvs, n-room)
	}
	if free != none {
		c.take(message{at: d.at, frees: []int32{free}, obj: e.Obj, side: side})
	}
}

func line(begins []int32, n uint64) int32 {
	if n < 1 || n > uint64(len(begins)) {
		return none
	}
	return begins[n-1]
}

func (c *collector) group(i int32, e *trace.Event) {
	w := c.groups[e.Obj]
	if w == nil {
		w = new(group)
		c.groups[e.Obj] = w
	}
	switch e.Kind {
	case trace.WaitGroupAdd:
		if w.count == 0 {
			w.dones = nil
		}
		w.count += int64(e.Val)
		if int64(e.Val) < 0 {
			w.dones = append(w.dones, i)
		}
	case trace.WaitGroupWait:
		c.begun[e.G] = i
	case trace.WaitGroupWaited:
		if at := c.begun[e.G]; at != none && len(w.dones) > 0 {
			c.take(message{at: at, frees: slices.Clone(w.dones[:min(len(w.dones), maxFrees)]), obj: e.Obj, side: noFrees})
		}
		c.begun[e.G] = none
	}
}

func (c *collector) cond(i int32, e *trace.Event) {
	switch e.Kind {
	case trace.CondWait:
		c.waits[e.G] = i
	case trace.CondSignal:
		if e.Val > 0 {
			c.conds[e.Obj] = append(c.conds[e.Obj], wakeup{e.Val - 1, 1, i})
		}
	case trace.CondBroadcast:
		c.conds[e.Obj] = append(c.conds[e.Obj], wakeup{e.Val, uint64(e.Size), i})
	case trace.CondWake:
		for _, w := range slices.Backward(c.conds[e.Obj]) {
			if e.Val-w.first < w.n {
				wait := c.waits[e.G]
				misses := wait != none && !c.o.Before(int(wait), int(w.at))
				if misses { // unless a lock that is released only with the wait keeps the signal back
					_, _, kept := c.o.KeptBack(int(wait), int(w.at))
					misses = !kept
				}
				c.take(message{at: i, frees: []int32{w.at}, obj: e.Obj, side: noFrees, misses: misses})
				break
			}
		}
	}
}

func (c *collector) once(i int32, e *trace.Event) {
	switch e.Kind {
	case trace.OnceBegin:
		c.onces[e.Obj] = once{i, none}
	case trace.OnceEnd:
		if o, ok := c.onces[e.Obj]; ok {
			c.onces[e.Obj] = once{o.begin, i}
		}
	case trace.OnceDone:
		if o, ok := c.onces[e.Obj]; ok && o.end != none {
			c.take(message{at: i, frees: []int32{o.end}, obj: e.Obj, side: noFrees, since: o.begin})
		}
	}
}

// alike is what messages have in common of which some stand for all.
type alike struct {
	site, free trace.SiteID
	held       order.LockSet
}

// take takes up a message that an event of another goroutine lets go on.
func (f *finder) take(m message) {
	g := f.t.Events[m.at].G
	if !slices.ContainsFunc(m.frees, func(i int32) bool { return f.t.Events[i].G != g }) {
		return
	}
	k := alike{f.t.Events[m.at].Site, f.t.Events[m.frees[0]].Site, f.o.LockSet(int(m.at))}
	if f.alike[k]++; f.alike[k] > maxAlike {
		f.left[k.site] = true
		return
	}
	m.held = f.without(f.o.Held(int(m.at)), none)
	f.ofOp[m.at] = int32(len(f.msgs))
	f.msgs = append(f.msgs, m)
	for _, l := range m.held {
		f.talkers[l.Obj] = append(f.talkers[l.Obj], m.at)
	}
}
