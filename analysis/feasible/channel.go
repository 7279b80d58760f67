package feasible

import (
	"cmp"
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file derives which channel operations send and receive which elements.
// The judge does not use package facts, so that a mistake there is noticed.

// A channel has the facts that a trace shows of one channel.
type channel struct {
	cap uint64 // the number of elements that it buffers
	// The numbers of ranked operations: see chanOp.rank.
	sends, recvs uint64
	// The highest numbers of elements that were sent and received.
	sent, received uint64
	// The ranked operations of all channels are numbered, channel by channel,
	// sends before receives. This is the number of the first one of the channel.
	first uint64
	// external is set if it has elements without events, such as those that
	// timers send. Then only the order of each side is checked.
	external bool
	made     bool // the trace has its creation
	closes   bool // the trace has its close
	closed   bool // it was closed before the trace began
}

// A chanOp is a send or receive, from the event that begins it.
type chanOp struct {
	// The channel.
	ch int32
	// It is a receive.
	recv bool
	// rank is its place, from 1, among the operations of its side in the
	// order in which they begin. A channel serves them in that order, so the
	// rank is the number of the element. A receive that found the channel
	// closed and a send that panicked have rank 0.
	rank uint64
}

// unranked marks an operation that gets rank 0, until ranks are assigned.
const unranked = math.MaxUint64

// A chanMatcher numbers channels, and matches the begins of their operations
// with their ends.
type chanMatcher struct {
	*program
	// The numbers of channels.
	ids numberTable
	// By goroutine: the begin of the operation underway, or none.
	begun []int32
	// By goroutine: the first case of the select to come.
	cases map[trace.GID]int32
}

// compileChannels finds the channels and their operations.
func (p *program) compileChannels() {
	m := chanMatcher{program: p, ids: numberTable{}, begun: make([]int32, len(p.forked)), cases: map[trace.GID]int32{}}
	for g := range m.begun {
		m.begun[g] = none
	}
	for i := range p.t.Events {
		e := &p.t.Events[i]
		if e.Kind.Class() == trace.ClassChannel && e.Kind != trace.Select && e.Kind != trace.SelectDone && e.Obj != 0 { // a nil channel blocks for ever
			m.channel(i, e)
		}
		m.operation(i, e)
	}
	p.rank()
	for id := range p.chans {
		c := &p.chans[id]
		c.first = p.ranked
		p.ranked += c.sends + c.recvs
		c.external = c.received > c.sends || c.sent > c.recvs+c.cap
	}
}

// channel records what the event at i shows of its channel.
func (m *chanMatcher) channel(i int, e *trace.Event) {
	id := m.ids.of(e.Obj)
	if int(id) == len(m.chans) {
		m.chans = append(m.chans, channel{cap: uint64(e.Size)})
	}
	m.refs[i] = id
	c := &m.chans[id]
	switch e.Kind {
	case trace.ChanMake:
		c.made = true
	case trace.Close:
		c.closes = true
	case trace.SendDone:
		c.sent = max(c.sent, m.t.ElementNumber(e))
	case trace.RecvDone:
		c.received = max(c.received, m.t.ElementNumber(e))
		c.closed = c.closed || e.Val == 0 && !c.closes
	}
}

// operation records the operation that the event at i begins or ends. A select
// begins the operation that it chooses. The next event of the goroutine ends
// an operation.
func (m *chanMatcher) operation(i int, e *trace.Event) {
	begin := m.begun[e.G]
	switch e.Kind {
	case trace.Send, trace.Recv:
		if e.Obj != 0 {
			m.begin(i, m.refs[i], e.Kind == trace.Recv)
		}
		m.begun[e.G] = int32(i)
		return
	case trace.Select:
		m.begun[e.G] = int32(i)
		if first, ok := m.cases[e.G]; ok {
			m.firsts = append(m.firsts, firstCase{int32(i), first})
			delete(m.cases, e.G)
		}
		return
	case trace.SelectDone:
		return
	case trace.SelectSend:
		if _, ok := m.cases[e.G]; !ok {
			m.cases[e.G] = int32(i)
		}
	case trace.SendDone, trace.RecvDone:
		if begin != none && e.Obj != 0 && m.refs[begin] == none {
			m.begin(int(begin), m.refs[i], e.Kind == trace.RecvDone)
		}
	}
	if begin == none {
		return
	}
	m.begun[e.G] = none
	if ref := m.refs[begin]; ref != none && (e.Kind == trace.Panic || e.Kind == trace.RecvDone && e.Val == 0) {
		m.ops[ref].rank = unranked
	}
}

// begin adds the operation on a channel that begins at i.
func (m *chanMatcher) begin(i int, ch int32, recv bool) {
	m.refs[i] = int32(len(m.ops))
	m.ops = append(m.ops, chanOp{ch: ch, recv: recv})
}

// rank assigns ranks to the operations, by their begins.
func (p *program) rank() {
	for i := range p.t.Events {
		if k := p.t.Events[i].Kind; p.refs[i] == none || k != trace.Send && k != trace.Recv && k != trace.Select {
			continue
		}
		o := &p.ops[p.refs[i]]
		c := &p.chans[o.ch]
		switch {
		case o.rank == unranked:
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

// number returns the number of the operation of that rank on one side of c,
// if there is one.
func (c *channel) number(recv bool, rank uint64) (n uint64, ok bool) {
	if recv {
		return c.first + c.sends + rank - 1, 0 < rank && rank <= c.recvs
	}
	return c.first + rank - 1, 0 < rank && rank <= c.sends
}

// channelOf returns the channel of an operation of kind k: the ref of a send
// or receive is that of the operation.
func (p *program) channelOf(k trace.Kind, ref int32) int32 {
	if k == trace.Send || k == trace.Recv {
		return p.ops[ref].ch
	}
	return ref
}

// firstCase is the first recorded case of the select at pos, or none.
func (p *program) firstCase(pos int32) int32 {
	k, ok := slices.BinarySearchFunc(p.firsts, pos, func(f firstCase, pos int32) int { return cmp.Compare(f.of, pos) })
	if !ok {
		return none
	}
	return p.firsts[k].at
}

// partner returns the operation on the other side of a channel that must
// begin before e completes one, by its number; ok is false if there is none.
func (p *program) partner(e *trace.Event, ref int32) (number uint64, ok bool) {
	switch e.Kind {
	case trace.RecvDone:
		return p.chans[ref].number(false, p.t.ElementNumber(e))
	case trace.SendDone:
		if c, n := &p.chans[ref], p.t.ElementNumber(e); n > c.cap {
			return c.number(true, n-c.cap)
		}
	}
	return 0, false
}

// findsClosed reports whether e completes a receive that found the channel
// closed.
func findsClosed(e *trace.Event) bool { return e.Kind == trace.RecvDone && e.Val == 0 }

// execute executes an event of a channel or select. Elements carry the taint
// of who sends them.
func (s *chansState) execute(pos int32, e *trace.Event, ref int32, taints *taintsState) string {
	switch e.Kind {
	case trace.ChanMake:
		if ref != none {
			s.states[ref].made = true
		}
	case trace.Send, trace.Recv, trace.Select:
		return s.begin(e.G, ref, taints.goroutineTaints[e.G])
	case trace.Close:
		return s.close(ref, s.program.unfinished(pos))
	case trace.SendDone, trace.RecvDone:
		n, recv := s.program.t.ElementNumber(e), e.Kind == trace.RecvDone
		if taint, ok := s.elements[element{ref, n}]; ok && recv && n > 0 {
			taints.infect(e.G, taint)
		}
		return s.complete(e.G, ref, recv, n)
	}
	return ""
}
