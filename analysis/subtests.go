package analysis

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file separates subtests. If one of them departs from the recorded run, that does not matter to
// another one that uses nothing which the first one changes. The cases of a table that run in parallel
// are like as many tests.

// subtests are the subtests and top-level tests of a trace, by numbers. Each has the goroutine that t.Run
// started, and the goroutines that this one started, without those of its own subtests.
type subtests struct {
	of        []int32                     // by goroutine
	parent    []int32                     // by subtest: -1 of a top-level one
	dependsOn [][]int32                   // by subtest: others that have changed what it uses
	relevant  map[string]relevantSubtests // by the subtests of some goroutines
}

// relevantSubtests are the subtests that may matter to others.
type relevantSubtests struct {
	key        string
	isRelevant []bool // by subtest
}

// newSubtests returns the subtests of some goroutines; nil if all these are of one.
func newSubtests(subject *subject, has func(trace.GID) bool) *subtests {
	s := &subtests{of: make([]int32, len(subject.trace.Goroutines)), relevant: make(map[string]relevantSubtests)}
	begins := make([]bool, len(s.of)) // by goroutine: it begins a subtest
	for i := range subject.trace.Events {
		if e := &subject.trace.Events[i]; e.Kind == trace.TestBegin {
			begins[e.G] = true
		}
	}
	relevant := 0
	for g := range s.of {
		goroutine, isRelevant := &subject.trace.Goroutines[g], has(trace.GID(g))
		parent := int32(-1)
		if !goroutine.IsTest() && int(goroutine.Parent) < g {
			parent = s.of[goroutine.Parent]
			if !isRelevant || !begins[g] {
				s.of[g] = parent
				continue
			}
		}
		s.of[g] = int32(len(s.parent))
		s.parent = append(s.parent, parent)
		if isRelevant {
			relevant++
		}
	}
	if relevant <= 1 {
		return nil
	}
	s.findConflicts(subject, has)
	return s
}

// A usage is the subtests that use a cell of memory or an object, and those of them that change it.
type usage struct{ by, changed []int32 }

// add adds a use by a subtest.
func (u *usage) add(subtest int32, changes bool) {
	u.by = appendNew(u.by, subtest)
	if changes {
		u.changed = appendNew(u.changed, subtest)
	}
}

// appendNew appends n unless all has it.
func appendNew(all []int32, n int32) []int32 {
	if slices.Contains(all, n) {
		return all
	}
	return append(all, n)
}

// findConflicts finds out which subtests depend on which, by what some goroutines have done. What package
// testing does for its own ends, such as to start parallel tests, does not count.
func (s *subtests) findConflicts(subject *subject, has func(trace.GID) bool) {
	layout, sites := subject.layout(), subject.order.Sites()
	cells, objects := make([]usage, layout.Cells()), make(map[uint64]*usage)
	for g, subtest := range s.of {
		if !has(trace.GID(g)) {
			continue
		}
		for i := range subject.order.Events(trace.GID(g)).All {
			e := &subject.trace.Events[i]
			if e.Obj == 0 || trace.IsTestingFunction(sites.Of(e.Site).Func) {
				continue
			}
			switch e.Kind.Class() {
			case trace.ClassAccess:
				span := layout.Spans[layout.SpanOf[i]]
				for cell := span.First; cell < span.First+span.N; cell++ {
					cells[cell].add(subtest, e.Stores())
				}
			case trace.ClassLock, trace.ClassCond, trace.ClassChannel, trace.ClassWaitGroup, trace.ClassOnce:
				if objects[e.Obj] == nil {
					objects[e.Obj] = new(usage)
				}
				objects[e.Obj].add(subtest, true)
			}
		}
	}
	s.dependsOn = make([][]int32, len(s.parent))
	for k := range cells {
		s.addDependences(&cells[k])
	}
	for _, u := range objects {
		s.addDependences(u)
	}
}

// addDependences makes each user of a cell or object depend on the others that change it.
func (s *subtests) addDependences(u *usage) {
	for _, by := range u.by {
		for _, n := range u.changed {
			if n != by {
				s.dependsOn[by] = appendNew(s.dependsOn[by], n)
			}
		}
	}
}

// relevantTo returns which subtests may matter to what goroutines do: their own, those that contain these
// or are contained in them, and those on which one of them depends.
// Findings are many, and their subtests few.
func (s *subtests) relevantTo(goroutines []trace.GID) relevantSubtests {
	var own []int32
	for _, g := range goroutines {
		own = append(own, s.of[g])
	}
	slices.Sort(own)
	own = slices.Compact(own)
	key := fmt.Sprint(own)
	known, ok := s.relevant[key]
	if !ok {
		known.isRelevant = s.findRelevant(own)
		known.key = fmt.Sprint(known.isRelevant)
		s.relevant[key] = known
	}
	return known
}

// findRelevant is relevantTo for goroutines of some subtests.
func (s *subtests) findRelevant(own []int32) []bool {
	relevant := make([]bool, len(s.parent))
	var work []int32
	add := func(n int32) {
		if n >= 0 && !relevant[n] {
			relevant[n] = true
			work = append(work, n)
		}
	}
	for _, n := range own {
		add(n)
	}
	for n, parent := range s.parent { // parents come first
		if parent >= 0 && relevant[parent] {
			add(int32(n))
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		add(s.parent[n])
		for _, other := range s.dependsOn[n] {
			add(other)
		}
	}
	return relevant
}
