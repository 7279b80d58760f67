package feasible

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A channel is what the trace tells of one channel.
type channel struct {
	cap          uint64
	sends, recvs uint64 // operations with a rank
	first        uint64 // number of the first of these, sends and then receives, among those of all channels
	// external is set if elements come or go that no event accounts for, as
	// those that timers send. Then only the order of each side is checked.
	external bool
	made     bool // the trace has its making
	closed   bool // before the trace began
}

// A chanOp is a send or receive, from the event that begins it.
type chanOp struct {
	ch   int32
	recv bool
	// rank is its place, from 1, among the operations of its side in the order
	// in which they begin. A channel serves them in that order, so that it is
	// the number of the element. It is 0 for a receive that found the channel
	// closed and for a send that panicked.
	rank uint64
}

// compileChannels numbers channels and matches the begins of their operations
// with what became of them. A select begins the operation that it chooses.
func (p *program) compileChannels() {
	ids := numbering{}
	begun := make([]int32, len(p.forked)) // by goroutine: the begin of the operation underway, or none
	for g := range begun {
		begun[g] = none
	}
	cases := map[trace.GID]int32{} // the first case of the select to come
	sent, received := []uint64{}, []uint64{}
	closes := map[int32]bool{}
	op := func(i int, recv bool) {
		p.refs[i] = int32(len(p.ops))
		p.ops = append(p.ops, chanOp{ch: ids.of(p.t.Events[i].Obj), recv: recv})
	}
	for i := range p.t.Events {
		e := &p.t.Events[i]
		if e.Obj != 0 { // a nil channel blocks for ever
			switch e.Kind {
			case trace.ChanMake, trace.Send, trace.SendDone, trace.Recv, trace.RecvDone, trace.Close, trace.SelectSend:
				id := ids.of(e.Obj)
				if int(id) == len(p.chans) {
					p.chans = append(p.chans, channel{cap: uint64(e.Size)})
					sent, received = append(sent, 0), append(received, 0)
				}
				p.refs[i] = id
				p.chans[id].made = p.chans[id].made || e.Kind == trace.ChanMake
				if e.Kind == trace.Close {
					closes[id] = true
				}
				p.chans[id].closed = p.chans[id].closed || e.Kind == trace.RecvDone && e.Val == 0 && !closes[id]
			}
		}
		begin := begun[e.G]
		switch e.Kind {
		case trace.Send, trace.Recv:
			if e.Obj != 0 {
				op(i, e.Kind == trace.Recv)
			}
			begun[e.G] = int32(i)
			continue
		case trace.SelectSend:
			if _, ok := cases[e.G]; !ok {
				cases[e.G] = int32(i)
			}
		case trace.Select:
			begun[e.G] = int32(i)
			if first, ok := cases[e.G]; ok {
				p.firsts = append(p.firsts, firstCase{int32(i), first})
				delete(cases, e.G)
			}
			continue
		case trace.SelectDone:
			continue
		case trace.SendDone, trace.RecvDone:
			if begin != none && e.Obj != 0 && p.refs[begin] == none {
				p.refs[begin] = int32(len(p.ops))
				p.ops = append(p.ops, chanOp{ch: ids.of(e.Obj), recv: e.Kind == trace.RecvDone})
			}
			if e.Kind == trace.SendDone && e.Obj != 0 {
				sent[p.refs[i]] = max(sent[p.refs[i]], p.t.Element(e))
			} else if e.Obj != 0 {
				received[p.refs[i]] = max(received[p.refs[i]], p.t.Element(e))
			}
		}
		if begin != none {
			begun[e.G] = none
			unranked := e.Kind == trace.Panic || e.Kind == trace.RecvDone && e.Val == 0
			if ref := p.refs[begin]; ref != none && unranked {
				p.ops[ref].rank = math.MaxUint64
			}
		}
	}
	p.rank()
	for id := range p.chans {
		c := &p.chans[id]
		c.first = p.ranked
		p.ranked += c.sends + c.recvs
		c.external = received[id] > c.sends || sent[id] > c.recvs+c.cap
	}
}

// number returns the number of the operation of that rank on one side of c, if there is one.
func (c *channel) number(recv bool, rank uint64) (n uint64, ok bool) {
	if recv {
		return c.first + c.sends + rank - 1, 0 < rank && rank <= c.recvs
	}
	return c.first + rank - 1, 0 < rank && rank <= c.sends
}

// firstCase is that of the select at pos, or none.
func (p *program) firstCase(pos int32) int32 {
	k, ok := slices.BinarySearchFunc(p.firsts, pos, func(f firstCase, pos int32) int { return cmp.Compare(f.of, pos) })
	if !ok {
		return none
	}
	return p.firsts[k].at
}

// rank ranks the operations by their begin.
func (p *program) rank() {
	for i := range p.t.Events {
		switch p.t.Events[i].Kind {
		case trace.Send, trace.Recv, trace.Select:
			ref := p.refs[i]
			if ref == none {
				continue
			}
			o := &p.ops[ref]
			c := &p.chans[o.ch]
			switch {
			case o.rank == math.MaxUint64:
				o.rank = 0
			case o.recv:
				c.recvs++
				o.rank = c.recvs
			default:
				c.sends++
				o.rank = c.sends
			}
		}
	}
}

// chanState is the state of a channel. Elements are passed on as soon as they
// can be, as the runtime does, so the numbers of operations begun tell which
// of them have taken effect. A trace has fewer than 2^31 of them.
type chanState struct {
	made, closed bool
	sends, recvs uint32 // ranked operations begun
	last         uint32 // number of elements sent before the close
	// diverged is the number of the last element that comes from the send and
	// goes to the receive of the trace: an operation that should have found
	// the channel closed found it open, and stands in the queue after it.
	diverged uint32
	// strays counts operations without a rank that began while the channel
	// was open, sends and receives.
	strays [2]uint32
	// room is how many elements could be sent before the close, all how many
	// were, with those of strays.
	room, all uint32
}

// sentSoFar is how many sends have taken effect.
func (c *chanState) sentSoFar(ch *channel) uint64 {
	if c.closed {
		return uint64(c.last)
	}
	return min(uint64(c.sends), uint64(c.recvs)+ch.cap)
}

// waiting is a goroutine's channel operation underway.
type waiting struct {
	op   int32 // none if there is none
	open bool  // it began while the channel was open
	// before counts the operations of its side that began before.
	before uint32
}

func (s *state) beginChanOp(g trace.GID, ref int32) string {
	s.waiting[g] = waiting{op: ref}
	if ref == none {
		return ""
	}
	o := &s.p.ops[ref]
	c := &s.chans[o.ch]
	count, side, word := &c.sends, 0, "send"
	if o.recv {
		count, side, word = &c.recvs, 1, "receive"
	}
	s.waiting[g] = waiting{op: ref, open: !c.closed, before: *count}
	if taint := s.taint[g]; taint != none && !o.recv {
		s.elements[element{o.ch, o.rank}] = taint
	}
	switch {
	case s.p.chans[o.ch].made && !c.made:
		return "expected the channel to be made before, found that it is not"
	case o.rank == 0:
		if !c.closed || o.recv && c.recvs < c.last {
			c.diverged = min(c.diverged, *count)
		}
		if c.closed {
			return ""
		}
		c.strays[side]++
		if c.strays[1-side] > 0 {
			return "expected the channel to be closed, found that this operation completes one that waits"
		}
	case o.rank != uint64(*count)+1:
		return fmt.Sprintf("expected %s number %d of the channel next, found number %d: elements would change places", word, *count+1, o.rank)
	default:
		*count++
	}
	return ""
}

// endChanOp completes the operation underway; n is the element's number.
func (s *state) endChanOp(g trace.GID, ref int32, recv bool, n uint64) string {
	w := s.waiting[g]
	s.waiting[g] = waiting{op: none}
	if ref == none {
		return "expected an operation on a nil channel to block for ever, found that it completes"
	}
	if w.op == none {
		return "expected an operation on the channel to have begun, found none"
	}
	if taint, ok := s.elements[element{ref, n}]; ok && recv && n > 0 {
		s.infect(g, taint)
	}
	c, ch := &s.chans[ref], &s.p.chans[ref]
	if ch.external {
		return ""
	}
	sent := c.sentSoFar(ch)
	switch {
	case recv && n == 0 && !c.closed:
		return "expected a closed channel, found it open"
	case recv && n == 0 && c.all > w.before:
		return fmt.Sprintf("expected an empty channel, found element %d for this receive", w.before+1)
	case recv && n == 0:
		return ""
	case n > uint64(c.diverged):
		return fmt.Sprintf("expected element %d to pass as recorded, found that another operation came before", n)
	case n > sent && c.closed:
		return fmt.Sprintf("expected element %d to be sent, found the channel closed after %d", n, sent)
	case n > sent && n > uint64(c.sends):
		return fmt.Sprintf("expected send number %d of the channel to have begun, found %d", n, c.sends)
	case n > sent:
		return fmt.Sprintf("expected receive number %d of the channel to have begun (capacity %d), found %d", n-ch.cap, ch.cap, c.recvs)
	case recv && n > uint64(c.recvs):
		return fmt.Sprintf("expected receive number %d of the channel to have begun, found %d", n, c.recvs)
	}
	return ""
}

// close closes the channel. mayPanic is set if the trace does not show that the
// goroutine went on.
func (s *state) close(ref int32, mayPanic bool) string {
	if ref == none {
		return ""
	}
	c := &s.chans[ref]
	if c.closed {
		if mayPanic {
			return ""
		}
		return "expected an open channel, found it closed"
	}
	c.last = uint32(c.sentSoFar(&s.p.chans[ref]))
	c.room = uint32(min(uint64(c.recvs)+s.p.chans[ref].cap, math.MaxUint32))
	c.all = min(c.sends+c.strays[0], c.room)
	c.closed = true
	return ""
}

// panicked tells why the operation underway, which panicked in the trace,
// does not: a send panics if the channel is closed, or is while it waits.
func (s *state) panicked(w waiting) string {
	if w.op == none || s.p.ops[w.op].recv {
		return ""
	}
	c := &s.chans[s.p.ops[w.op].ch]
	switch {
	case !c.closed:
		return "expected a send on a closed channel, found it open"
	case w.open && w.before < c.room:
		return "expected the send to wait until the channel is closed, found room for its element"
	}
	return ""
}
