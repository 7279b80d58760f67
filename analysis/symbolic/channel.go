package symbolic

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// channels is what the trace tells of channels: package feasible says by which
// rules.
type channels struct {
	byObj map[uint64]*channel
	objs  []uint64
	ops   []operation
	marks trace.Marks // the events that may begin or end an operation
	// of has one more than the operation by the event that begins it, and by its completion or panic: 0 is
	// none.
	of []int32 // by the numbers of marks
}

// An operation is a send or receive.
type operation struct {
	ch *channel
	// rank is its place in line, from 1; 0 if it has none, for the channel was
	// closed.
	rank  int
	begin int32
	recv  bool
}

// A channel lists the operations of one channel. A trace has many.
type channel struct {
	*closed
	cap          int
	sends, recvs []int32 // where those with a rank begin, by rank
	closes       []int32
	dones        []int32 // completions
	made         int32   // or none
	outside      bool    // elements come or go that no event accounts for, or it was closed before the trace began
}

// Closed lists the operations that ended as the channel was closed. Few channels have any.
type closed struct {
	strays [2][]int32 // where those without a rank begin: sends that panicked, receives that found it closed
	panics []int32    // of sends
}

// unclosed is what channels have without such operations.
var unclosed closed

// found is what c has of such operations, for one that is to be added.
func (c *channel) found() *closed {
	if c.closed == &unclosed {
		c.closed = new(closed)
	}
	return c.closed
}

// line returns where the operation of rank n begins on one side, or none.
func line(begins []int32, n int) int32 {
	if n < 1 || n > len(begins) {
		return none
	}
	return begins[n-1]
}

// side returns the begins of one side's operations.
func (c *channel) side(recv bool) []int32 {
	if recv {
		return c.recvs
	}
	return c.sends
}

func newChannels(m *Control) *channels {
	cs := &channels{byObj: make(map[uint64]*channel), marks: trace.NewMarks(len(m.t.Events), func(mark func(i int)) {
		for i := range m.t.Events {
			switch m.t.Events[i].Kind {
			case trace.Send, trace.Recv, trace.Select, trace.SendDone, trace.RecvDone, trace.Panic:
				mark(i)
			}
		}
	})}
	cs.of = make([]int32, cs.marks.Len())
	underway := make([]int32, len(m.t.Goroutines)) // by goroutine: the event that began an operation, or none
	for g := range underway {
		underway[g] = none
	}
	stray := make(map[int32]bool)
	for i := range m.t.Events {
		e, pos := &m.t.Events[i], int32(i)
		var c *channel
		if e.Kind.Class() == trace.ClassChannel && e.Obj != 0 {
			c = cs.get(e)
		}
		switch e.Kind {
		case trace.ChanMake:
			c.made = pos
		case trace.Close:
			if c != nil {
				c.closes = append(c.closes, pos)
			}
		case trace.Send, trace.Recv:
			if c != nil {
				cs.begin(pos, c, e.Kind == trace.Recv)
			}
			underway[e.G] = pos
			continue
		case trace.Select:
			underway[e.G] = pos
			continue
		case trace.SelectDone:
			continue
		}
		begin := underway[e.G]
		if begin == none {
			continue
		}
		underway[e.G] = none
		if _, known := cs.operation(begin); !known && c != nil && (e.Kind == trace.SendDone || e.Kind == trace.RecvDone) {
			cs.begin(begin, c, e.Kind == trace.RecvDone)
		}
		if op, known := cs.operation(begin); known && (e.Kind == trace.Panic || e.Kind == trace.RecvDone && e.Val == 0) {
			stray[op] = true
		}
	}
	cs.rank(m, stray)
	return cs
}

func (cs *channels) get(e *trace.Event) *channel {
	c := cs.byObj[e.Obj]
	if c == nil {
		c = &channel{closed: &unclosed, cap: int(e.Size), made: none}
		cs.byObj[e.Obj] = c
		cs.objs = append(cs.objs, e.Obj)
	}
	return c
}

// completed returns the operation of which event i is the completion, or the panic.
func (cs *channels) completed(i int32) *operation { return &cs.ops[cs.of[cs.marks.Of(int(i))]-1] }

func (cs *channels) begin(i int32, c *channel, recv bool) {
	cs.ops = append(cs.ops, operation{begin: i, ch: c, recv: recv})
	cs.set(i, int32(len(cs.ops))-1)
}

// set makes op the operation of event i.
func (cs *channels) set(i, op int32) { cs.of[cs.marks.Of(int(i))] = op + 1 }

// operation returns the one that event i begins, or ends.
func (cs *channels) operation(i int32) (op int32, ok bool) {
	k := cs.marks.Of(int(i))
	if k < 0 {
		return none, false
	}
	return cs.of[k] - 1, cs.of[k] > 0
}

// begun returns the operation that event i begins.
func (cs *channels) begun(i int32) (op int32, ok bool) {
	op, ok = cs.operation(i)
	return op, ok && cs.ops[op].begin == i
}

// rank puts operations in line, by where they begin, and matches completions
// with what they complete.
func (cs *channels) rank(m *Control, stray map[int32]bool) {
	waiting := make(map[trace.GID]int32)
	highest := make(map[*channel]*[2]uint64)
	early := make(map[*channel]bool) // found closed before anybody has closed it
	for i := range m.t.Events {
		e, pos := &m.t.Events[i], int32(i)
		switch e.Kind {
		case trace.Send, trace.Recv, trace.Select:
			k, ok := cs.operation(pos)
			if !ok {
				waiting[e.G] = none
				continue
			}
			waiting[e.G] = k
			op := &cs.ops[k]
			switch {
			case stray[k]:
				its := &op.ch.found().strays[b2i(op.recv)]
				*its = append(*its, pos)
			case op.recv:
				op.ch.recvs = append(op.ch.recvs, pos)
				op.rank = len(op.ch.recvs)
			default:
				op.ch.sends = append(op.ch.sends, pos)
				op.rank = len(op.ch.sends)
			}
		case trace.SendDone, trace.RecvDone:
			k, ok := waiting[e.G]
			if !ok || k == none || e.Obj == 0 {
				m.impossible[pos] = true
				continue
			}
			waiting[e.G] = none
			c := cs.byObj[e.Obj]
			cs.set(pos, k)
			c.dones = append(c.dones, pos)
			if highest[c] == nil {
				highest[c] = new([2]uint64)
			}
			h := &highest[c][b2i(e.Kind == trace.RecvDone)]
			*h = max(*h, m.t.Element(e))
			early[c] = early[c] || e.Kind == trace.RecvDone && e.Val == 0 && (len(c.closes) == 0 || pos < c.closes[0])
		case trace.Panic:
			if k, ok := waiting[e.G]; ok && k != none && !cs.ops[k].recv {
				cs.set(pos, k)
				its := cs.ops[k].ch.found()
				its.panics = append(its.panics, pos)
			}
		}
	}
	for c, h := range highest {
		c.outside = h[1] > uint64(len(c.sends)) || h[0] > uint64(len(c.recvs)+c.cap) || early[c]
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// channelEdges finds what must come before what on channels.
func (m *edgeBuilder) channelEdges() {
	for _, obj := range m.chans.objs {
		c := m.chans.byObj[obj]
		if m.anyone && m.admits(c) {
			continue
		}
		for _, begins := range [][]int32{c.sends, c.recvs} {
			for k, begin := range begins {
				if k > 0 {
					m.edge(begins[k-1], begin)
				}
				if k == 0 && c.made != none {
					m.edge(c.made, begin)
				}
			}
		}
		for _, begins := range c.strays {
			for _, begin := range begins {
				if c.made != none {
					m.edge(c.made, begin)
				}
			}
		}
		for _, done := range c.dones {
			m.doneEdges(c, done)
		}
	}
}

// doneEdges orders what lets an operation complete before its completion.
func (m *edgeBuilder) doneEdges(c *channel, done int32) {
	e := m.event(done)
	if c.outside {
		return
	}
	if e.Val == 0 {
		if e.Kind == trace.RecvDone && len(c.closes) == 1 {
			m.edge(c.closes[0], done)
		}
		return
	}
	n := int(min(m.t.Element(e), 1<<31))
	m.edge(line(c.sends, n), done)
	if n > c.cap {
		m.edge(line(c.recvs, n-c.cap), done)
	}
	if e.Kind == trace.RecvDone {
		m.edge(line(c.recvs, n), done)
	}
}

// A channelEncoder encodes channels.
type channelEncoder struct{ *timeline }

// channel encodes what becomes of operations where the channel is closed.
// What else lets them complete are edges.
func (e *channelEncoder) channel(c *channel) {
	f := e.f
	closes := make([]int32, 0, len(c.closes))
	for _, cl := range c.closes {
		if !e.outside(cl) {
			closes = append(closes, cl)
		}
	}
	// closed says that the channel is closed before event i.
	closed := func(i int32) solver.Bool {
		var some []solver.Bool
		for _, cl := range closes {
			some = append(some, e.before(cl, i))
		}
		return f.Or(some...)
	}
	e.closes(closes)
	for _, done := range c.dones {
		if e.outside(done) || e.past(done) || c.outside {
			continue
		}
		ev := e.m.event(done)
		if n := int(min(e.m.t.Element(ev), 1<<31)); n > 0 {
			e.passes(c, done, n, closes, closed)
		} else if ev.Kind == trace.RecvDone {
			e.finds(c, done, closes, closed)
		}
	}
	for _, s := range c.strays[0] {
		for _, r := range c.strays[1] {
			if e.outside(s) || e.outside(r) || e.past(s) && e.past(r) {
				continue
			}
			// They would meet.
			e.assert(f.Or(f.Not(e.done(s)), f.Not(e.done(r)), closed(s), closed(r)))
		}
	}
	for _, p := range c.panics {
		if !e.outside(p) && !e.past(p) {
			e.panics(c, p, closes, closed)
		}
	}
}

// closes lets only the first close of a channel succeed.
func (e *channelEncoder) closes(closes []int32) {
	for _, cl := range closes {
		next := e.m.next(cl)
		if e.past(cl) || next == none || e.m.event(next).Kind == trace.Panic {
			continue // it may be one that panics
		}
		for _, other := range closes {
			if other != cl {
				e.need(cl, e.before(cl, other))
			}
		}
	}
}

// passes encodes the completion of what moves element n. Where the channel is
// closed before, the element was in or through by then; and no operation that
// found the channel closed may have stood in line before it.
func (e *channelEncoder) passes(c *channel, done int32, n int, closes []int32, closed func(int32) solver.Bool) {
	f := e.f
	for _, cl := range closes {
		e.need(done, f.Or(e.before(done, cl), f.And(e.before(line(c.sends, n), cl), e.room(c, n, cl))))
	}
	for recv, strays := range c.strays {
		for _, s := range strays {
			if e.outside(s) {
				continue
			}
			ways := []solver.Bool{e.before(done, s), e.before(line(c.side(recv == 1), n), s)}
			if recv == 0 {
				ways = append(ways, closed(s))
			}
			e.need(done, f.Or(ways...))
		}
	}
}

// room says that there is room for element n before event i: it is within the
// capacity, or a receive made room.
func (e *channelEncoder) room(c *channel, n int, i int32) solver.Bool {
	if n <= c.cap {
		return e.f.True()
	}
	return e.before(line(c.recvs, n-c.cap), i)
}

// finds encodes a receive that finds the channel closed: each element that got
// into the channel has a receive that began before this one.
func (e *channelEncoder) finds(c *channel, done int32, closes []int32, closed func(int32) solver.Bool) {
	f := e.f
	e.need(done, closed(done))
	begin := e.m.chans.completed(done).begin
	for _, cl := range closes {
		first := e.firstOf(cl, closes)
		for n := 1; n <= len(c.sends)+len(c.strays[0]) && n <= c.cap+len(c.recvs); n++ {
			in := e.got(c, n, cl)
			if in == f.False() {
				break
			}
			e.assert(f.Implies(f.And(e.done(done), first, in, e.room(c, n, cl)), e.before(line(c.recvs, n), begin)))
		}
	}
}

// firstOf says that a close is the first one, and so the one that counts.
func (e *channelEncoder) firstOf(cl int32, closes []int32) solver.Bool {
	b := e.done(cl)
	for _, other := range closes {
		if other != cl {
			b = e.f.And(b, e.before(cl, other))
		}
	}
	return b
}

// got says that at least n sends began before the channel was closed by cl,
// those among them that panicked then.
func (e *channelEncoder) got(c *channel, n int, cl int32) solver.Bool {
	var strays []int32
	for _, s := range c.strays[0] {
		if !e.outside(s) {
			strays = append(strays, s)
		}
	}
	if len(strays) > 8 {
		e.err = fmt.Errorf("symbolic: %d sends on one channel panicked: too many to encode", len(strays))
		return e.f.True()
	}
	ways := []solver.Bool{}
	for set := range 1 << len(strays) {
		all := []solver.Bool{}
		for k, s := range strays {
			if set>>k&1 != 0 {
				all = append(all, e.before(s, cl))
			}
		}
		if ranked := n - len(all); ranked > 0 {
			all = append(all, e.before(line(c.sends, ranked), cl))
		}
		ways = append(ways, e.f.And(all...))
	}
	return e.f.Or(ways...)
}

// panics encodes the panic of a send: the channel is closed, and was when the
// send began, or there was no room for its element before.
func (e *channelEncoder) panics(c *channel, p int32, closes []int32, closed func(int32) solver.Bool) {
	f := e.f
	op := e.m.chans.completed(p)
	e.need(p, closed(p))
	for _, cl := range closes {
		first := e.firstOf(cl, closes)
		open := e.before(op.begin, cl)
		for n := max(1, c.cap); n <= c.cap+len(c.recvs); n++ {
			e.assert(f.Implies(f.And(e.done(p), first, open, e.room(c, n, cl)), e.before(line(c.sends, n), op.begin)))
		}
	}
}

// closedAtMoment says that a channel is closed when the violation happens.
func (e *channelEncoder) closedAtMoment(ch uint64) solver.Bool {
	var some []solver.Bool
	if c := e.m.chans.byObj[ch]; c != nil {
		for _, cl := range c.closes {
			if !e.outside(cl) {
				some = append(some, e.done(cl))
			}
		}
	}
	return e.f.Or(some...)
}

// A side is that of a channel on which a goroutine waits.
type side struct {
	ch   *channel
	recv bool
}

// sides returns the sides of channels on which a goroutine waits in the operation that event i
// begins: those of the cases of a select that would send, and of the one that was chosen.
func (m *Model) sides(i int32) (all []side) {
	if op, ok := m.chans.begun(i); ok {
		all = append(all, side{m.chans.ops[op].ch, m.chans.ops[op].recv})
	}
	if m.event(i).Kind == trace.Select {
		for i = m.prev(i); i != none && m.event(i).Kind == trace.SelectSend; i = m.prev(i) {
			s := side{m.chans.byObj[m.event(i).Obj], false}
			if s.ch != nil && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// waitsIn says that an operation on a side of a channel has to wait when the violation
// happens: the channel is open, and there are no fewer receives than sends, or no fewer sends
// than receives and room. Which place in line the operation gets does not matter.
func (e *channelEncoder) waitsIn(s side) (all []solver.Bool) {
	f, c := e.f, s.ch
	for _, cl := range c.closes {
		all = append(all, f.Not(e.done(cl)))
	}
	own, others, room := c.sends, c.recvs, c.cap
	if s.recv {
		own, others, room = c.recvs, c.sends, 0
	}
	for n := 1; n-room <= len(others); n++ {
		other := f.True()
		if n > room {
			other = e.done(line(others, n-room))
		}
		all = append(all, f.Or(f.Not(other), e.done(line(own, n))))
	}
	return all
}
