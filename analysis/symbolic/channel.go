package symbolic

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A channel is what the table of facts has of one channel, by positions.
//
// What lets an operation complete, as long as the channel is open, are edges: the operation of the
// other side, which rank says. What becomes of operations when the channel is closed differs from
// run to run, and is encoded.
//
// The send of rank n begins at sends[n-1], and passes its element to the receive that begins at
// receives[n-1]. Ranks are those of the recorded run.
//
// An example: a channel of capacity 1 passes two elements.
//
//	g1: send 1, send 2
//	g2: receive 1, receive 2
//
// Send n begins before receive n completes. Send 2 finds room once receive 1 is there, so the begin
// of receive 1 precedes the completion of send 2.
type channel struct {
	number          int32
	capacity        int
	sends, receives []int32 // where those with a rank begin, by rank
	closes          []int32
	// unaccounted is set if elements come or go that no event accounts for, or if the channel was
	// closed before the trace begins.
	unaccounted bool
}

func newChannels(f *facts.Facts) []channel {
	all := make([]channel, f.Objects(trace.ClassChannel).Len())
	for k := range all {
		n := int32(k)
		c := f.Channel(n)
		all[k] = channel{
			number: n, capacity: int(c.Capacity), closes: f.Closes(n), unaccounted: c.External || c.ClosedBefore,
			sends: beginsOf(f, f.Line(n, false)), receives: beginsOf(f, f.Line(n, true)),
		}
	}
	return all
}

// beginsOf returns where operations begin.
func beginsOf(f *facts.Facts, rows []int32) []int32 {
	begins := make([]int32, len(rows))
	for k, row := range rows {
		begins[k] = f.Operations()[row].Begin
	}
	return begins
}

// ranked returns where the operation of rank n on a side begins, or none.
func ranked(begins []int32, n int) int32 {
	if n < 1 || n > len(begins) {
		return none
	}
	return begins[n-1]
}

// channel returns the channel that events call obj, or nil.
func (m *Control) channel(obj uint64) *channel {
	n := m.facts.Objects(trace.ClassChannel).Number(obj)
	if n == none {
		return nil
	}
	return &m.channels[n]
}

// operation returns the operation that event i begins or ends, and its channel; nil if there is
// none.
func (m *Control) operation(i int32) (*facts.Operation, *channel) {
	row := m.facts.OperationOf(int(i))
	if row == none {
		return nil, nil
	}
	op := &m.facts.Operations()[row]
	if op.Channel == none {
		return nil, nil
	}
	return op, &m.channels[op.Channel]
}

// begun returns the operation that event i begins.
func (m *Control) begun(i int32) (*facts.Operation, *channel) {
	if op, c := m.operation(i); op != nil && op.Begin == i {
		return op, c
	}
	return nil, nil
}

// receivedFrom returns the channel from which event i receives an element, or nil.
func (m *Control) receivedFrom(i int32) *channel {
	if op, c := m.operation(i); op != nil && op.Done == i && op.Receive && op.Outcome == facts.Passed {
		return c
	}
	return nil
}

// operationsOn yields the operations of a channel, by their begins.
func (m *Control) operationsOn(c *channel) func(yield func(*facts.Operation) bool) {
	return func(yield func(*facts.Operation) bool) {
		for _, row := range m.facts.OperationsOn(c.number) {
			if !yield(&m.facts.Operations()[row]) {
				return
			}
		}
	}
}

// addChannelEdges finds what must precede what because of channels.
func (m *edgeBuilder) addChannelEdges() {
	for k := range m.channels {
		c := &m.channels[k]
		if m.ignoreCommuting && m.admitsParallelTests(c) {
			continue
		}
		// Ranks stay as recorded. That two sends may come in the other order is a departure: see
		// findReorderings.
		for _, line := range [][]int32{c.sends, c.receives} {
			for k := range line[min(1, len(line)):] {
				m.addEdge(line[k], line[k+1])
			}
		}
		made := m.facts.Channel(c.number).Made
		for op := range m.operationsOn(c) {
			// Operations of higher ranks follow the first one of their line.
			if made != none && op.Rank() <= 1 {
				m.addEdge(made, op.Begin)
			}
			m.addCompletionEdges(c, op)
		}
	}
	for i := range m.t.Events {
		// A completion of nothing: the trace lacks what began.
		if e := &m.t.Events[i]; e.Kind.Class() == trace.ClassChannel && e.Kind.Completes() && !onlyEdges(e.Kind) {
			if op, _ := m.operation(int32(i)); op == nil || e.Obj == 0 {
				m.impossible[int32(i)] = true
			}
		}
	}
}

// addCompletionEdges orders what lets an operation complete before its completion.
func (m *edgeBuilder) addCompletionEdges(c *channel, op *facts.Operation) {
	n := int(op.Element)
	switch {
	case c.unaccounted:
	case op.Outcome == facts.FoundClosed && len(c.closes) == 1:
		m.addEdge(c.closes[0], op.Done)
	case op.Outcome == facts.Passed && n > 0:
		m.addEdge(ranked(c.sends, n), op.Done)
		// The buffer holds capacity elements, so this one needs the receive that is capacity ranks
		// before.
		if n > c.capacity {
			m.addEdge(ranked(c.receives, n-c.capacity), op.Done)
		}
		if op.Receive {
			m.addEdge(ranked(c.receives, n), op.Done)
		}
	}
}

// A channelEncoder encodes what a close decides. Nothing of that is in the paper, as Java has no
// channels. The n-th send passes its element to the n-th receive; edges say so, and they hold while
// the channel is open. A close may come before an operation completes. Then a send panics, unless its
// element found room or a receiver before; and a receive finds the channel closed, once all elements
// that were passed have been received.
//
// An example: g1 sends on a channel without a buffer, g2 receives, g3 closes. In the recorded run
// the send passes its element before the close. The close may also come between the begin of the
// send and its completion. But then the receive begins before the close as well, or the send panics.
type channelEncoder struct{ *timeline }

// A closableChannel encodes one channel: how a close decides whether operations pass an element, find
// the channel closed, or panic.
type closableChannel struct {
	*channelEncoder
	*channel
	closes   []int32    // those that may happen
	unranked [2][]int32 // where sends and receives without a rank begin
}

// assertChannel encodes what becomes of operations where the channel is closed.
func (e *channelEncoder) assertChannel(c *channel) {
	x := &closableChannel{channelEncoder: e, channel: c, closes: e.possible(c.closes)}
	var completed, panicked []*facts.Operation
	for op := range e.m.operationsOn(c) {
		switch {
		case op.Outcome == facts.Passed, op.Outcome == facts.FoundClosed:
			completed = append(completed, op)
		case op.Outcome == facts.Panicked && !op.Receive:
			panicked = append(panicked, op)
		}
		if op.Rank() == 0 {
			side := sideIndex(op.Receive)
			x.unranked[side] = append(x.unranked[side], op.Begin)
		}
	}
	x.assertOneClose()
	for _, op := range byDone(completed) {
		switch {
		case e.neverHappens(op.Done) || e.isPast(op.Done) || c.unaccounted:
		case op.Element > 0:
			x.assertPassed(op)
		case op.Outcome == facts.FoundClosed:
			x.assertFoundClosed(op)
		}
	}
	x.assertUnrankedNeverMeet()
	for _, op := range byDone(panicked) {
		if !e.neverHappens(op.Done) && !e.isPast(op.Done) {
			x.assertPanicked(op)
		}
	}
}

// possible returns those of the events that may happen.
func (e *channelEncoder) possible(events []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(events), e.neverHappens)
}

func sideIndex(receives bool) int {
	if receives {
		return 1
	}
	return 0
}

// byDone sorts operations by where they end.
func byDone(ops []*facts.Operation) []*facts.Operation {
	slices.SortFunc(ops, func(a, b *facts.Operation) int { return int(a.Done - b.Done) })
	return ops
}

// closedBefore says that the channel is closed before event i.
func (x *closableChannel) closedBefore(i int32) solver.Bool {
	var some []solver.Bool
	for _, cl := range x.closes {
		some = append(some, x.precedes(cl, i))
	}
	return x.f.Or(some...)
}

// assertOneClose lets only the first close of the channel succeed.
func (x *closableChannel) assertOneClose() {
	for _, cl := range x.closes {
		next := x.m.next(cl)
		if x.isPast(cl) || next == none || x.m.event(next).Kind == trace.Panic {
			continue // it may be one that panics
		}
		for _, other := range x.closes {
			if other != cl {
				x.assertIf(cl, x.precedes(cl, other))
			}
		}
	}
}

// assertPassed encodes the completion of an operation that passes an element. If the channel is closed
// before, the element was in the buffer or received by then; and no operation that found the
// channel closed was in line before.
func (x *closableChannel) assertPassed(op *facts.Operation) {
	f, n := x.f, int(op.Element)
	for _, cl := range x.closes {
		x.assertIf(op.Done, f.Or(x.precedes(op.Done, cl), f.And(x.precedes(ranked(x.sends, n), cl), x.hasRoom(n, cl))))
	}
	for side, line := range [][]int32{x.sends, x.receives} {
		for _, begin := range x.unranked[side] {
			if x.neverHappens(begin) {
				continue
			}
			ways := []solver.Bool{x.precedes(op.Done, begin), x.precedes(ranked(line, n), begin)}
			if side == sideIndex(false) {
				ways = append(ways, x.closedBefore(begin))
			}
			x.assertIf(op.Done, f.Or(ways...))
		}
	}
}

// assertUnrankedNeverMeet says that a send and a receive without a rank are not both there while the
// channel is open: they would pass an element.
//
// Operations without a rank panicked, or found the channel closed. Without a close before either of
// them, a run of the program has them meet, and the recorded outcome is impossible.
func (x *closableChannel) assertUnrankedNeverMeet() {
	f := x.f
	for _, s := range x.unranked[0] {
		for _, r := range x.unranked[1] {
			if x.neverHappens(s) || x.neverHappens(r) || x.isPast(s) && x.isPast(r) {
				continue
			}
			x.assert(f.Or(f.Not(x.happens(s)), f.Not(x.happens(r)), x.closedBefore(s), x.closedBefore(r)))
		}
	}
}

// hasRoom says that there is room for element n before event i: it is within the capacity, or a
// receive made room.
func (x *closableChannel) hasRoom(n int, i int32) solver.Bool {
	if n <= x.capacity {
		return x.f.True()
	}
	return x.precedes(ranked(x.receives, n-x.capacity), i)
}

// assertFoundClosed encodes a receive that finds the channel closed: for each element that got into the
// channel, a receive began before this one.
func (x *closableChannel) assertFoundClosed(op *facts.Operation) {
	f := x.f
	x.assertIf(op.Done, x.closedBefore(op.Done))
	for _, cl := range x.closes {
		first := x.isFirst(cl)
		for n := 1; n <= len(x.sends)+len(x.unranked[0]) && n <= x.capacity+len(x.receives); n++ {
			sent := x.sendsBegunBefore(n, cl)
			// No run has so many sends before the close, and so none has more.
			if sent == f.False() {
				break
			}
			x.assert(f.Implies(f.And(x.happens(op.Done), first, sent, x.hasRoom(n, cl)), x.precedes(ranked(x.receives, n), op.Begin)))
		}
	}
}

// isFirst says that a close is the first one, and so the one that counts.
func (x *closableChannel) isFirst(cl int32) solver.Bool {
	b := x.happens(cl)
	for _, other := range x.closes {
		if other != cl {
			b = x.f.And(b, x.precedes(cl, other))
		}
	}
	return b
}

// sendsBegunBefore says that at least n sends began before close cl, including those that panicked then.
func (x *closableChannel) sendsBegunBefore(n int, cl int32) solver.Bool {
	panicking := x.possible(x.unranked[0])
	if len(panicking) > maxPanickingSends {
		x.err = fmt.Errorf("symbolic: %d sends on one channel panicked: too many to encode", len(panicking))
		return x.f.True()
	}
	ways := []solver.Bool{}
	// Sends that panic have no rank, so any subset of them may be among the n. The ranked sends make
	// up the rest, and of these the first ones count, as they begin in order.
	for set := range 1 << len(panicking) {
		all := []solver.Bool{}
		for k, s := range panicking {
			if set>>k&1 != 0 {
				all = append(all, x.precedes(s, cl))
			}
		}
		if rest := n - len(all); rest > 0 {
			all = append(all, x.precedes(ranked(x.sends, rest), cl))
		}
		ways = append(ways, x.f.And(all...))
	}
	return x.f.Or(ways...)
}

// assertPanicked encodes the panic of a send: the channel is closed, and was when the send began, or there
// was no room for its element before.
func (x *closableChannel) assertPanicked(op *facts.Operation) {
	f := x.f
	x.assertIf(op.Done, x.closedBefore(op.Done))
	for _, cl := range x.closes {
		first := x.isFirst(cl)
		open := x.precedes(op.Begin, cl)
		for n := max(1, x.capacity); n <= x.capacity+len(x.receives); n++ {
			x.assert(f.Implies(f.And(x.happens(op.Done), first, open, x.hasRoom(n, cl)), x.precedes(ranked(x.sends, n), op.Begin)))
		}
	}
}

// closedAtViolation says that the channel that events call obj is closed when the violation happens.
//
// This is the misuse that a target with Fails asks for: a send or close that panics.
func (e *channelEncoder) closedAtViolation(obj uint64) solver.Bool {
	var some []solver.Bool
	if c := e.m.channel(obj); c != nil {
		for _, cl := range e.possible(c.closes) {
			some = append(some, e.happens(cl))
		}
	}
	return e.f.Or(some...)
}

// notClosed says that a channel is open when the violation happens.
func (e *channelEncoder) notClosed(c *channel) (all []solver.Bool) {
	for _, cl := range c.closes {
		all = append(all, e.f.Not(e.happens(cl)))
	}
	return all
}

// A channelSide is the side of a channel on which a goroutine waits.
type channelSide struct {
	*channel
	receives bool
}

// waitingSides returns the sides of channels on which a goroutine waits in the operation that event
// i begins: those of a select's cases that would send, and that of the chosen one.
func (m *Control) waitingSides(i int32) (all []channelSide) {
	if op, c := m.begun(i); op != nil {
		all = append(all, channelSide{c, op.Receive})
	}
	if m.event(i).Kind == trace.Select {
		for i = m.prev(i); i != none && m.event(i).Kind == trace.SelectSend; i = m.prev(i) {
			s := channelSide{m.channel(m.event(i).Obj), false}
			if s.channel != nil && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// mustWait says that an operation on a side of a channel has to wait when the violation happens: the
// channel is open, and there are no fewer receives than sends, or no fewer sends than receives and
// room. Which rank the operation gets does not matter.
//
// An example: a goroutine is about to send on a channel without a buffer, where one receive may
// begin. If that receive happens and no send does, the two meet. So it must wait only if the receive
// does not happen, or another send takes it.
func (e *channelEncoder) mustWait(s channelSide) []solver.Bool {
	f := e.f
	all := e.notClosed(s.channel)
	own, others, room := s.sends, s.channel.receives, s.capacity
	if s.receives {
		own, others, room = s.channel.receives, s.sends, 0
	}
	for n := 1; n-room <= len(others); n++ {
		other := f.True()
		if n > room {
			other = e.happens(ranked(others, n-room))
		}
		all = append(all, f.Or(f.Not(other), e.happens(ranked(own, n))))
	}
	return all
}
