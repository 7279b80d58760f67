package feasible

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A hold is a lock that a goroutine has acquired and nobody has released since.
type hold struct {
	lock   int32
	shared bool // the reader side
}

// hold notes what an operation of a lock does to what goroutines hold. A release ends
// the last hold of its own goroutine, or where that has none, one of another goroutine,
// which has handed the lock over.
func (s *state) hold(e *trace.Event, lock int32) {
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		s.held[e.G] = append(s.held[e.G], hold{lock, e.Kind == trace.RAcquire})
		if e.Kind == trace.Acquire {
			s.locks[lock].by = e.G
		}
		return
	}
	ended := hold{lock, e.Kind == trace.RRelease}
	if s.drop(e.G, ended) {
		return
	}
	if !ended.shared && s.drop(s.locks[lock].by, ended) {
		return
	}
	for g := range s.held {
		if s.drop(trace.GID(g), ended) {
			return
		}
	}
}

// drop takes the last such hold of goroutine g from it, if it has one.
func (s *state) drop(g trace.GID, ended hold) bool {
	held := s.held[g]
	for k, h := range slices.Backward(held) {
		if h == ended {
			s.held[g] = slices.Delete(held, k, k+1)
			return true
		}
	}
	return false
}

// has reports whether goroutine g holds a lock, for writing or for reading.
func (s *state) has(g trace.GID, lock int32) (writes, reads bool) {
	return slices.Contains(s.held[g], hold{lock, false}), slices.Contains(s.held[g], hold{lock, true})
}
