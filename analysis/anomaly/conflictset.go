package anomaly

import (
	"iter"
	"math"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A ConflictSet is accesses of two goroutines to the same memory. Each access in First conflicts
// with each access in Second, and no lock excludes the pair. All accesses of a list have one location
// and access type, and the same locks of those that several goroutines hold. So one check of the
// conflict and of the locks stands for all pairs.
//
// Example: goroutine 1 writes x at positions 3 and 9, goroutine 2 reads it at 5 and 7. Without locks,
// the set is First [3 9], Second [5 7].
type ConflictSet struct{ First, Second []int32 } // positions, ascending

// maxConflictSets bounds the conflict sets of two places.
const maxConflictSets = 1 << 12

// ConflictSetsAt returns, for each of the given pairs of places ([Candidate.Places]), all conflict
// sets whose accesses are at these places. It skips no access, unlike [FindRaces], and ignores the
// must-order. Sets are in the order of their memory; nil means that there are too many.
func ConflictSetsAt(t *trace.Trace, o *order.Order, places [][2]uint64) [][]ConflictSet {
	s := newConflictSearch(t, o, len(places), maxConflictSets)
	for k, p := range places {
		s.indexByPlaces[p] = k
		s.wantedPlaces[p[0]], s.wantedPlaces[p[1]] = true, true
	}
	s.placeOfAccess = func(i int32) (uint64, bool) {
		site := s.site(t.Events[i].Site)
		return site, s.wantedPlaces[site]
	}
	return s.search()
}

// AllConflictSets returns the conflict sets of all places together, in the order of their memory.
// It ignores the must-order.
func AllConflictSets(t *trace.Trace, o *order.Order) []ConflictSet {
	s := newConflictSearch(t, o, 1, math.MaxInt)
	// Place 0 stands for all, so that the lists differ in location, access and locks only.
	s.indexByPlaces[[2]uint64{}] = 0
	s.placeOfAccess = func(int32) (uint64, bool) { return 0, true }
	return s.search()[0]
}

// newConflictSearch returns a search for the conflict sets of so many pairs of places. The embedded
// raceFinder only serves for places and lock sets; it records no pairs.
func newConflictSearch(t *trace.Trace, o *order.Order, pairs, maxSets int) *conflictSearch {
	return &conflictSearch{
		raceFinder: raceFinder{t: t, o: o, sites: o.Sites()}, indexByPlaces: make(map[[2]uint64]int), wantedPlaces: make(map[uint64]bool),
		sets: make([][]ConflictSet, pairs), exceeded: make([]bool, pairs), maxSets: maxSets,
	}
}

// search returns the conflict sets of each pair of places, nil where there are too many.
func (s *conflictSearch) search() [][]ConflictSet {
	groups := s.o.Groups()
	for k := range groups {
		s.searchGroup(&groups[k])
	}
	for k, exceeded := range s.exceeded {
		if exceeded {
			s.sets[k] = nil
		}
	}
	return s.sets
}

// A conflictSearch searches a trace for conflict sets.
type conflictSearch struct {
	raceFinder
	// The smaller key comes first in a pair of places, as in [Candidate.Places].
	indexByPlaces map[[2]uint64]int // by pair of places: index into sets
	wantedPlaces  map[uint64]bool
	placeOfAccess func(i int32) (place uint64, wanted bool) // the place of an access, and whether it is wanted
	sets          [][]ConflictSet
	exceeded      []bool // by pair of places: there are more than maxSets
	maxSets       int    // bound on the sets of one pair of places
}

// An accessList is the accesses of one class by one goroutine, ascending. One list is part of many
// conflict sets, which share its events.
type accessList struct {
	accessClass
	g      trace.GID
	events []int32
}

// searchGroup adds the conflict sets of one group of overlapping locations.
func (s *conflictSearch) searchGroup(g *order.Group) {
	var locks map[order.LockSet]int32 // computed at the first wanted access
	type key struct {
		accessClass
		g trace.GID
	}
	files := make(map[key]*accessList)
	var byLoc [][]*accessList
	for k, i := range g.Events {
		e := &s.t.Events[i]
		site, ok := s.placeOfAccess(i)
		if !ok {
			continue
		}
		// sharedLocks examines all events of the group, and most groups have no wanted access.
		if locks == nil {
			locks, byLoc = s.sharedLocks(g), make([][]*accessList, len(g.Locations))
		}
		c := accessClass{g.LocationOf[k], site, locks[s.o.LockSet(int(i))], g.Accesses[k]}
		f := files[key{c, e.G}]
		if f == nil {
			f = &accessList{accessClass: c, g: e.G}
			files[key{c, e.G}] = f
			byLoc[c.location] = append(byLoc[c.location], f)
		}
		f.events = append(f.events, i)
	}
	for at, fs := range byLoc {
		for n, f := range fs {
			for other := range g.Overlaps.Of(int32(at)) {
				// Overlap is symmetric: this pair of locations had its turn when the loop was at
				// other.
				if other < int32(at) {
					continue
				}
				from := 0
				// Two lists of one location must meet once only, so f meets those after it.
				if other == int32(at) {
					from = n + 1
				}
				for _, h := range byLoc[other][from:] {
					s.addConflictSet(f, h)
				}
			}
		}
	}
}

// addConflictSet adds the conflict set of two lists, unless they do not conflict, a lock excludes
// them, or there are too many sets.
func (s *conflictSearch) addConflictSet(f, h *accessList) {
	k, ok := s.indexByPlaces[[2]uint64{min(f.site, h.site), max(f.site, h.site)}]
	if !ok || s.exceeded[k] || f.g == h.g || !f.access.Conflicts(h.access) || order.Exclude(s.lockSets[f.locks], s.lockSets[h.locks]) {
		return
	}
	if len(s.sets[k]) == s.maxSets {
		s.exceeded[k] = true
		return
	}
	// All lists of the group are complete by now, so the set needs no copies.
	s.sets[k] = append(s.sets[k], ConflictSet{f.events, h.events})
}

// An Ordering says which accesses must come before which, as [order.Order] does. BeforeReached is the
// right question for a race: both goroutines are about to execute their accesses. What j itself waits
// for, or reads, is then no obstacle.
type Ordering interface {
	// BeforeReached reports whether event i must happen before the goroutine of event j can be
	// about to execute j.
	BeforeReached(i, j int) bool
}

// possiblePairs yields, for each index k of r.First, the range [lo, hi) of indices of r.Second
// whose accesses can be concurrent with it by the must-order. It skips empty ranges. Both bounds
// only grow. The partners of an access are a range: those before lo must come earlier, those from hi
// on later. Example: First is [3 9], Second is [5 7 12], 5 must happen before 9, and 9 before 12.
// Then 3 has the partners 5 and 7, and 9 has 7 only. All pairs are found with a number of questions
// to the order that is linear in the accesses.
func (r *ConflictSet) possiblePairs(o Ordering, yield func(k, lo, hi int) bool) {
	lo, hi := 0, 0
	for k, i := range r.First {
		// Whatever is before i is before all later accesses; whatever is after i was after all earlier ones.
		for lo < len(r.Second) && r.Second[lo] < i && o.BeforeReached(int(r.Second[lo]), int(i)) {
			lo++
		}
		for hi = max(hi, lo); hi < len(r.Second) && !o.BeforeReached(int(i), int(r.Second[hi])); hi++ {
		}
		if lo < hi && !yield(k, lo, hi) {
			return
		}
	}
}

// EarlierPartners yields each access of r.Second together with the accesses of r.First that precede
// it in the trace and can be concurrent with it by the must-order. It skips accesses without
// partners.
//
// Example: First is [3 9], Second is [5 12], and nothing is ordered. Then 5 has the partner 3, and 12
// has 3 and 9.
func (r *ConflictSet) EarlierPartners(o Ordering) iter.Seq2[int32, []int32] {
	return func(yield func(int32, []int32) bool) {
		lo, hi := 0, 0
		for _, j := range r.Second {
			for hi < len(r.First) && r.First[hi] < j {
				hi++
			}
			// The must-order agrees with the trace, so no access before j must come after it. Only
			// the lower bound has to ask.
			for lo < hi && o.BeforeReached(int(r.First[lo]), int(j)) {
				lo++
			}
			if lo < hi && !yield(j, r.First[lo:hi]) {
				return
			}
		}
	}
}

// AdjacentPairs yields the pairs of r without another access of r between them in the trace. The
// earlier access comes first.
//
// Example: First [3 9] and Second [5 7] have the adjacent pairs (3, 5) and (7, 9).
func (r *ConflictSet) AdjacentPairs() iter.Seq[[2]int] {
	return func(yield func([2]int) bool) {
		first, second := r.First, r.Second
		for len(first) > 0 && len(second) > 0 {
			if first[0] > second[0] {
				first, second = second, first
			}
			// The last access before the other list's next one is its neighbour.
			for len(first) > 1 && first[1] < second[0] {
				first = first[1:]
			}
			if !yield([2]int{int(first[0]), int(second[0])}) {
				return
			}
			first = first[1:]
		}
	}
}

// CountPairs returns the number of pairs of r that can be concurrent by the must-order. The number of
// pairs is quadratic in the accesses; it is cut off at math.MaxInt32.
func (r *ConflictSet) CountPairs(o Ordering) (n int) {
	r.possiblePairs(o, func(_, lo, hi int) bool {
		n = min(n+hi-lo, math.MaxInt32)
		return true
	})
	return n
}

// AppendPairs appends to pairs those of r that can be concurrent by the must-order, the earlier
// access first. It stops once pairs has more than `most` elements.
func (r *ConflictSet) AppendPairs(pairs [][2]int, o Ordering, most int) [][2]int {
	r.possiblePairs(o, func(k, lo, hi int) bool {
		for _, j := range r.Second[lo:hi] {
			if len(pairs) > most {
				return false
			}
			i, j := int(r.First[k]), int(j)
			pairs = append(pairs, [2]int{min(i, j), max(i, j)})
		}
		return true
	})
	return pairs
}
