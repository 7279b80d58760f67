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
	// Pairs are accesses that may race, the earlier one first; pairs that are
	// near to each other in the trace come before others. There is at least one,
	// and at most MaxPairs.
	Pairs [][2]int
	// Again are pairs, near ones first, of which the later access is a repeated one:
	// half as many at most.
	Again [][2]int
	// Exhaustive is set if Pairs has all pairs of the two places that may
	// race, so that nothing is left if none of them can.
	Exhaustive bool
	// Places are the two, as [Rows] knows them.
	Places [2]uint64
}

// MaxPairs is the number of pairs that a candidate keeps. All pairs of one
// candidate are the same bug to the reader; more than one is needed because
// the first may be infeasible where another is not.
const MaxPairs = 8

// maxSeen bounds the search for near pairs of one candidate, and again that for those of
// repeated accesses.
const maxSeen = 64

// Races is what the search for races found. Its numbers count unordered pairs
// of places.
type Races struct {
	Candidates []Candidate // in the order of their first pairs
	Conflicts  int         // accesses by different goroutines to the same memory, one of them a write
	Locked     int         // conflicts of which all are excluded by a common lock
	Ordered    int         // conflicts of which all others are excluded by the must-order
}

// FindRaces returns the pairs of places with conflicting accesses that satisfy
// PECAN's mutation condition (Algorithm 1; as printed it has the lock test the
// wrong way round): they have no lock in common, unless both hold it for
// reading, and the must-order lets both goroutines reach them.
//
// Which accesses conflict [order.Access] says: two atomic operations do not, an
// atomic and a plain one do, and so do a send and a close. Accesses of different
// sizes conflict where they overlap.
//
// Repeated accesses by one goroutine of one place, under the same locks and
// with no communication in between, count once before and once after another
// goroutine's; the search is then linear in the number of accesses, times the number
// of goroutines at each location.
func FindRaces(t *trace.Trace, o *order.Order) *Races {
	f := &finder{t: t, o: o, sites: o.Sites(), pairs: make(map[[2]uint64]*pair), lossy: make(map[uint64]bool)}
	groups := o.Groups()
	for k := range groups {
		f.group(&groups[k])
	}
	return f.result()
}

// A class is a set of accesses that only goroutine and time tell apart.
type class struct {
	at    int32 // location in its group
	site  uint64
	locks int32 // among the finder's sets
	how   order.Access
}

// A crowd is what a class has seen so far.
type crowd struct {
	class
	latest []visit // one for each goroutine, unless a later one is after it
	newest int32   // the last access that began a visit
	of     map[trace.GID]int
	many   bool // more goroutines than the first
	prune  int  // prune when latest has become this long
	rivals []rival
	next   *crowd // of the access that followed the last one
}

// A visit is the accesses of one goroutine in one class.
type visit struct {
	g           trace.GID
	first, last int32
}

type rival struct {
	*crowd
	*pair
	excluded bool // by a lock
}

// A pair is what was found out about two places.
type pair struct {
	sites    [2]uint64
	conflict bool
	free     bool // not all conflicts are excluded by locks
	first    found
	again    found // of repeated accesses
}

// found is how many pairs of accesses were seen, and the nearest of them.
type found struct {
	seen    int
	nearest [][2]int
}

type finder struct {
	t     *trace.Trace
	o     *order.Order
	sites *trace.SiteIndex
	pairs map[[2]uint64]*pair
	lossy map[uint64]bool // places of which accesses were passed over

	sets [][]order.Lock // of the group at hand, see sharedLocks
}

// site returns what stays equal for equal places.
func (f *finder) site(id trace.SiteID) uint64 {
	return placeOf(f.sites, id)
}

func (f *finder) group(g *order.Group) {
	locks := f.sharedLocks(g)
	crowds := make(map[class]*crowd)
	byLoc := make([][]*crowd, len(g.Locations))
	last := new(crowd)
	for k, i := range g.Events {
		e := &f.t.Events[i]
		c := class{g.LocationOf[k], f.site(e.Site), 0, g.Accesses[k]}
		if set := f.o.LockSet(int(i)); set != 0 {
			c.locks = locks[set]
		}
		w := last.next // mostly one access follows another one as it did before
		if w == nil || w.class != c {
			w = crowds[c]
		}
		if w == nil {
			w = &crowd{class: c, of: make(map[trace.GID]int), prune: 16}
			crowds[c] = w
			byLoc[c.at] = append(byLoc[c.at], w)
			f.meet(g, byLoc, w)
		}
		last.next, last = w, w
		f.visit(w, e.G, i)
	}
}

// sharedLocks gives each lock set of the group the number of what is left of it
// among the finder's sets, without locks that only one goroutine holds there. These
// exclude none of its accesses from those of others, and can be as many as the
// accesses: locks of what is made for one request.
func (f *finder) sharedLocks(g *order.Group) map[order.LockSet]int32 {
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
	numbers := make(map[string]int32)
	f.sets = [][]order.Lock{nil}
	for _, set := range slices.Sorted(maps.Keys(of)) {
		left := slices.DeleteFunc(slices.Clone(f.o.Locks(set)), func(l order.Lock) bool { return !many[l.Obj] })
		if len(left) == 0 {
			continue
		}
		key := fmt.Sprint(left)
		if _, ok := numbers[key]; !ok {
			numbers[key] = int32(len(f.sets))
			f.sets = append(f.sets, left)
		}
		of[set] = numbers[key]
	}
	return of
}

// meet makes w and the crowds that it conflicts with rivals.
func (f *finder) meet(g *order.Group, byLoc [][]*crowd, w *crowd) {
	for at := range g.Overlaps.Of(w.at) {
		for _, v := range byLoc[at] {
			if !w.how.Conflicts(v.how) {
				continue
			}
			p, excluded := f.pair(w.site, v.site), order.Exclude(f.sets[w.locks], f.sets[v.locks])
			w.rivals = append(w.rivals, rival{v, p, excluded})
			if v != w {
				v.rivals = append(v.rivals, rival{w, p, excluded})
			}
		}
	}
}

func (f *finder) pair(a, b uint64) *pair {
	sites := [2]uint64{min(a, b), max(a, b)}
	p := f.pairs[sites]
	if p == nil {
		p = &pair{sites: sites}
		f.pairs[sites] = p
	}
	return p
}

// visit adds access i by goroutine g to w.
func (f *finder) visit(w *crowd, g trace.GID, i int32) {
	k, again := w.of[g]
	if again {
		f.lossy[w.site] = true
		if v := &w.latest[k]; f.o.Segment(int(v.last)) == f.o.Segment(int(i)) {
			// Ordered like the one before: only those that have come since are new rivals.
			for _, r := range w.rivals {
				if r.newest > v.last {
					f.compare(r, g, i, v.last)
				}
			}
			v.last = i
			return
		}
	}
	for _, r := range w.rivals {
		f.compare(r, g, i, -1)
	}
	w.newest = i
	if again {
		w.latest[k].last = i
		return
	}
	if len(w.latest) >= w.prune {
		f.forget(w, i)
	}
	w.many = w.many || len(w.of) > 0
	w.of[g] = len(w.latest)
	w.latest = append(w.latest, visit{g, i, i})
}

// compare looks for accesses of r after another one that may race with access i by
// goroutine g.
func (f *finder) compare(r rival, g trace.GID, i, after int32) {
	if _, in := r.of[g]; !r.crowd.many && (in || len(r.of) == 0) {
		return
	}
	r.conflict = true
	if r.excluded {
		return
	}
	r.free = true
	into, most := &r.first, MaxPairs
	if after >= 0 {
		into, most = &r.again, MaxPairs/2
	}
	for _, v := range r.latest {
		if into.seen >= maxSeen {
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

// forget drops the visits of w that are before access i, which is about to
// join w: what may race with one of them may race with i.
func (f *finder) forget(w *crowd, i int32) {
	w.latest = slices.DeleteFunc(w.latest, func(v visit) bool { return f.o.Before(int(v.last), int(i)) })
	f.lossy[w.site] = true
	w.many = true
	clear(w.of)
	for k, v := range w.latest {
		w.of[v.g] = k
	}
	w.prune = max(16, 2*len(w.latest))
}

// add keeps the nearest pairs, so many at most.
func (f *found) add(i, j, most int) {
	f.seen++
	at, _ := slices.BinarySearchFunc(f.nearest, [2]int{i, j}, nearer)
	if f.nearest = slices.Insert(f.nearest, at, [2]int{i, j}); len(f.nearest) > most {
		f.nearest = f.nearest[:most]
	}
}

func nearer(a, b [2]int) int {
	return cmp.Or(cmp.Compare(a[1]-a[0], b[1]-b[0]), cmp.Compare(a[0], b[0]))
}

func (f *finder) result() *Races {
	r := new(Races)
	for _, p := range f.pairs {
		if !p.conflict {
			continue
		}
		r.Conflicts++
		switch {
		case p.first.seen > 0:
			r.Candidates = append(r.Candidates, Candidate{
				Pairs:      p.first.nearest,
				Again:      p.again.nearest,
				Exhaustive: p.first.seen <= MaxPairs && !f.lossy[p.sites[0]] && !f.lossy[p.sites[1]],
				Places:     p.sites,
			})
		case p.free:
			r.Ordered++
		default:
			r.Locked++
		}
	}
	slices.SortFunc(r.Candidates, func(a, b Candidate) int {
		x, y := a.Pairs[0], b.Pairs[0]
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	return r
}
