package feasible

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// StuckFrom is [Judge.CheckFrom] for a deadlock: after the steps goroutines stand before
// the operations at the given positions, one of each goroutine, and none of them can go
// on as long as the others do not. What other goroutines do by then or later does not
// free them, as far as the trace tells.
func (j *Judge) StuckFrom(from int, steps, operations []int) error {
	if err := j.CheckFrom(from, steps, operations); err != nil {
		return err
	}
	ops := make([]int32, len(operations))
	for k, pos := range operations {
		ops[k] = int32(pos)
	}
	for k, pos := range operations {
		if reason := j.s.goesOn(int32(pos), slices.Delete(slices.Clone(ops), k, k+1)); reason != "" {
			return j.infeasible(len(steps), pos, reason)
		}
	}
	return nil
}

// goesOn tells why the operation at pos, at which its goroutine stands, is not blocked
// as long as those that stand at others do not go on.
func (s *state) goesOn(pos int32, others []int32) string {
	e, in := &s.p.t.Events[pos], &s.p.info[pos]
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		if e.Flags&trace.FlagTry != 0 {
			return "expected an operation that waits for the lock, found one that gives up"
		}
		return s.free(in.ref, e.Kind == trace.RAcquire, others)
	}
	return "expected an operation that can block for ever, found another one"
}

// free tells why a lock is not kept from a goroutine that wants it, for reading or for
// writing, by those that stand at others: none of them has it, and none waits for it
// and so shuts out a reader (sync.RWMutex).
func (s *state) free(lock int32, read bool, others []int32) string {
	for _, pos := range others {
		writes, reads := s.p.has(pos, lock)
		e := &s.p.t.Events[pos]
		waits := e.Kind == trace.Acquire && s.p.info[pos].ref == lock
		if writes || !read && reads || read && waits {
			return ""
		}
	}
	l := &s.locks[lock]
	return fmt.Sprintf("expected the lock to be kept by one that waits in turn, found none (held: %t, readers: %d)", l.held, l.readers)
}

// has reports whether the goroutine of the event at pos has acquired a lock before it
// and not released it, for writing or for reading.
func (p *program) has(pos, lock int32) (writes, reads bool) {
	writers, readers := 0, 0
	for i := p.first[p.t.Events[pos].G]; i != pos; i = p.info[i].next {
		switch k := p.t.Events[i].Kind; {
		case k.Class() != trace.ClassLock || p.info[i].ref != lock:
		case k == trace.Acquire:
			writers++
		case k == trace.Release:
			writers--
		case k == trace.RAcquire:
			readers++
		default:
			readers--
		}
	}
	return writers > 0, readers > 0
}

// Deadlocks returns by goroutine, in ascending order, the operations of the sets of goroutines that
// are stuck in some feasible interleaving of t: each stands at an operation that is blocked
// as long as the others of the set do not go on. It returns each largest such set of a
// state once. Like [Races] it is for small traces.
func Deadlocks(t *trace.Trace) (sets [][]int) {
	p := compile(t)
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

// stuck returns the operations of the largest set of goroutines that are stuck.
func (s *state) stuck() (set []int) {
	var ops []int32
	for g := range s.p.first {
		if pos, reason := s.next(g); reason == "" {
			ops = append(ops, pos)
		}
	}
	for n := 0; n != len(ops); {
		n = len(ops)
		ops = slices.DeleteFunc(slices.Clone(ops), func(pos int32) bool {
			return s.goesOn(pos, slices.DeleteFunc(slices.Clone(ops), func(o int32) bool { return o == pos })) != ""
		})
	}
	for _, pos := range ops {
		set = append(set, int(pos))
	}
	return set
}
