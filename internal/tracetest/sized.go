package tracetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Size is that of a trace, as Table 3 of Said et al., NFM 2011, has it.
type Size struct {
	Threads, Events int
	Locking         int // operations on locks
	Waiting         int // operations on conditions
	Vars, Locks     int
}

// Sized makes a random trace of that size, in which every read matters, and all that is done to
// one object in one way has one place in the source.
func Sized(r Size, seed uint64) *trace.Trace {
	m := &sizedMaker{Rand: rand.New(rand.NewPCG(seed, 3)), t: &trace.Trace{Sites: make(map[trace.SiteID]trace.Site), Complete: true},
		held: make([]bool, r.Locks), mem: make([]uint64, r.Vars), todo: make([][]trace.Event, r.Threads)}
	m.plan(r)
	for g := range r.Threads {
		path := "0"
		if g > 0 {
			path = fmt.Sprint("0.", g)
			m.t.Events = append(m.t.Events, trace.Event{Kind: trace.Fork, Obj: uint64(g)}, trace.Event{Kind: trace.Begin, G: trace.GID(g)})
		}
		m.t.Goroutines = append(m.t.Goroutines, trace.Goroutine{ID: trace.GID(g), Test: "TestX", Path: path})
	}
	for m.step() {
	}
	return m.t
}

// A sizedMaker performs what the threads have planned, in a random order.
type sizedMaker struct {
	*rand.Rand
	t       *trace.Trace
	todo    [][]trace.Event // by thread
	held    []bool
	mem     []uint64
	waiting []trace.GID // on the condition
	tickets uint64
}

// plan deals out critical sections of a few accesses, accesses without a lock,
// waits and signals.
func (m *sizedMaker) plan(r Size) {
	sections, pairs := r.Locking/2, r.Waiting/2
	accesses := max(0, r.Events-2*r.Threads-r.Locking-6*pairs)
	inner := accesses * 4 / 5
	for k := range sections {
		g, l := m.IntN(r.Threads), uint64(m.IntN(r.Locks))
		es := []trace.Event{m.event(trace.Acquire, l)}
		for range (inner + k) / max(1, sections) {
			es = append(es, m.access(l, r))
		}
		m.todo[g] = append(m.todo[g], append(es, m.event(trace.Release, l))...)
	}
	for range accesses - inner {
		g := m.IntN(r.Threads)
		m.todo[g] = append(m.todo[g], m.access(uint64(m.IntN(r.Locks)), r))
	}
	for range pairs {
		g := m.IntN(r.Threads)
		m.todo[g] = append(m.todo[g], m.event(trace.Acquire, 0), m.event(trace.CondWait, 0), m.event(trace.Release, 0),
			m.event(trace.CondWake, 0), m.event(trace.Acquire, 0), m.event(trace.Release, 0))
		h := (g + 1 + m.IntN(r.Threads-1)) % r.Threads
		m.todo[h] = append(m.todo[h], m.event(trace.CondSignal, 0))
	}
}

// access accesses one of the variables that a lock guards.
func (m *sizedMaker) access(l uint64, r Size) trace.Event {
	kind := trace.Read
	if m.IntN(3) == 0 {
		kind = trace.Write
	}
	return m.event(kind, (l+uint64(r.Locks*m.IntN(4)))%uint64(r.Vars))
}

// event makes an event. What is done to one object in one way has one place in the
// source.
func (m *sizedMaker) event(kind trace.Kind, obj uint64) trace.Event {
	id := trace.SiteID(1 + uint64(kind) + uint64(trace.NumKinds)*obj)
	m.t.Sites[id] = trace.Site{ID: id, Key: uint64(id), Line: int(id), Op: kind.String()}
	return trace.Event{Kind: kind, Site: id, Obj: obj}
}

// step lets one thread do something. It returns false when none can.
func (m *sizedMaker) step() bool {
	for _, g := range m.Perm(len(m.todo)) {
		if len(m.todo[g]) == 0 {
			continue
		}
		e := m.todo[g][0]
		e.G = trace.GID(g)
		if m.can(&e) {
			m.t.Events = append(m.t.Events, e)
			m.todo[g] = m.todo[g][1:]
			return true
		}
	}
	return false
}

// can performs e, if that is possible now, and completes it.
func (m *sizedMaker) can(e *trace.Event) bool {
	switch e.Kind {
	case trace.Acquire:
		if m.held[e.Obj] {
			return false
		}
		m.held[e.Obj] = true
		e.Obj += 0x100
	case trace.Release:
		m.held[e.Obj] = false
		e.Obj += 0x100
	case trace.CondWait:
		m.waiting = append(m.waiting, e.G)
		e.Obj, e.Val = 0x80, m.tickets
		m.tickets++
	case trace.CondWake:
		if slices.Contains(m.waiting, e.G) {
			return false
		}
		e.Obj = 0x80
	case trace.CondSignal:
		if e.Obj = 0x80; len(m.waiting) > 0 {
			e.Val = m.tickets - uint64(len(m.waiting)) + 1
			m.waiting = m.waiting[1:]
		}
	default:
		if e.Kind == trace.Write {
			m.mem[e.Obj] = m.Uint64N(3)
		}
		e.Val, e.Obj = m.mem[e.Obj], 0x1000+16*e.Obj
		e.Size, e.Flags = 8, trace.FlagValue
	}
	return true
}
