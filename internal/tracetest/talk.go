package tracetest

import (
	"math/rand/v2"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// RandomMessages returns the trace of a random program whose goroutines send each other
// messages, sometimes as cases of selects, and wait for a WaitGroup and for a condition, sometimes
// while they hold locks. Each element that is sent is received, each Add has its Done, and the
// waits for the condition have one signal or broadcast. In the run all goroutines end. The result
// is nil if no such run was found.
func RandomMessages(seed uint64) *trace.Trace {
	for try := range uint64(10) {
		m := newMachine(Config{Goroutines: 3, Locks: 2}, rand.New(rand.NewPCG(seed, 5)))
		m.sendCases = true
		m.spawn(0)
		if m.IntN(3) == 0 {
			m.add(m.gs[0], 1)
		}
		for g := 1; g < m.Goroutines; g++ {
			m.fork(m.gs[0])
		}
		m.planMessages()
		m.Rand = rand.New(rand.NewPCG(seed, try)) // the same program in another order
		for m.step() {
		}
		if !slices.ContainsFunc(m.gs, func(g *goroutine) bool { return len(g.queue) > 0 }) {
			return m.tr
		}
	}
	return nil
}

// planMessages puts random actions into the queues of the goroutines.
func (m *machine) planMessages() {
	do := make([][]action, len(m.gs))
	put := func(g int, a action) {
		k := m.IntN(len(do[g]) + 1)
		do[g] = slices.Insert(do[g], k, a)
	}
	for range 1 + m.IntN(3) {
		c, from := m.chans[m.IntN(len(m.chans))], m.IntN(len(m.gs))
		to := (from + 1 + m.IntN(len(m.gs)-1)) % len(m.gs)
		put(from, m.passingOrSelecting(m.gs[from], c, true))
		put(to, m.passingOrSelecting(m.gs[to], c, false))
	}
	if m.IntN(2) == 0 {
		c, waits := m.IntN(len(m.conds)), m.IntN(len(m.gs))
		wakes := (waits + 1 + m.IntN(len(m.gs)-1)) % len(m.gs)
		put(waits, m.awaiting(m.gs[waits], c))
		if m.IntN(3) == 0 { // the third one, too
			put(len(m.gs)-waits-wakes, m.awaiting(m.gs[len(m.gs)-waits-wakes], c))
		}
		all := m.IntN(2) == 0
		put(wakes, action{func() bool { m.wake(m.gs[wakes], c, all); return true }})
	}
	if m.count > 0 {
		waits, done := m.IntN(len(m.gs)), m.IntN(len(m.gs)-1)
		put(waits, m.waitingForGroup(m.gs[waits]))
		finishes := (waits + 1 + done) % len(m.gs)
		put(finishes, action{func() bool { m.add(m.gs[finishes], -1); return true }})
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

// passingOrSelecting sends or receives an element, sometimes by a select that has another case.
func (m *machine) passingOrSelecting(g *goroutine, c *channel, send bool) action {
	if m.IntN(3) > 0 {
		return m.passing(g, c, send)
	}
	return m.selecting(g, c, send, m.chans[m.IntN(len(m.chans))], m.IntN(2) == 0)
}

// awaiting waits for a condition under the lock of its number, which it locks and unlocks unless
// the goroutine has it already.
func (m *machine) awaiting(g *goroutine, c int) action {
	own := false
	lock := func() bool {
		if m.locks[c].writer == g {
			return true
		}
		own = m.lock(g, c, false)
		return own
	}
	unlock := func() bool {
		if own {
			m.unlock(g, g, c)
		}
		return true
	}
	return slices.Concat(action{lock}, m.waitingForCond(g, c), action{unlock})
}

// locking locks a lock, unless the goroutine has it already.
func (m *machine) locking(g *goroutine, k int, shared bool) action {
	return action{func() bool { return m.locks[k].isHeldBy(g) || m.lock(g, k, shared) }}
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

func (l *lock) isHeldBy(g *goroutine) bool { return l.writer == g || slices.Contains(l.readers, g) }
