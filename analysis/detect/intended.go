package detect

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// isIntended reports whether a match of the pattern is mostly meant to be so:
//
//   - All accesses to one of the variables are parts of whole updates, such as
//     x++. Their order makes no difference.
//   - A critical section accesses something that is atomic by itself: programs
//     that use sync/atomic there expect others in between. But what the section
//     has read may be out of date when it writes.
//   - A critical section gives up an inner lock in between, and all accesses to the
//     variables are under it: others are meant to see what it has written by then. But
//     what it has read may be out of date, unless the same code looks again, as a loop does
//     that drains a queue.
func (in *Input) isIntended(pattern *anomaly.Pattern, regions *anomaly.Regions, events []int) bool {
	vars, parts := make(map[int][]int), make(map[int][]int) // indices of the pattern, by variable and by region
	for k, e := range pattern.Events {
		vars[e.Variable] = append(vars[e.Variable], k)
		parts[e.Region] = append(parts[e.Region], k)
	}
	for _, ks := range vars {
		if in.areSeparateUpdates(events, ks) {
			return true
		}
	}
	for _, ks := range parts {
		i := events[ks[0]]
		if len(ks) < 2 || regions.Marked(i) {
			continue
		}
		first, last := pattern.Events[ks[0]], pattern.Events[ks[len(ks)-1]]
		if slices.ContainsFunc(ks, func(k int) bool { return in.Trace.Events[events[k]].Kind.IsPlain() }) {
			j := events[ks[len(ks)-1]]
			looksAgain := !last.Write && first.Variable == last.Variable && in.areLockedAlike(i, j) || last.Write && in.isReadAgain(i, j)
			if in.givesUpLocks(pattern, vars, events, ks) && (first.Write || in.startOfUpdate(i) >= 0 || looksAgain) {
				return true
			}
		} else if first.Variable != last.Variable || first.Write || !last.Write {
			return true
		}
	}
	return false
}

// givesUpLocks reports whether the region with the events of indices ks gives up, between the first
// and the last of them, what protects the variables: for each variable a lock that all of the match's
// accesses to it are under.
func (in *Input) givesUpLocks(pattern *anomaly.Pattern, vars map[int][]int, events, ks []int) bool {
	kept := in.Order.AppendHeldThroughout(nil, int32(events[ks[0]]), int32(events[ks[len(ks)-1]]))
	return !slices.ContainsFunc(ks, func(k int) bool {
		all := vars[pattern.Events[k].Variable]
		return !slices.ContainsFunc(in.locksAt(events[k]), func(l order.Lock) bool {
			return !containsLock(kept, l) && !slices.ContainsFunc(all, func(o int) bool { return !containsLock(in.locksAt(events[o]), l) })
		})
	})
}

// locksAt returns the locks that event i is under.
func (in *Input) locksAt(i int) []order.Lock { return in.Order.Locks(in.Order.LockSet(i)) }

// containsLock reports whether l is one of the locks, as a reader or a writer.
func containsLock(locks []order.Lock, l order.Lock) bool {
	return slices.ContainsFunc(locks, func(o order.Lock) bool { return o.Obj == l.Obj })
}

// areLockedAlike reports whether the innermost critical sections of events i and j begin at the same
// place: they are of one getter, or rounds of one loop.
func (in *Input) areLockedAlike(i, j int) bool {
	a, b := in.Order.Held(i), in.Order.Held(j)
	return len(a) > 0 && len(b) > 0 && in.Trace.Events[a[len(a)-1]].Site == in.Trace.Events[b[len(b)-1]].Site
}

// isReadAgain reports whether the goroutine reads the variable that it writes at position last in
// the same innermost critical section, before that and after position first.
func (in *Input) isReadAgain(first, last int) bool {
	acquires := in.Order.Held(last)
	if len(acquires) == 0 {
		return false
	}
	begin, obj := max(first, int(acquires[len(acquires)-1])), in.Trace.Events[last].Obj
	for i := in.Order.Program().Prev(last); i > begin; i = in.Order.Program().Prev(i) {
		if e := &in.Trace.Events[i]; e.Obj == obj && e.Kind == trace.Read {
			return true
		}
	}
	return false
}

// areSeparateUpdates reports whether the events of the given indices are all parts of updates, and no two
// of the same update.
func (in *Input) areSeparateUpdates(events, indices []int) bool {
	var updates []int
	for _, k := range indices {
		u := in.startOfUpdate(events[k])
		if u < 0 || slices.Contains(updates, u) {
			return false
		}
		updates = append(updates, u)
	}
	return true
}

// startOfUpdate returns the first event of the update that event i is part of, or -1.
func (in *Input) startOfUpdate(i int) int {
	e := &in.Trace.Events[i]
	if in.Trace.Sites[e.Site].IsUpdate && e.Kind != trace.Write {
		return i
	}
	if e.Kind != trace.Write {
		return -1
	}
	// The store of an update is the next event of its goroutine that is no read, nor
	// a value that is added.
	for k := in.Order.Program().Prev(i); k >= 0; k = in.Order.Program().Prev(k) {
		before := &in.Trace.Events[k]
		switch {
		case before.Kind == trace.Operand:
		case before.Kind != trace.Read:
			return -1
		case in.Trace.Sites[before.Site].IsUpdate && before.Obj == e.Obj:
			return k
		}
	}
	return -1
}
