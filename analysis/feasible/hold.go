package feasible

import (
	"iter"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A hold is a lock that a goroutine has acquired and nobody has released since.
type hold struct {
	lock   int32
	shared bool  // the reader side
	before int32 // the goroutine's hold before, an index of state.taken, or none
}

// hold notes what an operation of a lock does to what goroutines hold. A release ends
// the last hold of its own goroutine, or where that has none, one of another goroutine,
// which has handed the lock over.
func (s *state) hold(e *trace.Event, lock int32) {
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		s.push(e.G, hold{lock: lock, shared: e.Kind == trace.RAcquire})
		if e.Kind == trace.Acquire {
			s.locks[lock].by = e.G
		}
		return
	}
	shared := e.Kind == trace.RRelease
	if s.drop(e.G, lock, shared) {
		return
	}
	if !shared && s.drop(s.locks[lock].by, lock, shared) {
		return
	}
	for g := range s.held {
		if s.drop(trace.GID(g), lock, shared) {
			return
		}
	}
}

// push gives goroutine g one more hold.
func (s *state) push(g trace.GID, h hold) {
	h.before = s.held[g]
	if s.spare == none {
		s.held[g] = int32(len(s.taken))
		s.taken = append(s.taken, h)
		return
	}
	s.held[g], s.spare = s.spare, s.taken[s.spare].before
	s.taken[s.held[g]] = h
}

// drop takes the last such hold of goroutine g from it, if it has one.
func (s *state) drop(g trace.GID, lock int32, shared bool) bool {
	for at := &s.held[g]; *at != none; at = &s.taken[*at].before {
		if h := s.taken[*at]; h.lock == lock && h.shared == shared {
			s.taken[*at].before, s.spare, *at = s.spare, *at, h.before
			return true
		}
	}
	return false
}

// holding yields what goroutine g holds, the last one first.
func (s *state) holding(g trace.GID) iter.Seq[hold] {
	return func(yield func(hold) bool) {
		for at := s.held[g]; at != none && yield(s.taken[at]); at = s.taken[at].before {
		}
	}
}

// has reports whether goroutine g holds a lock, for writing or for reading.
func (s *state) has(g trace.GID, lock int32) (writes, reads bool) {
	for h := range s.holding(g) {
		writes, reads = writes || h.lock == lock && !h.shared, reads || h.lock == lock && h.shared
	}
	return writes, reads
}
