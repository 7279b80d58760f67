package waits

import (
	"cmp"
	"slices"
	"sort"

	"github.com/gopredict/gopredict/recorder/trace"
)

// circle takes up dependencies that wait for each other, if acquires can stand at
// them at once. Those with the fewest acquires come first, so that the others are near.
func (f *finder) circle(deps []int32) {
	s := &sets{finder: f, left: 1 << 14}
	for _, n := range deps {
		s.lists = append(s.lists, f.owns(&f.deps[n]))
	}
	slices.SortStableFunc(s.lists, func(a, b []own) int { return cmp.Compare(acquires(a), acquires(b)) })
	s.add(nil)
	f.effort -= 1<<14 - s.left
	switch {
	case len(s.sets) > 0:
		f.found.Circles = append(f.found.Circles, Circle{s.sets, s.left >= 0 && !s.more})
	case s.ordered:
		f.found.Ordered++
	}
}

// An own is acquires of one goroutine, ascending.
type own struct {
	g    trace.GID
	acqs []int32
}

func acquires(owns []own) (n int) {
	for _, o := range owns {
		n += len(o.acqs)
	}
	return n
}

// owns returns the acquires of d by goroutine, those that acquire first come first.
func (f *finder) owns(d *dependency) []own {
	if d.owns != nil {
		return d.owns
	}
	at := make(map[trace.GID]int)
	for _, a := range d.acqs {
		g := f.t.Events[a].G
		k, ok := at[g]
		if !ok {
			k = len(d.owns)
			at[g] = k
			d.owns = append(d.owns, own{g: g})
		}
		d.owns[k].acqs = append(d.owns[k].acqs, a)
	}
	d.acqs = nil
	return d.owns
}

// sets gathers sets of acquires.
type sets struct {
	*finder
	lists   [][]own // by dependency of the circle
	sets    [][]int
	ordered bool // the must-order has kept acquires of different goroutines apart
	more    bool // not all sets are in
	left    int  // of the effort
}

// add adds the sets that begin with some acquires, one of each of the first lists.
func (s *sets) add(set []int) {
	if len(set) == len(s.lists) {
		set = slices.Clone(set)
		slices.Sort(set)
		s.sets = append(s.sets, set)
		return
	}
	for _, o := range s.lists[len(set)] {
		if slices.ContainsFunc(set, func(i int) bool { return s.t.Events[i].G == o.g }) {
			continue
		}
		free := s.free(set, o)
		s.ordered = s.ordered || len(free) < len(o.acqs)
		for _, a := range s.some(set, free) {
			if s.left--; s.left < 0 || len(s.sets) == MaxSets {
				s.more = true
				return
			}
			s.add(append(slices.Clip(set), int(a)))
		}
	}
}

// free returns the acquires of o at which its goroutine can stand while others stand at
// those of set, as far as the must-order tells. What of one goroutine must come before
// an event of another one, and what that must come before, leaves a stretch in between.
func (s *sets) free(set []int, o own) []int32 {
	from, to := 0, len(o.acqs)
	for _, i := range set {
		from = max(from, sort.Search(len(o.acqs), func(k int) bool { return !s.o.BeforeReached(int(o.acqs[k]), i) }))
		to = min(to, sort.Search(len(o.acqs), func(k int) bool { return s.o.BeforeReached(i, int(o.acqs[k])) }))
	}
	return o.acqs[min(from, to):to]
}

// maxOfOne is how many acquires of one goroutine are tried with the same others.
const maxOfOne = 4

// some returns the acquires to try, of those that are free: all, or the first ones, the
// last and the one that is nearest to what is in the set already.
func (s *sets) some(set []int, free []int32) []int32 {
	if len(free) <= maxOfOne {
		return free
	}
	s.more = true
	near := 0
	if len(set) > 0 {
		last := int32(set[len(set)-1])
		near, _ = slices.BinarySearch(free, last)
		if near == len(free) || near > 0 && last-free[near-1] < free[near]-last {
			near--
		}
	}
	some := []int32{free[near], free[0], free[1], free[len(free)-1]}
	slices.Sort(some)
	return slices.Compact(some)
}
