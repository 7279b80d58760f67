package tracetest

import (
	"math/rand/v2"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A simulation performs planned events, so that locks exclude and reads find what was written.
// Planned events name locks and locations by their numbers.
type simulation struct {
	*rand.Rand
	t       *trace.Trace
	held    []bool      // by lock
	memory  []uint64    // by location
	values  uint64      // writes store values below it
	waiting []trace.GID // on the only condition, first come first served
	tickets uint64      // waits that have begun
}

func newSimulation(r *rand.Rand, locks, locations int, values uint64) *simulation {
	return &simulation{Rand: r, t: newTrace(), held: make([]bool, locks), memory: make([]uint64, locations), values: values}
}

// start starts the goroutines.
func (s *simulation) start(goroutines int) {
	for g := range goroutines {
		addGoroutine(s.t)
		if g > 0 {
			s.t.Events = append(s.t.Events, trace.Event{Kind: trace.Fork, Obj: uint64(g)}, trace.Event{Kind: trace.Begin, G: trace.GID(g)})
		}
	}
}

// randomAccess returns the kind and the location of an access to something that a lock guards.
func (s *simulation) randomAccess(lock uint64) (kind trace.Kind, location uint64) {
	kind = trace.Read
	if s.IntN(3) == 0 {
		kind = trace.Write
	}
	return kind, (lock + uint64(len(s.held)*s.IntN(4))) % uint64(len(s.memory))
}

// perform performs a planned event of goroutine g, if that is possible now.
func (s *simulation) perform(g trace.GID, e trace.Event) bool {
	const lockAddress, condAddress, memoryAddress = 0x100, 0x80, 0x1000
	e.G = g
	switch e.Kind {
	case trace.Acquire:
		if s.held[e.Obj] {
			return false
		}
		s.held[e.Obj] = true
		e.Obj += lockAddress
	case trace.Release:
		s.held[e.Obj] = false
		e.Obj += lockAddress
	case trace.CondWait:
		s.waiting = append(s.waiting, g)
		e.Obj, e.Val = condAddress, s.tickets
		s.tickets++
	case trace.CondWake:
		if slices.Contains(s.waiting, g) {
			return false
		}
		e.Obj = condAddress
	case trace.CondSignal:
		if e.Obj = condAddress; len(s.waiting) > 0 {
			e.Val = s.tickets - uint64(len(s.waiting)) + 1
			s.waiting = s.waiting[1:]
		}
	default:
		if e.Kind == trace.Write {
			s.memory[e.Obj] = s.Uint64N(s.values)
		}
		e.Val, e.Obj = s.memory[e.Obj], memoryAddress+16*e.Obj
		e.Size, e.Flags = 8, trace.FlagValue
	}
	s.t.Events = append(s.t.Events, e)
	return true
}
