package tracetest

import (
	"math/rand/v2"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Size is that of a trace, as Table 3 of Said et al., NFM 2011, has it.
type Size struct {
	Threads, Events  int
	LockOperations   int // operations on locks
	CondOperations   int // operations on conditions
	Variables, Locks int
}

// RandomOfSize makes a random trace of that size, in which every read matters, and all that is done to
// one object in one way has one place in the source.
func RandomOfSize(r Size, seed uint64) *trace.Trace {
	m := &sizedProgram{newSimulation(rand.New(rand.NewPCG(seed, 3)), r.Locks, r.Variables, 3), make([][]trace.Event, r.Threads)}
	m.plan(r)
	m.start(r.Threads)
	for m.step() {
	}
	return m.t
}

// A sizedProgram performs what the threads have planned, in a random order.
type sizedProgram struct {
	*simulation
	todo [][]trace.Event // by thread
}

// plan deals out critical sections of a few accesses, accesses without a lock,
// waits and signals.
func (m *sizedProgram) plan(r Size) {
	sections, pairs := r.LockOperations/2, r.CondOperations/2
	accesses := max(0, r.Events-2*r.Threads-r.LockOperations-6*pairs)
	inner := accesses * 4 / 5
	for k := range sections {
		g, l := m.IntN(r.Threads), uint64(m.IntN(r.Locks))
		es := []trace.Event{m.event(trace.Acquire, l)}
		for range (inner + k) / max(1, sections) {
			es = append(es, m.event(m.randomAccess(l)))
		}
		m.todo[g] = append(m.todo[g], append(es, m.event(trace.Release, l))...)
	}
	for range accesses - inner {
		g := m.IntN(r.Threads)
		m.todo[g] = append(m.todo[g], m.event(m.randomAccess(uint64(m.IntN(r.Locks)))))
	}
	for range pairs {
		g := m.IntN(r.Threads)
		m.todo[g] = append(m.todo[g], m.event(trace.Acquire, 0), m.event(trace.CondWait, 0), m.event(trace.Release, 0),
			m.event(trace.CondWake, 0), m.event(trace.Acquire, 0), m.event(trace.Release, 0))
		h := (g + 1 + m.IntN(r.Threads-1)) % r.Threads
		m.todo[h] = append(m.todo[h], m.event(trace.CondSignal, 0))
	}
}

// event makes an event. What is done to one object in one way has one place in the
// source.
func (m *sizedProgram) event(kind trace.Kind, obj uint64) trace.Event {
	id := trace.SiteID(1 + uint64(kind) + uint64(trace.NumKinds)*obj)
	m.t.Sites[id] = trace.Site{ID: id, Key: uint64(id), Line: int(id), Op: kind.String()}
	return trace.Event{Kind: kind, Site: id, Obj: obj}
}

// step lets one thread do something. It returns false when none can.
func (m *sizedProgram) step() bool {
	for _, g := range m.Perm(len(m.todo)) {
		if len(m.todo[g]) == 0 {
			continue
		}
		if m.perform(trace.GID(g), m.todo[g][0]) {
			m.todo[g] = m.todo[g][1:]
			return true
		}
	}
	return false
}
