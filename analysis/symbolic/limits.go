package symbolic

import (
	"maps"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A limits has by goroutine the first event that happens in no run to a target. Later events of the
// goroutine do not happen either. Most goroutines have no limit.
//
// An example: the target has a go statement pending. It does not happen then, and neither does any
// event of the goroutine that it starts, nor what must follow one of these.
type limits map[trace.GID]int32

// end returns the limit of goroutine g, or never.
func (l limits) end(g trace.GID) int32 {
	if i, ok := l[g]; ok {
		return i
	}
	return never
}

// allows reports whether event i of goroutine g may happen.
func (l limits) allows(g trace.GID, i int32) bool { return i < l.end(g) }

// intersect returns as limits only what neither l nor o allows: a cone that several targets share has
// the events that happen in runs to any of them.
func (l limits) intersect(o limits) limits {
	both := maps.Clone(l)
	for g, i := range l {
		if other := o.end(g); other == never {
			delete(both, g)
		} else {
			both[g] = max(i, other)
		}
	}
	return both
}

// limits returns which events below end happen in no run to t: those that must follow one of its
// Pending, and those that are impossible.
func (f *coneFinder) limits(t Target, end int32) limits {
	limit := make(limits)
	type stretch struct{ from, to int32 }
	var work []stretch
	cut := func(i int32) {
		if i >= end { // what follows it is beyond end, too
			return
		}
		if g := f.m.gid(i); limit.allows(g, i) {
			work = append(work, stretch{i, min(limit.end(g), end)})
			limit[g] = i
		}
	}
	for _, i := range t.Pending {
		cut(int32(i))
	}
	for i := range f.m.impossible {
		cut(i)
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		for e := range f.m.edgesFrom(f.m.gid(s.from), s.from, s.to).all {
			if !e.read || !f.m.allowsAnyValue(&t, e.to) {
				cut(e.to)
			}
		}
	}
	return limit
}
