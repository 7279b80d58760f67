package analysis

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file tells subtests apart. What one of them does otherwise than recorded does not matter to
// another one that uses nothing that it changes, as it is with tests: cases of a table that run in
// parallel are as many tests.

// subtests are those of a trace, by numbers. Each has the goroutine that t.Run has started and those
// that come of it, but for those of its own subtests. A top-level test is one, too.
type subtests struct {
	of        []int32   // by goroutine
	parent    []int32   // by subtest: -1 of a top-level one
	dependsOn [][]int32 // by subtest: others that have changed what it uses
}

// newSubtests returns those of the goroutines that are in; nil if all these are of one.
func newSubtests(subject *subject, in func(trace.GID) bool) *subtests {
	s := &subtests{of: make([]int32, len(subject.t.Goroutines))}
	begins := make([]bool, len(s.of)) // those that are of a subtest
	for i := range subject.t.Events {
		if e := &subject.t.Events[i]; e.Kind == trace.TestBegin {
			begins[e.G] = true
		}
	}
	some := 0
	for g := range s.of {
		its, is := &subject.t.Goroutines[g], in(trace.GID(g))
		parent := int32(-1)
		if !its.IsTest() && int(its.Parent) < g {
			parent = s.of[its.Parent]
			if !is || !begins[g] {
				s.of[g] = parent
				continue
			}
		}
		s.of[g] = int32(len(s.parent))
		s.parent = append(s.parent, parent)
		if is {
			some++
		}
	}
	if some <= 1 {
		return nil
	}
	s.findConflicts(subject, in)
	return s
}

// A used object is used by some subtests, and changed by some of these.
type used struct{ by, changed []int32 }

// A user is a subtest, by its number from 1 on, that uses a cell, and whether it has changed it.
type user struct {
	number  int32
	changed bool
}

// findConflicts finds out who dependsOn whom, by what the goroutines have done that are in. What package testing
// does for its own ends, as to let parallel tests begin, does not count.
func (s *subtests) findConflicts(subject *subject, in func(trace.GID) bool) {
	layout, sites := subject.layout(), subject.o.Sites()
	first := make([]user, layout.Cells()) // by cell: most are used by no other subtest
	cells, objects := make(map[int32]*used), make(map[uint64]*used)
	add := func(all *[]int32, n int32) {
		if !slices.Contains(*all, n) {
			*all = append(*all, n)
		}
	}
	for g, n := range s.of {
		if !in(trace.GID(g)) {
			continue
		}
		for i := range subject.o.Events(trace.GID(g)).All {
			e := &subject.t.Events[i]
			if e.Obj == 0 || trace.IsTestingFunction(sites.Of(e.Site).Func) {
				continue
			}
			switch e.Kind.Class() {
			case trace.ClassAccess:
				span := layout.Spans[layout.SpanOf[i]]
				for c := span.First; c < span.First+span.N; c++ {
					f, changes := &first[c], e.Stores()
					if f.number == 0 {
						f.number = n + 1
					}
					if f.number == n+1 {
						f.changed = f.changed || changes
						continue
					}
					u := usedIn(cells, c)
					if add(&u.by, n); changes {
						add(&u.changed, n)
					}
				}
			case trace.ClassLock, trace.ClassCond, trace.ClassChannel, trace.ClassWaitGroup, trace.ClassOnce:
				u := usedIn(objects, e.Obj)
				add(&u.by, n)
				add(&u.changed, n)
			}
		}
	}
	s.dependsOn = make([][]int32, len(s.parent))
	join := func(u *used) {
		for _, by := range u.by {
			for _, n := range u.changed {
				if n != by {
					add(&s.dependsOn[by], n)
				}
			}
		}
	}
	for c, u := range cells {
		f := first[c]
		if u.by = append(u.by, f.number-1); f.changed {
			u.changed = append(u.changed, f.number-1)
		}
		join(u)
	}
	for _, u := range objects {
		join(u)
	}
}

// usedIn returns what all has for a key, which it makes.
func usedIn[K comparable](all map[K]*used, key K) *used {
	u := all[key]
	if u == nil {
		u = new(used)
		all[key] = u
	}
	return u
}

// relevantTo returns which subtests may be something to what goroutines do: theirs, those that these are in
// or have, and whom one of them dependsOn.
func (s *subtests) relevantTo(goroutines []trace.GID) []bool {
	its := make([]bool, len(s.parent))
	var open []int32
	take := func(n int32) {
		if n >= 0 && !its[n] {
			its[n] = true
			open = append(open, n)
		}
	}
	for _, g := range goroutines {
		take(s.of[g])
	}
	for n := range s.parent { // parents come first
		if up := s.parent[n]; up >= 0 && its[up] {
			take(int32(n))
		}
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		take(s.parent[n])
		for _, other := range s.dependsOn[n] {
			take(other)
		}
	}
	return its
}
