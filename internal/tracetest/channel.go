package tracetest

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A channel of the model; numbers count as the runtime's own lock sees them.
type channel struct {
	id       uint64
	cap      int
	buf      []uint64 // numbers of the elements
	sent     uint64
	closed   bool
	sendq    []*operation
	recvq    []*operation
	received uint64
}

// An operation is one that a goroutine has begun, as a case of a select or by
// itself. Cases of one select share done.
type operation struct {
	c      *channel
	send   bool
	number uint64
	done   *outcome
}

type outcome struct {
	op *operation // nil while blocked
}

func (c *channel) ready(send bool) bool {
	if send {
		return len(live(&c.recvq)) > 0 || len(c.buf) < c.cap
	}
	return len(c.buf) > 0 || len(live(&c.sendq)) > 0 || c.closed
}

// live drops those from a queue whose select has chosen another case.
func live(q *[]*operation) []*operation {
	*q = slices.DeleteFunc(*q, func(o *operation) bool { return o.done.op != nil })
	return *q
}

func pop(q *[]*operation) *operation {
	o := (*q)[0]
	*q = (*q)[1:]
	return o
}

// do completes a ready operation.
func (c *channel) do(o *operation) {
	o.done.op = o
	switch {
	case o.send:
		c.sent++
		o.number = c.sent
		if len(live(&c.recvq)) > 0 {
			r := pop(&c.recvq)
			c.received++
			r.number, r.done.op = c.received, r
			return
		}
		c.buf = append(c.buf, o.number)
	case len(c.buf) > 0 || len(live(&c.sendq)) > 0:
		c.received++
		o.number = c.received
		if len(c.buf) > 0 {
			c.buf = c.buf[1:]
		}
		if len(live(&c.sendq)) > 0 {
			s := pop(&c.sendq)
			c.sent++
			s.number, s.done.op = c.sent, s
			if c.cap > 0 {
				c.buf = append(c.buf, s.number)
			}
		}
	}
}

func (m *machine) channel(g *goroutine) bool {
	c := m.chans[m.IntN(len(m.chans))]
	switch m.IntN(6) {
	case 0:
		// Closing with senders waiting would panic.
		if c.closed || len(live(&c.sendq)) > 0 || m.IntN(4) > 0 {
			return false
		}
		m.emit(g, trace.Close, c.id, 0, uint32(c.cap))
		c.closed = true
		for len(live(&c.recvq)) > 0 {
			r := pop(&c.recvq)
			r.done.op = r
		}
	case 1:
		return m.choose(g, c, m.chans[m.IntN(len(m.chans))])
	case 2, 3:
		if c.closed {
			return false
		}
		m.emit(g, trace.Send, c.id, 0, uint32(c.cap))
		m.begin(g, &operation{c: c, send: true, done: new(outcome)})
	default:
		m.emit(g, trace.Recv, c.id, 0, uint32(c.cap))
		m.begin(g, &operation{c: c, done: new(outcome)})
	}
	return true
}

// choose is a select that receives from a or sends to b, at times with a
// default.
func (m *machine) choose(g *goroutine, a, b *channel) bool {
	if b.closed {
		return false
	}
	e := m.emit(g, trace.Select, 0, 2, 0)
	done := new(outcome)
	ops := []*operation{{c: a, done: done}, {c: b, send: true, done: done}}
	if !a.ready(false) && !b.ready(true) && m.IntN(2) == 0 {
		e.Flags |= trace.FlagDefault
		g.queue = append(g.queue, func() bool { m.emit(g, trace.SelectDone, 0, 0, 0); return true })
		return true
	}
	g.queue = append(g.queue, func() bool {
		if done.op == nil {
			return false
		}
		m.emit(g, trace.SelectDone, 0, uint64(slices.Index(ops, done.op)+1), 0)
		m.complete(g, done)
		return true
	})
	if m.IntN(2) == 0 {
		ops[0], ops[1] = ops[1], ops[0]
	}
	for _, o := range ops {
		if o.c.ready(o.send) {
			o.c.do(o)
			return true
		}
	}
	for _, o := range ops {
		o.wait()
	}
	return true
}

// begin starts one operation, which completes at once or later.
func (m *machine) begin(g *goroutine, o *operation) {
	g.queue = append(g.queue, func() bool { return m.complete(g, o.done) })
	if o.c.ready(o.send) {
		o.c.do(o)
	} else {
		o.wait()
	}
}

func (o *operation) wait() {
	if o.send {
		o.c.sendq = append(o.c.sendq, o)
	} else {
		o.c.recvq = append(o.c.recvq, o)
	}
}

func (m *machine) complete(g *goroutine, done *outcome) bool {
	o := done.op
	if o == nil {
		return false
	}
	kind := trace.RecvDone
	if o.send {
		kind = trace.SendDone
	}
	m.emit(g, kind, o.c.id, o.number, uint32(o.c.cap))
	return true
}
