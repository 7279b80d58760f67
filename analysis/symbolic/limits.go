package symbolic

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Limits are, by goroutine, the first event that happens in no run to a target.
type limits struct {
	firstImpossible []int32     // by goroutine: one more than the position; 0: there is no limit
	goroutines      []trace.GID // those that may have a limit; of a million there may be few
}

func (f *coneFinder) noLimits() limits { return limits{firstImpossible: f.perGoroutine()} }

// perGoroutine returns a zero for each goroutine. It reuses what was recycled, as of a million
// goroutines most cones have few.
func (f *coneFinder) perGoroutine() []int32 {
	if n := len(f.recycled); n > 0 {
		its := f.recycled[n-1]
		f.recycled = f.recycled[:n-1]
		return its
	}
	return make([]int32, len(f.m.t.Goroutines))
}

// recycle takes back what perGoroutine returned; only the entries of gs may be set.
func (f *coneFinder) recycle(its []int32, gs []trace.GID) {
	for _, g := range gs {
		its[g] = 0
	}
	if its != nil { // a cone without targets has no limits
		f.recycled = append(f.recycled, its)
	}
}

// allows reports whether event i of goroutine g may happen.
func (l *limits) allows(g trace.GID, i int32) bool {
	return l.firstImpossible[g] == 0 || i < l.firstImpossible[g]-1
}

// end returns the limit of goroutine g, or never.
func (l *limits) end(g trace.GID) int32 {
	if l.firstImpossible[g] == 0 {
		return never
	}
	return l.firstImpossible[g] - 1
}

// set makes event i the limit of goroutine g.
func (l *limits) set(g trace.GID, i int32) {
	if l.firstImpossible[g] == 0 {
		l.goroutines = append(l.goroutines, g)
	}
	l.firstImpossible[g] = i + 1
}

// intersect keeps as limits only what neither l nor o allows.
func (l *limits) intersect(o limits) {
	for _, g := range l.goroutines {
		if l.firstImpossible[g] = max(l.firstImpossible[g], o.firstImpossible[g]); o.firstImpossible[g] == 0 {
			l.firstImpossible[g] = 0
		}
	}
	l.goroutines = slices.DeleteFunc(l.goroutines, func(g trace.GID) bool { return l.firstImpossible[g] == 0 })
}

// limits returns which events below end happen in no run to t: those that must follow one of its
// Stands, and those that are impossible.
func (f *coneFinder) limits(t Target, end int32) limits {
	limit := f.noLimits()
	type stretch struct{ from, to int32 }
	var work []stretch
	cut := func(i int32) {
		if i >= end { // what follows it is beyond end, too
			return
		}
		if g := f.m.gid(i); limit.allows(g, i) {
			work = append(work, stretch{i, min(limit.end(g), end)})
			limit.set(g, i)
		}
	}
	for _, i := range t.Stands {
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
