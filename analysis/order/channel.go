package order

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// An element is one value that went through a channel: the positions where
// its send and its receive (or their selects) began, -1 for what the trace
// does not have.
type element struct{ send, recv int32 }

// A channel is what went through it: element number k is at k-1.
type channel struct {
	elements []element
	limit    int      // for the numbers of elements
	closed   int32    // where it was closed, or -1
	last     [2]int32 // where the last operation of each side began, or -1
}

// element returns element number k, or nil if the channel has none.
func (c *channel) element(k uint64) *element {
	if c == nil || k < 1 || k > uint64(len(c.elements)) {
		return nil
	}
	return &c.elements[k-1]
}

// An operation is a send or receive, and where it began.
type operation struct {
	begin int32
	ch    int32 // its number, or -1: a select that has not chosen, or a nil channel
	recv  bool
	vain  bool // the channel was closed: it has no place in the queue
}

// channelTable is the channel side of an Order.
type channelTable struct {
	numbers numbering.Numbers[numbering.Word] // of channels
	all     []channel
	// queue has for operations, by where they begin, where the one before it on the same
	// side of its channel did.
	queue []inLine
	// closes has for the panic of a send on a closed channel the close.
	closes map[int32]int32
}

type inLine struct{ begin, before int32 }

// of returns the channel of a number in the trace, or nil.
func (c *channelTable) of(obj uint64) *channel {
	if k, ok := c.numbers.Known(numbering.Word(obj)); ok {
		return &c.all[k]
	}
	return nil
}

// before returns where the operation before that which begins at position i did, or -1.
func (c *channelTable) before(i int) int {
	k, ok := slices.BinarySearchFunc(c.queue, int32(i), func(q inLine, i int32) int { return cmp.Compare(q.begin, i) })
	if !ok {
		return -1
	}
	return int(c.queue[k].before)
}

// A matcher matches begins of operations, completions, and elements.
type matcher struct {
	channelTable
	ops   []operation // by begin
	begun []int32     // by goroutine: its last operation, or -1
	t     *trace.Trace
}

func channels(t *trace.Trace) *channelTable {
	m := &matcher{
		channelTable: channelTable{closes: make(map[int32]int32)},
		begun:        make([]int32, len(t.Goroutines)),
		t:            t,
	}
	for g := range m.begun {
		m.begun[g] = -1
	}
	// A number beyond what the channel's own events allow for (each element
	// has one, but for those that blocked goroutines were about to log) is
	// damage, and must not make us allocate.
	begins := 0
	for i := range t.Events {
		switch e := &t.Events[i]; e.Kind {
		case trace.Send, trace.Recv, trace.Select:
			begins++
		case trace.SendDone, trace.RecvDone:
			c := &m.all[m.number(e.Obj)]
			if c.limit == 0 {
				c.limit = len(t.Goroutines)
			}
			c.limit++
		}
	}
	m.ops = make([]operation, 0, begins)
	for i := range t.Events {
		m.event(int32(i), &t.Events[i])
	}
	m.line()
	table := m.channelTable // without what was needed to make it
	return &table
}

// number returns the number of a channel.
func (m *matcher) number(obj uint64) int32 {
	k := m.numbers.Of(numbering.Word(obj))
	if int(k) == len(m.all) {
		m.all = append(m.all, channel{closed: -1, last: [2]int32{-1, -1}})
	}
	return k
}

func (m *matcher) event(i int32, e *trace.Event) {
	switch e.Kind {
	case trace.Send, trace.Recv, trace.Select:
		m.begun[e.G] = int32(len(m.ops))
		o := operation{begin: i, ch: -1, recv: e.Kind == trace.Recv}
		if e.Obj != 0 {
			o.ch = m.number(e.Obj)
		}
		m.ops = append(m.ops, o)
	case trace.SendDone, trace.RecvDone:
		m.done(e)
	case trace.Panic:
		if k := m.begun[e.G]; k >= 0 {
			o := &m.ops[k]
			if o.ch >= 0 && m.all[o.ch].closed >= 0 && !o.recv {
				m.closes[i] = m.all[o.ch].closed
			}
			o.vain, m.begun[e.G] = true, -1
		}
	case trace.Close:
		if c := &m.all[m.number(e.Obj)]; c.closed < 0 { // else it panics
			c.closed = i
		}
	}
}

// done matches a completion with its begin and with its element.
func (m *matcher) done(e *trace.Event) {
	recv, begin, ch := e.Kind == trace.RecvDone, int32(-1), m.number(e.Obj)
	if k := m.begun[e.G]; k >= 0 {
		begin = m.ops[k].begin
		m.ops[k] = operation{begin: begin, ch: ch, recv: recv, vain: e.Val == 0}
		m.begun[e.G] = -1
	}
	c, n := &m.all[ch], m.t.Element(e)
	if n == 0 || n > uint64(c.limit) {
		return
	}
	for uint64(len(c.elements)) < n {
		c.elements = append(c.elements, element{-1, -1})
	}
	if el := c.element(n); recv {
		el.recv = begin
	} else {
		el.send = begin
	}
}

// line puts the operations of each side of each channel in line.
func (m *matcher) line() {
	m.queue = make([]inLine, 0, len(m.ops))
	for _, o := range m.ops {
		if o.ch < 0 {
			continue
		}
		last := &m.all[o.ch].last[b2u(o.recv)]
		if *last >= 0 {
			m.queue = append(m.queue, inLine{o.begin, *last})
		}
		if !o.vain {
			*last = o.begin
		}
	}
}
