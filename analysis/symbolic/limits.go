package symbolic

import (
	"maps"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Limits are the first event of each goroutine that happens in no run.
type limits struct {
	firstImpossible []int32     // by goroutine, one more than its position; 0: there is none
	goroutines      []trace.GID // those that may have one: of a million there may be few
}

func (f *coneFinder) noLimits() limits { return limits{firstImpossible: f.perGoroutine()} }

// zeros returns a number for each goroutine, of what was spared if there is some: of a million goroutines
// most cones have few.
func (f *coneFinder) perGoroutine() []int32 {
	if n := len(f.recycled); n > 0 {
		its := f.recycled[n-1]
		f.recycled = f.recycled[:n-1]
		return its
	}
	return make([]int32, len(f.m.t.Goroutines))
}

// spare hands back what zeros has returned, of which the numbers of gs may be set.
func (f *coneFinder) recycle(its []int32, gs []trace.GID) {
	for _, g := range gs {
		its[g] = 0
	}
	if its != nil { // without targets there are no limits
		f.recycled = append(f.recycled, its)
	}
}

// allow reports whether event i of goroutine g may happen.
func (l *limits) allows(g trace.GID, i int32) bool {
	return l.firstImpossible[g] == 0 || i < l.firstImpossible[g]-1
}

// at returns where that of goroutine g is, or never.
func (l *limits) end(g trace.GID) int32 {
	if l.firstImpossible[g] == 0 {
		return never
	}
	return l.firstImpossible[g] - 1
}

// set sets that of goroutine g to event i.
func (l *limits) set(g trace.GID, i int32) {
	if l.firstImpossible[g] == 0 {
		l.goroutines = append(l.goroutines, g)
	}
	l.firstImpossible[g] = i + 1
}

// and leaves what happens neither by l nor by o.
func (l *limits) intersect(o limits) {
	for _, g := range l.goroutines {
		if l.firstImpossible[g] = max(l.firstImpossible[g], o.firstImpossible[g]); o.firstImpossible[g] == 0 {
			l.firstImpossible[g] = 0
		}
	}
	l.goroutines = slices.DeleteFunc(l.goroutines, func(g trace.GID) bool { return l.firstImpossible[g] == 0 })
}

// limits returns what happens below end in no run to t.
func (f *coneFinder) limits(t Target, end int32) limits {
	stops := make([]int32, len(t.Stands))
	for k, i := range t.Stands {
		stops[k] = int32(i)
	}
	last := make(map[trace.GID]int32) // where t may depart: what must come after the last place in a goroutine comes after all there
	for _, i := range t.Departs {
		last[f.m.gid(int32(i))] = int32(i)
	}
	far := func(i int32) bool { return end-i > maxBehind }
	if len(last) == 0 || len(last) > maxDeparting || slices.ContainsFunc(slices.Collect(maps.Values(last)), far) {
		return f.limitsAfter(t, end, stops)
	}
	var all limits
	for _, i := range last {
		after := stops
		if next := f.m.next(i); next != none { // the place itself is in the formula
			after = append(slices.Clone(stops), next)
		}
		if l := f.limitsAfter(t, end, after); all.firstImpossible == nil {
			all = l
		} else {
			all.intersect(l)
			f.recycle(l.firstImpossible, l.goroutines)
		}
	}
	return all
}

// limited returns what must come after one of stops, or happens in no run at all, below end.
func (f *coneFinder) limitsAfter(t Target, end int32, stops []int32) limits {
	limit := f.noLimits()
	type stretch struct{ from, to int32 }
	var work []stretch
	cut := func(i int32) {
		if i >= end { // what comes after it is behind end, too
			return
		}
		if g := f.m.gid(i); limit.allows(g, i) {
			work = append(work, stretch{i, min(limit.end(g), end)})
			limit.set(g, i)
		}
	}
	for _, i := range stops {
		cut(i)
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
