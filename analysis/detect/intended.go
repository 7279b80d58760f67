package detect

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/recorder/trace"
)

// isIntended reports whether a match of the pattern is mostly meant to be so:
//
//   - All accesses to one of the variables are parts of whole updates, such as
//     x++. Their order makes no difference.
//   - A critical section accesses something that is atomic by itself: programs
//     that use sync/atomic there expect others in between. But what the section
//     has read may be out of date when it writes.
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
		if len(ks) < 2 || regions.Marked(i) || slices.ContainsFunc(ks, func(k int) bool { return in.Trace.Events[events[k]].Kind.IsPlain() }) {
			continue
		}
		first, last := pattern.Events[ks[0]], pattern.Events[ks[len(ks)-1]]
		if first.Variable != last.Variable || first.Write || !last.Write {
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
