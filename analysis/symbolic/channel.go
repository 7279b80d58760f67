package symbolic

import "github.com/gopredict/gopredict/recorder/trace"

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
func (m *Control) channelEdges() {
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
func (m *Control) doneEdges(c *channel, done int32) {
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
