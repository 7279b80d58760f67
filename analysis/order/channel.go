package order

import "github.com/gopredict/gopredict/recorder/trace"

// An element is one value that went through a channel: the positions where
// its send and its receive (or their selects) began, -1 for what the trace
// does not have.
type element struct{ send, recv int }

// A channel lists what went through it: element number k is at k-1.
type channel []element

// element returns element number k, or nil if the channel has none.
func (c channel) element(k uint64) *element {
	if k < 1 || k > uint64(len(c)) {
		return nil
	}
	return &c[k-1]
}

// An operation is a send or receive, and where it began.
type operation struct {
	begin  int
	ch     uint64
	recv   bool
	vain   bool // the channel was closed: it has no place in the queue
	unmade bool // a select that has not chosen, or a nil channel
}

// channelTable is the channel side of an Order.
type channelTable struct {
	chans map[uint64]channel
	// queue has for the begin of an operation that of the one before it on
	// the same side of its channel.
	queue map[int32]int32
	// closes has for the panic of a send on a closed channel the close.
	closes map[int32]int32
}

// A matcher matches begins of operations, completions, and elements.
type matcher struct {
	channelTable
	ops   []operation    // by begin
	begun []int          // by goroutine: its last operation, or -1
	limit map[uint64]int // by channel: bound for numbers of elements
	// closed is by channel the position of its close.
	closed map[uint64]int32
}

func channels(t *trace.Trace) *channelTable {
	m := &matcher{
		channelTable: channelTable{chans: make(map[uint64]channel), queue: make(map[int32]int32), closes: make(map[int32]int32)},
		begun:        make([]int, len(t.Goroutines)),
		limit:        make(map[uint64]int),
		closed:       make(map[uint64]int32),
	}
	for g := range m.begun {
		m.begun[g] = -1
	}
	// A number beyond what the channel's own events allow for (each element
	// has one, but for those that blocked goroutines were about to log) is
	// damage, and must not make us allocate.
	for i := range t.Events {
		switch e := &t.Events[i]; e.Kind {
		case trace.SendDone, trace.RecvDone:
			if m.limit[e.Obj] == 0 {
				m.limit[e.Obj] = len(t.Goroutines)
			}
			m.limit[e.Obj]++
		}
	}
	for i := range t.Events {
		m.event(i, &t.Events[i])
	}
	m.line()
	table := m.channelTable // without what was needed to make it
	return &table
}

func (m *matcher) event(i int, e *trace.Event) {
	switch e.Kind {
	case trace.Send, trace.Recv, trace.Select:
		m.begun[e.G] = len(m.ops)
		m.ops = append(m.ops, operation{begin: i, ch: e.Obj, recv: e.Kind == trace.Recv, unmade: e.Obj == 0})
	case trace.SendDone, trace.RecvDone:
		m.done(e)
	case trace.Panic:
		if k := m.begun[e.G]; k >= 0 {
			if c, ok := m.closed[m.ops[k].ch]; ok && !m.ops[k].recv {
				m.closes[int32(i)] = c
			}
			m.ops[k].vain, m.begun[e.G] = true, -1
		}
	case trace.Close:
		if _, again := m.closed[e.Obj]; !again { // else it panics
			m.closed[e.Obj] = int32(i)
		}
	}
}

// done matches a completion with its begin and with its element.
func (m *matcher) done(e *trace.Event) {
	recv, begin := e.Kind == trace.RecvDone, -1
	if k := m.begun[e.G]; k >= 0 {
		begin = m.ops[k].begin
		m.ops[k] = operation{begin: begin, ch: e.Obj, recv: recv, vain: e.Val == 0}
		m.begun[e.G] = -1
	}
	if e.Val == 0 || e.Val > uint64(m.limit[e.Obj]) {
		return
	}
	c := m.chans[e.Obj]
	for uint64(len(c)) < e.Val {
		c = append(c, element{-1, -1})
	}
	m.chans[e.Obj] = c
	if el := c.element(e.Val); recv {
		el.recv = begin
	} else {
		el.send = begin
	}
}

// line puts the operations of each side of each channel in line.
func (m *matcher) line() {
	type side struct {
		ch   uint64
		recv bool
	}
	last := make(map[side]int)
	for _, o := range m.ops {
		if o.unmade {
			continue
		}
		s := side{o.ch, o.recv}
		if prev, ok := last[s]; ok {
			m.queue[int32(o.begin)] = int32(prev)
		}
		if !o.vain {
			last[s] = o.begin
		}
	}
}
