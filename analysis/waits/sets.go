package waits

import (
	"cmp"
	"slices"
	"sort"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file chooses sets of acquires for a cycle of dependencies: one acquire of each, of
// different goroutines, that the must-order allows to be reached at the same time. Later tiers
// look for a schedule for each set. So a few different sets are enough.

// addCycle adds a cycle of dependencies, if goroutines can be about to execute some of their
// acquires at the same time. Dependencies with the fewest acquires come first, so that the
// acquires of the others are chosen near to theirs.
func (f *finder) addCycle(dependencies []int32) {
	s := &setSearch{finder: f, effortLeft: setEffort}
	for _, n := range dependencies {
		s.lists = append(s.lists, f.acquiresOf(&f.dependencies[n]))
	}
	slices.SortStableFunc(s.lists, func(a, b []goroutineAcquires) int { return cmp.Compare(countAcquires(a), countAcquires(b)) })
	// The search has its own share of the effort, so that one cycle with many acquires does not
	// use up that of the others.
	s.add(nil)
	f.effort -= setEffort - s.effortLeft
	switch {
	case len(s.sets) > 0:
		f.found.Cycles = append(f.found.Cycles, Cycle{s.sets, s.effortLeft >= 0 && !s.incomplete})
	case s.orderExcluded:
		f.found.OrderedCycles++
	}
}

// countAcquires returns the number of acquires of all goroutines.
func countAcquires(all []goroutineAcquires) (n int) {
	for _, o := range all {
		n += len(o.acquires)
	}
	return n
}

// A setSearch looks for sets of acquires, one of each dependency of a cycle.
type setSearch struct {
	*finder
	lists         [][]goroutineAcquires // by dependency of the cycle
	sets          [][]int
	orderExcluded bool // the must-order has excluded acquires of different goroutines
	incomplete    bool // sets lacks some
	effortLeft    int
}

// add adds the sets that extend set, which has acquires of the first lists.
func (s *setSearch) add(set []int) {
	if len(set) == len(s.lists) {
		set = slices.Clone(set)
		slices.Sort(set)
		s.sets = append(s.sets, set)
		return
	}
	for _, o := range s.lists[len(set)] {
		if slices.ContainsFunc(set, func(i int) bool { return s.trace.Events[i].G == o.g }) {
			continue
		}
		possible := s.concurrent(set, o)
		s.orderExcluded = s.orderExcluded || len(possible) < len(o.acquires)
		for _, a := range s.chooseAcquires(set, possible) {
			if s.effortLeft--; s.effortLeft < 0 || len(s.sets) == MaxSets {
				s.incomplete = true
				return
			}
			s.add(append(slices.Clip(set), int(a)))
		}
	}
}

// concurrent returns the acquires of o that its goroutine can be about to execute while others
// are about to execute those of set, by the must-order. They are an interval: the acquires
// before it must come before an event of set, those after it must come after one.
func (s *setSearch) concurrent(set []int, o goroutineAcquires) []int32 {
	from, to := 0, len(o.acquires)
	for _, i := range set {
		from = max(from, sort.Search(len(o.acquires), func(k int) bool { return !s.order.BeforeReached(int(o.acquires[k]), i) }))
		to = min(to, sort.Search(len(o.acquires), func(k int) bool { return s.order.BeforeReached(i, int(o.acquires[k])) }))
	}
	return o.acquires[min(from, to):to]
}

// chooseAcquires returns the possible acquires to try: all, or the first two, the last and the
// one that is nearest to the last acquire of set.
func (s *setSearch) chooseAcquires(set []int, possible []int32) []int32 {
	if len(possible) <= maxAcquiresTried {
		return possible
	}
	s.incomplete = true
	nearest := 0
	if len(set) > 0 {
		last := int32(set[len(set)-1])
		nearest, _ = slices.BinarySearch(possible, last)
		if nearest == len(possible) || nearest > 0 && last-possible[nearest-1] < possible[nearest]-last {
			nearest--
		}
	}
	some := []int32{possible[nearest], possible[0], possible[1], possible[len(possible)-1]}
	slices.Sort(some)
	return slices.Compact(some)
}

// acquiresBeside returns acquires of a dependency that other goroutines can be about to execute
// while the goroutine of event i is about to execute i.
func (f *finder) acquiresBeside(i int32, d *dependency) (all []int32) {
	s := &setSearch{finder: f}
	for _, o := range f.acquiresOf(d) {
		if o.g != trace.GID(f.trace.Events[i].G) {
			all = append(all, s.chooseAcquires([]int{int(i)}, s.concurrent([]int{int(i)}, o))...)
		}
	}
	if s.incomplete {
		f.incompleteSites[f.trace.Events[i].Site] = true
	}
	return all
}
