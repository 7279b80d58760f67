package feasible

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// StuckFrom is [Judge.CheckFrom] for a deadlock: after the steps, goroutines are
// about to execute the given operations, one of each goroutine, and none of
// them can proceed unless another one does. No later event of the other
// goroutines ends a wait, as far as the trace tells. The operation of a wait
// for a condition is its wake, and that of a wait for a Once's function the
// return of Do.
func (j *Judge) StuckFrom(from int, steps, operations []int) error {
	if err := j.CheckFrom(from, steps, operations); err != nil {
		return err
	}
	ops := make([]int32, len(operations))
	for k, pos := range operations {
		ops[k] = int32(pos)
	}
	f := j.state.effectsWithout(ops)
	if f != nil {
		j.spent += len(j.program.t.Events) - j.state.toComeFrom()
	}
	for _, pos := range ops {
		if reason := j.state.canProceed(pos, ops, f); reason != "" {
			return j.infeasible(len(steps), int(pos), reason)
		}
	}
	return nil
}

// canProceed returns why the operation at pos is not blocked for ever while all
// goroutines at ops are, so that only the events of f still happen.
func (s *state) canProceed(pos int32, ops []int32, f *remainingEffects) string {
	e, ref := &s.program.t.Events[pos], s.program.refs[pos]
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		if e.Flags&trace.FlagTry != 0 {
			return "expected an operation that waits for the lock, found one that gives up"
		}
		others := slices.DeleteFunc(slices.Clone(ops), func(o int32) bool { return o == pos })
		return s.lockNotKept(ref, e.Kind == trace.RAcquire, others)
	case trace.CondWake:
		return s.counters.isWoken(e.G, ref, f)
	case trace.OnceDone:
		return s.counters.doReturns(ref, f)
	case trace.Send, trace.Recv, trace.Select, trace.WaitGroupWait:
		switch {
		case e.Flags&trace.FlagDefault != 0:
			return "expected a select that waits, found one with a default"
		case ref == none:
			return "" // a nil channel
		case s.program.unfinished(pos):
			return "expected an operation that was completed in the recorded run, found one that was not"
		case e.Kind == trace.WaitGroupWait:
			return s.counters.waitReturns(ref, f)
		}
		for at := s.program.firstCase(pos); at != none && at != pos; at = s.program.next(at) {
			if other := s.program.refs[at]; other != none { // another case
				if reason := s.chans.completesLater(other, false, f); reason != "" {
					return reason
				}
			}
		}
		o := &s.program.ops[ref]
		return s.chans.completesLater(o.ch, o.recv, f)
	}
	return "expected an operation that can block for ever, found another one"
}

// lockNotKept returns why goroutines at others do not keep a lock from a
// goroutine that acquires it, for reading or writing: none of them holds it, and
// none is a waiting writer that shuts out a reader (sync.RWMutex).
func (s *state) lockNotKept(lock int32, read bool, others []int32) string {
	for _, pos := range others {
		e := &s.program.t.Events[pos]
		writes, reads := s.locks.holds(e.G, lock)
		waits := e.Kind == trace.Acquire && s.program.refs[pos] == lock
		if writes || !read && reads || read && waits {
			return ""
		}
	}
	l := &s.locks.locks[lock]
	return fmt.Sprintf("expected the lock to be kept by one that waits in turn, found none (held: %t, readers: %d)", l.held, l.readers)
}

// Deadlocks returns the sets of operations, ascending by goroutine, that are
// deadlocked in some feasible interleaving of t: each of them is blocked while
// the others are. It returns the largest set of each state, each set once. Like
// [Races] it is for small traces.
func Deadlocks(t *trace.Trace) (sets [][]int) {
	p := compiled(t)
	found := map[string]bool{}
	p.visit(func(s *state) bool {
		if set := s.stuck(); len(set) > 0 && !found[fmt.Sprint(set)] {
			found[fmt.Sprint(set)] = true
			sets = append(sets, set)
		}
		return true
	})
	return sets
}

// stuck returns the operations of the largest set of goroutines that are
// deadlocked.
func (s *state) stuck() (set []int) {
	var ops []int32
	for g := range s.program.forked {
		if pos, reason := s.nextOf(g); reason == "" {
			ops = append(ops, pos)
		}
	}
	// One that can proceed may free others. So they leave the set until all that are left are blocked.
	for n := 0; n != len(ops); {
		n = len(ops)
		f, all := s.effectsWithout(ops), ops
		ops = slices.DeleteFunc(slices.Clone(all), func(pos int32) bool { return s.canProceed(pos, all, f) != "" })
	}
	for _, pos := range ops {
		set = append(set, int(pos))
	}
	return set
}
