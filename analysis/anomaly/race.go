// Package anomaly searches a trace for access anomalies: races, and patterns of
// more accesses that another interleaving of the same events could perform in a
// harmful order (Huang and Zhang, ISSTA 2011, §3 to §5).
//
// It takes a trace and its [order.Order], and returns candidates: what the
// must-order and the lock sets do not exclude. [FindRaces] finds races;
// [Search] finds patterns, the [Builtin] ones and those that [ParsePatterns]
// reads, in the atomic regions that [FindRegions] finds. Whether a candidate can
// happen is for package causality to refute, for package schedule to try, and
// for package feasible to judge.
package anomaly

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Candidate is a possible race between two places of the program.
type Candidate struct {
	// Pairs are pairs of accesses that may race. The earlier access of a pair comes first; pairs
	// that are close together in the trace come before others. There are between one and MaxPairs
	// of them.
	Pairs [][2]int
	// RepeatedPairs are pairs whose later access repeats an earlier access of its goroutine,
	// closest pairs first. There are at most MaxPairs/2 of them.
	RepeatedPairs [][2]int
	// Exhaustive is set if Pairs has every pair of the two places that may race. If none of them
	// can, the candidate is refuted.
	Exhaustive bool
	// Places are the keys of the two places, as [ConflictSetsAt] takes them.
	Places [2]uint64
}

// MaxPairs is the number of pairs that a candidate keeps. All pairs of one candidate are the same
// bug to the reader. More than one is needed because the first may be infeasible where another is
// not.
const MaxPairs = 8

// maxComparedPairs bounds how many pairs of one candidate are compared by distance, and separately
// how many of its repeated pairs.
const maxComparedPairs = 64

// Races is what the search for races found. Its numbers count unordered pairs
// of places.
type Races struct {
	Candidates []Candidate // in the order of their first pairs
	Conflicts  int         // accesses by different goroutines to the same memory, one of them a write
	Locked     int         // conflicts whose pairs are all excluded by a common lock
	Ordered    int         // conflicts whose pairs are all excluded by a common lock or the must-order, some by the latter
}

// FindRaces returns the pairs of places with conflicting accesses that satisfy PECAN's mutation
// condition (Algorithm 1, which is printed with the lock test inverted): the two accesses have no
// lock in common, unless both hold it for reading, and the must-order lets both goroutines reach
// them.
//
// [order.Access] says which accesses conflict. Two atomic operations do not, an atomic and a plain
// access do, and so do a send and a close. Accesses of different sizes conflict where they overlap.
//
// If a goroutine repeats an access at one place, under the same locks and without communication in
// between, the accesses count once before and once after another goroutine's access. This makes the
// search linear in the number of accesses, times the number of goroutines at each location.
//
// Example: goroutine 1 does "acq l, w x, rel l", goroutine 2 does "acq m, w x, rel m". The writes
// have no lock in common and nothing orders them: they are a candidate. With l in place of m, the
// conflict would count as locked.
func FindRaces(t *trace.Trace, o *order.Order) *Races {
	f := &raceFinder{t: t, o: o, sites: o.Sites(), pairs: make(map[[2]uint64]*placePair), incomplete: make(map[uint64]bool)}
	groups := o.Groups()
	for k := range groups {
		f.searchGroup(&groups[k])
	}
	return f.result()
}

// An accessClass identifies accesses that differ only in their goroutine and their position in the
// trace. So it is enough to decide once for two classes whether they conflict, and whether locks
// exclude them.
type accessClass struct {
	location int32 // its index in the group
	site     uint64
	locks    int32 // index into finder.lockSets
	access   order.Access
}

// A classAccesses is the accesses of one class that the search has seen so far.
type classAccesses struct {
	accessClass
	latestSpans       []accessSpan      // one for each goroutine, unless a later span must happen after it
	lastAccess        int32             // the last access that was compared with all conflicting classes
	spanIndex         map[trace.GID]int // by goroutine: index into latestSpans
	severalGoroutines bool              // several goroutines have accesses of the class
	pruneLength       int               // the length of latestSpans at which it is pruned
	conflicting       []conflictingClass
	next              *classAccesses // the class that followed last time, likely to follow again
}

// An accessSpan is the first and the last access of one goroutine in one class. What must come after
// last must come after first, so last decides whether anything may race. The other end gives a second
// pair, which may be feasible where that one is not.
type accessSpan struct {
	g           trace.GID
	first, last int32
}

// A conflictingClass is a class whose accesses conflict with those of another class.
type conflictingClass struct {
	*classAccesses
	*placePair
	excluded bool // a common lock excludes the two classes
}

// A placePair is the result of the search for two places.
type placePair struct {
	sites        [2]uint64
	conflict     bool
	someUnlocked bool // some conflict is not excluded by a lock
	regular      nearestPairs
	repeated     nearestPairs // pairs whose later access is a repeated one
}

// nearestPairs counts pairs of accesses and keeps the closest ones.
type nearestPairs struct {
	seen    int
	nearest [][2]int
}

// A raceFinder searches a trace for races.
type raceFinder struct {
	t          *trace.Trace
	o          *order.Order
	sites      *trace.SiteIndex
	pairs      map[[2]uint64]*placePair
	incomplete map[uint64]bool // places at which some accesses were skipped

	lockSets [][]order.Lock // the lock sets of the current group, see sharedLocks
}

// site returns the key of a site: equal for sites at the same place of the program.
func (f *raceFinder) site(id trace.SiteID) uint64 {
	return placeOf(f.sites, id)
}

// searchGroup searches the accesses of one group of overlapping locations.
func (f *raceFinder) searchGroup(g *order.Group) {
	locks := f.sharedLocks(g)
	classes := make(map[accessClass]*classAccesses)
	byLoc := make([][]*classAccesses, len(g.Locations))
	last := new(classAccesses)
	// Each access is compared with earlier ones only. So the earlier access of a pair comes first.
	for k, i := range g.Events {
		e := &f.t.Events[i]
		c := accessClass{g.LocationOf[k], f.site(e.Site), 0, g.Accesses[k]}
		if set := f.o.LockSet(int(i)); set != 0 {
			c.locks = locks[set]
		}
		w := last.next // classes mostly follow each other in the same order
		if w == nil || w.accessClass != c {
			w = classes[c]
		}
		if w == nil {
			w = &classAccesses{accessClass: c, spanIndex: make(map[trace.GID]int), pruneLength: 16}
			classes[c] = w
			byLoc[c.location] = append(byLoc[c.location], w)
			f.linkConflicting(g, byLoc, w)
		}
		last.next, last = w, w
		f.addAccess(w, e.G, i)
	}
}

// sharedLocks numbers the lock sets of a group by the locks that several goroutines hold there. A
// lock that only one goroutine holds excludes no pair, and there can be as many of those as
// accesses: for example, a lock in each object that serves one request. The sets are stored in
// f.lockSets.
func (f *raceFinder) sharedLocks(g *order.Group) map[order.LockSet]int32 {
	type holder struct {
		set order.LockSet
		g   trace.GID
	}
	seen := make(map[holder]bool)
	of := map[order.LockSet]int32{0: 0}
	by := make(map[uint64]trace.GID)
	many := make(map[uint64]bool)
	var last holder
	for _, i := range g.Events {
		h := holder{f.o.LockSet(int(i)), f.t.Events[i].G}
		if h.set == 0 || h == last || seen[h] {
			continue
		}
		seen[h], last = true, h
		of[h.set] = 0
		for _, l := range f.o.Locks(h.set) {
			if one, ok := by[l.Obj]; ok && one != h.g {
				many[l.Obj] = true
			}
			by[l.Obj] = h.g
		}
	}
	// The sets are numbered in sorted order, so that the numbers do not depend on that of the map.
	numbers := make(map[string]int32)
	f.lockSets = [][]order.Lock{nil}
	for _, set := range slices.Sorted(maps.Keys(of)) {
		left := slices.DeleteFunc(slices.Clone(f.o.Locks(set)), func(l order.Lock) bool { return !many[l.Obj] })
		if len(left) == 0 {
			continue
		}
		key := fmt.Sprint(left)
		if _, ok := numbers[key]; !ok {
			numbers[key] = int32(len(f.lockSets))
			f.lockSets = append(f.lockSets, left)
		}
		of[set] = numbers[key]
	}
	return of
}

// linkConflicting connects a new class w with all classes that it conflicts with.
func (f *raceFinder) linkConflicting(g *order.Group, byLoc [][]*classAccesses, w *classAccesses) {
	for at := range g.Overlaps.Of(w.location) {
		for _, v := range byLoc[at] {
			if !w.access.Conflicts(v.access) {
				continue
			}
			p, excluded := f.pair(w.site, v.site), order.Exclude(f.lockSets[w.locks], f.lockSets[v.locks])
			w.conflicting = append(w.conflicting, conflictingClass{v, p, excluded})
			if v != w {
				v.conflicting = append(v.conflicting, conflictingClass{w, p, excluded})
			}
		}
	}
}

// pair returns the pair of two places, which it creates if it is new.
func (f *raceFinder) pair(a, b uint64) *placePair {
	sites := [2]uint64{min(a, b), max(a, b)}
	p := f.pairs[sites]
	if p == nil {
		p = &placePair{sites: sites}
		f.pairs[sites] = p
	}
	return p
}

// addAccess adds access i of goroutine g to class w and compares it with the conflicting classes. Of
// each goroutine only the first access of the class and the last are kept for later comparisons. Where
// one in between is skipped, the candidate is not exhaustive.
func (f *raceFinder) addAccess(w *classAccesses, g trace.GID, i int32) {
	k, again := w.spanIndex[g]
	if again {
		f.incomplete[w.site] = true
		if v := &w.latestSpans[k]; f.o.Segment(int(v.last)) == f.o.Segment(int(i)) {
			// It has the same order as the previous access, so only later accesses need comparing.
			for _, r := range w.conflicting {
				if r.lastAccess > v.last {
					f.compare(r, g, i, v.last)
				}
			}
			v.last = i
			return
		}
	}
	for _, r := range w.conflicting {
		f.compare(r, g, i, -1)
	}
	w.lastAccess = i
	if again {
		w.latestSpans[k].last = i
		return
	}
	if len(w.latestSpans) >= w.pruneLength {
		f.dropOrderedBefore(w, i)
	}
	w.severalGoroutines = w.severalGoroutines || len(w.spanIndex) > 0
	w.spanIndex[g] = len(w.latestSpans)
	w.latestSpans = append(w.latestSpans, accessSpan{g, i, i})
}

// compare notes which accesses of class r may race with access i of goroutine g. It considers only
// accesses of r that are not before position after; -1 means all of them.
func (f *raceFinder) compare(r conflictingClass, g trace.GID, i, after int32) {
	// No goroutine but g has accesses of class r so far.
	if _, in := r.spanIndex[g]; !r.classAccesses.severalGoroutines && (in || len(r.spanIndex) == 0) {
		return
	}
	// The flags grow from conflict to unlocked to possible race. [Races] counts a pair by the last
	// stage reached.
	r.conflict = true
	if r.excluded {
		return
	}
	r.someUnlocked = true
	into, most := &r.regular, MaxPairs
	if after >= 0 {
		into, most = &r.repeated, MaxPairs/2
	}
	for _, v := range r.latestSpans {
		if into.seen >= maxComparedPairs {
			return
		}
		if v.g == g || v.last < after {
			continue
		}
		if !f.o.BeforeReached(int(v.last), int(i)) {
			into.add(int(v.last), int(i), most)
		}
		if v.first != v.last && v.first > after && !f.o.BeforeReached(int(v.first), int(i)) {
			into.add(int(v.first), int(i), most)
		}
	}
}

// dropOrderedBefore drops the spans of w that must happen before access i, which is about to be
// added. Whatever may race with one of their accesses may race with i.
func (f *raceFinder) dropOrderedBefore(w *classAccesses, i int32) {
	w.latestSpans = slices.DeleteFunc(w.latestSpans, func(v accessSpan) bool { return f.o.Before(int(v.last), int(i)) })
	f.incomplete[w.site] = true
	w.severalGoroutines = true
	clear(w.spanIndex)
	for k, v := range w.latestSpans {
		w.spanIndex[v.g] = k
	}
	// The list must double before it is pruned again. So pruning takes constant time per access on
	// average.
	w.pruneLength = max(16, 2*len(w.latestSpans))
}

// add counts a pair and keeps it if it is among the closest ones; at most `most` pairs are kept.
func (f *nearestPairs) add(i, j, most int) {
	f.seen++
	at, _ := slices.BinarySearchFunc(f.nearest, [2]int{i, j}, compareDistance)
	if f.nearest = slices.Insert(f.nearest, at, [2]int{i, j}); len(f.nearest) > most {
		f.nearest = f.nearest[:most]
	}
}

// compareDistance compares two pairs by the distance of their accesses, then by position.
func compareDistance(a, b [2]int) int {
	return cmp.Or(cmp.Compare(a[1]-a[0], b[1]-b[0]), cmp.Compare(a[0], b[0]))
}

// result returns the candidates, and the counts of pairs that were refuted.
func (f *raceFinder) result() *Races {
	r := new(Races)
	for _, p := range f.pairs {
		if !p.conflict {
			continue
		}
		r.Conflicts++
		switch {
		case p.regular.seen > 0:
			r.Candidates = append(r.Candidates, Candidate{
				Pairs:         p.regular.nearest,
				RepeatedPairs: p.repeated.nearest,
				Exhaustive:    p.regular.seen <= MaxPairs && !f.incomplete[p.sites[0]] && !f.incomplete[p.sites[1]],
				Places:        p.sites,
			})
		case p.someUnlocked:
			r.Ordered++
		default:
			r.Locked++
		}
	}
	// Two accesses have one pair of places, so no two candidates have equal first pairs. The order
	// does not depend on that of the map.
	slices.SortFunc(r.Candidates, func(a, b Candidate) int {
		x, y := a.Pairs[0], b.Pairs[0]
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	return r
}
