package tracetest

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A channel is a channel of the model.
type channel struct {
	id       uint64
	cap      int
	buf      []uint64 // the numbers of its elements
	sent     uint64
	closed   bool
	sendq    []*operation
	recvq    []*operation
	received uint64
}

// An operation is a send or receive that a goroutine has begun, perhaps as a case of a select.
// Cases of one select share done.
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

// live removes the operations from a queue whose select has chosen another case.
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
		return m.close(g, c)
	case 1:
		return m.choose(g, c, m.chans[m.IntN(len(m.chans))])
	case 2, 3:
		if c.closed {
			return false
		}
		g.begin(m.passing(g, c, true))
	default:
		g.begin(m.passing(g, c, false))
	}
	return true
}

// close closes a channel now and then. To close one with waiting senders would panic.
func (m *machine) close(g *goroutine, c *channel) bool {
	if c.closed || len(live(&c.sendq)) > 0 || m.IntN(4) > 0 {
		return false
	}
	m.emit(g, trace.Close, c.id, 0, uint32(c.cap))
	c.closed = true
	for len(live(&c.recvq)) > 0 {
		r := pop(&c.recvq)
		r.done.op = r
	}
	return true
}

// choose is a select that receives from a or sends to b, sometimes with a default.
func (m *machine) choose(g *goroutine, a, b *channel) bool {
	switch {
	case b.closed:
		return false
	case !a.ready(false) && !b.ready(true) && m.IntN(2) == 0:
		m.emit(g, trace.Select, 0, 2, 0).Flags |= trace.FlagDefault
		g.queue = append(g.queue, func() bool { m.emit(g, trace.SelectDone, 0, 0, 0); return true })
	case m.IntN(2) == 0:
		g.begin(m.selecting(g, b, true, a, false))
	default:
		g.begin(m.selecting(g, a, false, b, true))
	}
	return true
}

// passing sends an element, or receives one.
func (m *machine) passing(g *goroutine, c *channel, send bool) action {
	done, kind := new(outcome), trace.Recv
	if send {
		kind = trace.Send
	}
	return action{func() bool {
		m.emit(g, kind, c.id, 0, uint32(c.cap))
		attempt(&operation{c: c, send: send, done: done})
		return true
	}, func() bool { return m.complete(g, done) }}
}

// selecting does one of two operations: the first one that is ready, or else the first one that
// becomes ready.
func (m *machine) selecting(g *goroutine, c *channel, send bool, d *channel, sends bool) action {
	done := new(outcome)
	cases := []*operation{{c: c, send: send, done: done}, {c: d, send: sends, done: done}}
	return action{func() bool {
		for _, o := range cases {
			if o.send && m.sendCases {
				m.emit(g, trace.SelectSend, o.c.id, 0, uint32(o.c.cap))
			}
		}
		m.emit(g, trace.Select, 0, uint64(len(cases)), 0)
		attempt(cases...)
		return true
	}, func() bool {
		if done.op == nil {
			return false
		}
		m.emit(g, trace.SelectDone, 0, uint64(slices.Index(cases, done.op)+1), 0)
		return m.complete(g, done)
	}}
}

// attempt completes the first operation that is ready. If none is, all of them wait.
func attempt(operations ...*operation) {
	for _, o := range operations {
		if o.c.ready(o.send) {
			o.c.do(o)
			return
		}
	}
	for _, o := range operations {
		if o.send {
			o.c.sendq = append(o.c.sendq, o)
		} else {
			o.c.recvq = append(o.c.recvq, o)
		}
	}
}

// complete emits the completion of an operation. It reports whether the operation is done.
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
