package tracetest

import (
	"math/rand/v2"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Talk returns the trace of a random program in which goroutines send each other messages,
// at times as cases of selects, and wait for a WaitGroup and for a condition, at times under
// locks, for reading or for writing: each element that is sent is received, each Add has
// its Done, and all waits for the condition one signal or broadcast. In the run all of them
// come to their ends; nil if none was found in which they do.
func Talk(seed uint64) *trace.Trace {
	for try := range uint64(10) {
		m := &machine{
			Config: Config{Goroutines: 3, Locks: 2},
			Rand:   rand.New(rand.NewPCG(seed, 5)),
			tr:     &trace.Trace{Sites: make(map[trace.SiteID]trace.Site), Complete: true},
			locks:  make([]lock, 2),
			chans:  []*channel{{id: 1}, {id: 2, cap: 1}, {id: 3, cap: 2}},
		}
		m.spawn(0)
		if m.IntN(3) == 0 {
			m.emit(m.gs[0], trace.WaitGroupAdd, 0x40, 1, 0)
			m.count++
		}
		for g := 1; g < m.Goroutines; g++ {
			m.fork(m.gs[0])
		}
		m.say()
		m.Rand = rand.New(rand.NewPCG(seed, try)) // the same program in another order
		for m.step() {
		}
		if !slices.ContainsFunc(m.gs, func(g *goroutine) bool { return len(g.queue) > 0 }) {
			return m.tr
		}
	}
	return nil
}

// An action is what a goroutine does in some steps, each of which may block.
type action []func() bool

// say gives the goroutines what they are to do.
func (m *machine) say() {
	do := make([][]action, len(m.gs))
	put := func(g int, a action) {
		k := m.IntN(len(do[g]) + 1)
		do[g] = slices.Insert(do[g], k, a)
	}
	for range 1 + m.IntN(3) {
		c, from := m.chans[m.IntN(len(m.chans))], m.IntN(len(m.gs))
		to := (from + 1 + m.IntN(len(m.gs)-1)) % len(m.gs)
		put(from, m.saying(m.gs[from], c, true))
		put(to, m.saying(m.gs[to], c, false))
	}
	if m.IntN(2) == 0 {
		c, waits := m.IntN(len(m.conds)), m.IntN(len(m.gs))
		wakes := (waits + 1 + m.IntN(len(m.gs)-1)) % len(m.gs)
		put(waits, m.awaiting(m.gs[waits], c))
		if m.IntN(3) == 0 { // the third one, too
			put(len(m.gs)-waits-wakes, m.awaiting(m.gs[len(m.gs)-waits-wakes], c))
		}
		put(wakes, m.waking(m.gs[wakes], c, m.IntN(2) == 0))
	}
	if m.count > 0 {
		waits, done := m.IntN(len(m.gs)), m.IntN(len(m.gs)-1)
		put(waits, m.waiting(m.gs[waits]))
		put((waits+1+done)%len(m.gs), m.finishing(m.gs[(waits+1+done)%len(m.gs)]))
	}
	for g := range m.gs {
		for range m.IntN(3) {
			k := m.IntN(m.Locks)
			from := m.IntN(len(do[g]) + 1)
			to := from + m.IntN(len(do[g])-from+1)
			shared := m.IntN(3) == 0
			do[g] = slices.Insert(do[g], to, m.unlocking(m.gs[g], k, shared))
			do[g] = slices.Insert(do[g], from, m.locking(m.gs[g], k, shared))
		}
		for _, a := range do[g] {
			m.gs[g].queue = append(m.gs[g].queue, a...)
		}
		m.gs[g].left = -1
		m.gs[g].queue = append(m.gs[g].queue, func() bool { m.emit(m.gs[g], trace.End, 0, 0, 0); return true })
	}
}

// saying sends an element, or receives one, or may do something else instead: of the run
// it is not known what.
func (m *machine) saying(g *goroutine, c *channel, send bool) action {
	if m.IntN(3) > 0 {
		return m.passing(g, c, send)
	}
	return m.selecting(g, c, send, m.chans[m.IntN(len(m.chans))], m.IntN(2) == 0)
}

// passing sends an element, or receives one.
func (m *machine) passing(g *goroutine, c *channel, send bool) action {
	done, kind := new(outcome), trace.Recv
	if send {
		kind = trace.Send
	}
	return action{func() bool {
		m.emit(g, kind, c.id, 0, uint32(c.cap))
		if o := (&operation{c: c, send: send, done: done}); c.ready(send) {
			c.do(o)
		} else {
			o.wait()
		}
		return true
	}, func() bool { return m.complete(g, done) }}
}

// selecting does one of two operations, the first one if it can.
func (m *machine) selecting(g *goroutine, c *channel, send bool, d *channel, sends bool) action {
	done := new(outcome)
	ops := []*operation{{c: c, send: send, done: done}, {c: d, send: sends, done: done}}
	return action{func() bool {
		for _, o := range ops {
			if o.send {
				m.emit(g, trace.SelectSend, o.c.id, 0, uint32(o.c.cap))
			}
		}
		m.emit(g, trace.Select, 0, uint64(len(ops)), 0)
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
	}, func() bool {
		if done.op == nil {
			return false
		}
		m.emit(g, trace.SelectDone, 0, uint64(slices.Index(ops, done.op)+1), 0)
		return m.complete(g, done)
	}}
}

// awaiting waits for a condition, under the lock of its number.
func (m *machine) awaiting(g *goroutine, c int) action {
	woken, own := new(bool), false
	var ticket uint64
	return action{func() bool {
		if m.locks[c].writer == g {
			return true
		}
		own = m.lock(g, c, false)
		return own
	}, func() bool {
		ticket = m.ticket[c]
		m.ticket[c]++
		m.emit(g, trace.CondWait, uint64(c), ticket, 0)
		m.conds[c] = append(m.conds[c], waiter{g, ticket, woken})
		m.unlock(g, g, c)
		return true
	}, func() bool {
		if *woken {
			m.emit(g, trace.CondWake, uint64(c), ticket, 0)
		}
		return *woken
	}, func() bool { return m.lock(g, c, false) }, func() bool {
		if own {
			m.unlock(g, g, c)
		}
		return true
	}}
}

// waking wakes who waits for a condition, one or all.
func (m *machine) waking(g *goroutine, c int, all bool) action {
	return action{func() bool { return m.wake(g, c, all) }}
}

func (m *machine) waiting(g *goroutine) action {
	return action{func() bool {
		m.emit(g, trace.WaitGroupWait, 0x40, 0, 0)
		return true
	}, func() bool {
		if m.count == 0 {
			m.emit(g, trace.WaitGroupWaited, 0x40, 0, 0)
		}
		return m.count == 0
	}}
}

func (m *machine) finishing(g *goroutine) action {
	return action{func() bool {
		m.emit(g, trace.WaitGroupAdd, 0x40, ^uint64(0), 0)
		m.count--
		return true
	}}
}

// locking locks a lock, unless the goroutine has it already.
func (m *machine) locking(g *goroutine, k int, shared bool) action {
	return action{func() bool { return m.locks[k].has(g) || m.lock(g, k, shared) }}
}

func (m *machine) unlocking(g *goroutine, k int, shared bool) action {
	return action{func() bool {
		switch l := &m.locks[k]; {
		case l.writer == g && !shared:
			m.unlock(g, g, k)
		case slices.Contains(l.readers, g) && shared:
			m.unlock(g, g, ^k)
		}
		return true
	}}
}

func (l *lock) has(g *goroutine) bool { return l.writer == g || slices.Contains(l.readers, g) }
