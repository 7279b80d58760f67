package feasible

import (
	"fmt"
	"iter"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A locksState is the state of all Mutexes and RWMutexes, and the locks that
// each goroutine holds.
type locksState struct {
	locks []lockState
	// By goroutine: the index in holdings of its last one, or none.
	lastHolding []int32
	// holdings has linked lists: one for each goroutine, the last holding first,
	// and one of free entries.
	holdings []holding
	// The first free entry, or none.
	free int32
}

type lockState struct {
	// A writer holds it.
	held bool
	// How many readers hold it.
	readers int32
	// The writer that has acquired it last.
	lastWriter trace.GID
}

// A holding is a lock that a goroutine has acquired and that was not released
// since.
type holding struct {
	// The number of the lock.
	lock int32
	// It is held on the reader side.
	shared bool
	// The goroutine's holding before, or none.
	before int32
}

func newLocks(p *program) locksState {
	s := locksState{locks: make([]lockState, p.locks), lastHolding: make([]int32, len(p.forked)), free: none}
	for g := range s.lastHolding {
		s.lastHolding[g] = none
	}
	return s
}

// set makes s what o is.
func (s *locksState) set(o *locksState) {
	copy(s.locks, o.locks)
	copy(s.lastHolding, o.lastHolding)
	s.holdings, s.free = append(s.holdings[:0], o.holdings...), o.free
}

// execute executes an operation of a lock. It updates the holdings even if the
// operation is impossible: the recorded run may begin before the trace does.
func (s *locksState) execute(e *trace.Event, lock int32) string {
	reason := s.locks[lock].execute(e.Kind)
	switch e.Kind {
	case trace.Acquire:
		s.locks[lock].lastWriter = e.G
		s.push(e.G, holding{lock: lock})
	case trace.RAcquire:
		s.push(e.G, holding{lock: lock, shared: true})
	default:
		s.release(e.G, lock, e.Kind == trace.RRelease)
	}
	return reason
}

// execute executes an operation of the lock. Who releases does not matter:
// Go's mutexes are not bound to goroutines.
func (l *lockState) execute(k trace.Kind) string {
	switch k {
	case trace.Acquire:
		if l.held {
			return "expected the lock to be free, found it held"
		}
		if l.readers > 0 {
			return fmt.Sprintf("expected the lock to be free, found it held by %d readers", l.readers)
		}
		l.held = true
	case trace.RAcquire:
		if l.held {
			return "expected the lock to be free for readers, found it held by a writer"
		}
		l.readers++
	case trace.Release:
		if !l.held {
			return "expected the lock to be held, found it free"
		}
		l.held = false
	case trace.RRelease:
		if l.readers == 0 {
			return "expected the lock to be held by a reader, found none"
		}
		l.readers--
	}
	return ""
}

// release ends the last holding of the lock by goroutine g. If there is none,
// the lock was handed over: it ends that of the writer or of some reader.
func (s *locksState) release(g trace.GID, lock int32, shared bool) {
	if s.drop(g, lock, shared) || !shared && s.drop(s.locks[lock].lastWriter, lock, shared) {
		return
	}
	for g := range s.lastHolding {
		if s.drop(trace.GID(g), lock, shared) {
			return
		}
	}
}

// push gives goroutine g one more holding.
func (s *locksState) push(g trace.GID, h holding) {
	h.before = s.lastHolding[g]
	if s.free == none {
		s.lastHolding[g] = int32(len(s.holdings))
		s.holdings = append(s.holdings, h)
		return
	}
	s.lastHolding[g], s.free = s.free, s.holdings[s.free].before
	s.holdings[s.lastHolding[g]] = h
}

// drop removes the last holding of the lock by goroutine g. It reports whether
// there was one.
func (s *locksState) drop(g trace.GID, lock int32, shared bool) bool {
	for at := &s.lastHolding[g]; *at != none; at = &s.holdings[*at].before {
		if h := s.holdings[*at]; h.lock == lock && h.shared == shared {
			// The entry leaves the goroutine's list and becomes the first free one.
			s.holdings[*at].before, s.free, *at = s.free, *at, h.before
			return true
		}
	}
	return false
}

// heldBy yields what goroutine g holds, the last one first.
func (s *locksState) heldBy(g trace.GID) iter.Seq[holding] {
	return func(yield func(holding) bool) {
		for at := s.lastHolding[g]; at != none && yield(s.holdings[at]); at = s.holdings[at].before {
		}
	}
}

// holds reports whether goroutine g holds a lock, for writing or for reading.
func (s *locksState) holds(g trace.GID, lock int32) (writes, reads bool) {
	for h := range s.heldBy(g) {
		writes, reads = writes || h.lock == lock && !h.shared, reads || h.lock == lock && h.shared
	}
	return writes, reads
}

// isHeld returns why a release is no misuse: the lock is held.
func (s *locksState) isHeld(k trace.Kind, lock int32) string {
	if l := s.locks[lock]; k == trace.Release && l.held || k == trace.RRelease && l.readers > 0 {
		return "expected the lock to be free, found it held"
	}
	return ""
}
