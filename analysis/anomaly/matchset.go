package anomaly

import (
	"encoding/binary"
	"iter"
	"slices"
	"strconv"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Tuple is a pattern together with places of the program, one for each of its events.
//
// Example: the user reads x twice in Get, and Set writes it. The tuple of r-w-r has three places: the
// first read, the write, the second read.
type Tuple struct {
	Pattern *Pattern
	Places  []uint64
}

// A MatchSet is the matches of a pattern of two regions that two goroutines can have. Any fragment
// of the first goroutine together with any fragment of the second has the pattern's events, and no
// lock excludes the combination. Fragments are ascending in each of their events.
//
// Example: pattern r-w-r has the block events [0 2] and [1]. Goroutine 1 reads x at 2 and 6 in one
// region, goroutine 2 writes x at 9. Then the fragments are [2 6] and [9]. Their match is [2 9 6]: to
// bring it about, a schedule has to move 9 between 2 and 6.
type MatchSet struct {
	*Pattern
	o           *order.Order
	t           *trace.Trace
	blockEvents [2][]int         // by block: indices of the pattern's events
	fragments   [2]*fragmentList // by block
}

// A fragmentList is fragments of one goroutine that differ only in their positions in the trace.
// Locations have the numbers of [order.AllOverlaps], lock sets those of lockNumbers.
type fragmentList struct {
	g              trace.GID
	locations      []int32 // by event of the fragment
	lockSets       []int32 // by event: the number of its lock set; 0 if the other goroutine has no events before and after it
	heldThroughout int32   // the number of the set of locks held from the first to the last event, if the other goroutine has an event in between
	events         []int32 // positions of the events of all fragments, one fragment after the other
}

// fragment returns the events of fragment k.
func (l *fragmentList) fragment(k int) []int32 {
	return l.events[k*len(l.locations):][:len(l.locations)]
}

// count returns the number of fragments.
func (l *fragmentList) count() int { return len(l.events) / len(l.locations) }

// events returns the events of fragment f of the first goroutine and fragment s of the second one,
// in the order of the pattern.
func (b *MatchSet) events(f, s int) []int {
	events := make([]int, len(b.Events))
	for n, k := range [2]int{f, s} {
		for m, e := range b.blockEvents[n] {
			events[e] = int(b.fragments[n].fragment(k)[m])
		}
	}
	return events
}

// violatesOrder reports whether the must-order contradicts the pattern: an event of fragment k of
// goroutine number `of` must come before an event of fragment j of the other goroutine that the
// pattern has earlier.
func (b *MatchSet) violatesOrder(must Ordering, of, k, j int) bool {
	for x, late := range b.blockEvents[of] {
		for y, early := range b.blockEvents[1-of] {
			if early > late {
				continue
			}
			l, e := int(b.fragments[of].fragment(k)[x]), int(b.fragments[1-of].fragment(j)[y])
			if b.o.Before(l, e) || must.BeforeReached(l, e) {
				return true
			}
			// The goroutine has performed e once it is about to execute the event that follows e.
			if y+1 < len(b.blockEvents[1-of]) && must.BeforeReached(l, b.o.Program().Next(e)) {
				return true
			}
		}
	}
	return false
}

// possiblePairs yields, for each fragment f of the first goroutine, the range [lo, hi) of fragments
// of the second goroutine that the must-order lets it combine with. It skips empty ranges. Both
// bounds only grow, as in [ConflictSet]: fragments ascend, and what must come before one event of a
// goroutine must come before all later ones.
func (b *MatchSet) possiblePairs(must Ordering, yield func(f, lo, hi int) bool) {
	lo, hi := 0, 0
	for f := range b.fragments[0].count() {
		// Fragment lo must come too early for f, and so for all fragments after f.
		for lo < b.fragments[1].count() && b.violatesOrder(must, 1, lo, f) {
			lo++
		}
		// The range ends at the first fragment that must come too late for f. All later ones do so
		// too.
		for hi = max(hi, lo); hi < b.fragments[1].count() && !b.violatesOrder(must, 0, f, hi); hi++ {
		}
		if lo < hi && !yield(f, lo, hi) {
			return
		}
	}
}

// CountFragments returns the number of fragments of both goroutines.
func (b *MatchSet) CountFragments() int { return b.fragments[0].count() + b.fragments[1].count() }

// Matches yields the matches that the must-order does not exclude: their events, in the order of
// the pattern.
func (b *MatchSet) Matches(must Ordering) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		b.possiblePairs(must, func(f, lo, hi int) bool {
			for s := lo; s < hi; s++ {
				if !yield(b.events(f, s)) {
					return false
				}
			}
			return true
		})
	}
}

// Recorded yields matches that happened in the recorded run: for each fragment of the first
// goroutine, the earliest one.
func (b *MatchSet) Recorded() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		s := 0
		for f := range b.fragments[0].count() {
			// What was too early for f was too early for all later fragments, so s never goes back.
			for s < b.fragments[1].count() && b.violatesRecordedOrder(f, s) {
				s++
			}
			if s == b.fragments[1].count() {
				return
			}
			// The loop has only compared in one direction: s may still be too late for f.
			if events := b.events(f, s); slices.IsSorted(events) && !yield(events) {
				return
			}
		}
	}
}

// violatesRecordedOrder reports whether the recorded order contradicts the pattern: an event of
// fragment s of the second goroutine came before an event of fragment f of the first one that the
// pattern has earlier.
func (b *MatchSet) violatesRecordedOrder(f, s int) bool {
	for x, first := range b.blockEvents[0] {
		for y, second := range b.blockEvents[1] {
			if first < second && b.fragments[1].fragment(s)[y] < b.fragments[0].fragment(f)[x] {
				return true
			}
		}
	}
	return false
}

// Bounds of the memory that the search for one tuple takes. All three bounds end the search of the
// tuple: MatchSets then returns nil.
const (
	maxFragments       = 1 << 18 // fragments of one tuple
	maxMatchSets       = 1 << 14 // match sets of one tuple
	maxAccessesAtPlace = 128     // accesses of one region at one place
)

// A MatchFinder finds the match sets of tuples in one trace. It is made once for all tuples of a
// trace. Numbers of locks, accesses by place and buffers are shared by all calls of MatchSets.
type MatchFinder struct {
	*searcher
	tuples         []Tuple
	locks          *lockNumbers
	accessesAt     map[uint64]*placeAccesses // by place
	openRegions    []openRegion              // by goroutine
	markedAt       []int                     // by location: the round in which it was last marked
	markRound      int                       // the number of the current round of marking
	lastTuple      int                       // the tuple of the last search; -1 before the first one
	sharedAccesses [][]int32                 // by index of a place of lastTuple: accesses with a counterpart in another goroutine
	spent          int
}

// Spent returns the number of accesses and fragments that were examined so far.
func (b *MatchFinder) Spent() int { return b.spent }

// A placeAccesses is all accesses at one place, ascending, with the goroutines that access each
// location there.
type placeAccesses struct {
	events    []int32
	accessors map[int32]*accessor
}

// An accessor is the goroutines that access one location at a place. No list of goroutines is needed:
// the question is only whether two places have different ones.
type accessor struct {
	firstGoroutine    trace.GID
	severalGoroutines bool // goroutines other than the first access it, too
}

// An openRegion is the accesses of a goroutine in its current region, by the index of their place
// in the tuple. Outside of regions, region is 0, and each access is closed before the next one comes.
type openRegion struct {
	region   int32
	nonEmpty bool // it has accesses
	byPlace  [][]int32
}

// NewMatchFinder returns a finder for the given tuples.
func NewMatchFinder(t *trace.Trace, o *order.Order, regions *Regions, tuples []Tuple) *MatchFinder {
	// Each pattern has three or more events, so that newSearcher makes a plan of it. So plan k
	// belongs to tuple k.
	patterns := make([]Pattern, len(tuples))
	b := &MatchFinder{tuples: tuples, lastTuple: -1, locks: newLockNumbers(t, o), accessesAt: make(map[uint64]*placeAccesses), openRegions: make([]openRegion, len(t.Goroutines))}
	for k := range tuples {
		patterns[k] = *tuples[k].Pattern
		for _, place := range tuples[k].Places {
			b.accessesAt[place] = &placeAccesses{accessors: make(map[int32]*accessor)}
		}
	}
	b.searcher = newSearcher(t, o, regions, patterns)
	b.markedAt = make([]int, b.overlaps.Len())
	// A site without a wanted place has an entry too, which is nil: each site is looked up once.
	at := make(map[trace.SiteID]*placeAccesses)
	for i := range t.Events {
		loc := b.locOf(int32(i))
		if loc < 0 {
			continue
		}
		site := t.Events[i].Site
		a, ok := at[site]
		if !ok {
			a = b.accessesAt[b.place(int32(i))]
			at[site] = a
		}
		if a == nil {
			continue
		}
		g := t.Events[i].G
		sp := a.accessors[loc]
		if sp == nil {
			sp = &accessor{firstGoroutine: g}
			a.accessors[loc] = sp
		}
		a.events, sp.severalGoroutines = append(a.events, int32(i)), sp.severalGoroutines || sp.firstGoroutine != g
	}
	return b
}

// MatchSets returns the match sets of tuple k: all ways to choose its events that locks do not
// exclude. Unlike [Search] it skips only redundant matches. A match is redundant if every run that
// shows it also shows one with an earlier first event, or one whose events in the second region are
// closer together. It returns nil if there are too many matches, or if the pattern is not one of
// two regions of two goroutines with at most two events each. It examines only the first `most`
// accesses at the places; whole is set if these are all.
func (b *MatchFinder) MatchSets(k, most int) (sets []MatchSet, whole bool) {
	pl := &b.plans[k]
	if !pl.pairsTwoRegions() {
		return nil, true
	}
	s := &tupleSearch{MatchFinder: b, plan: pl, places: b.tuples[k].Places, remaining: maxFragments}
	for n := range pl.blocks {
		s.blockSearches[n] = s.newBlockSearch(n)
	}
	// Both blocks may have events at one place: its list is the union of what either needs.
	if k != b.lastTuple { // a repeated call for the same tuple only raises most
		b.sharedAccesses, b.lastTuple = make([][]int32, len(s.places)), k
		for _, of := range s.blockSearches {
			s.keepShared(of)
		}
	}
	whole = s.findFragments(most)
	if s.remaining <= 0 {
		return nil, true
	}
	return s.combine(), whole
}

// pairsTwoRegions reports whether the pattern has two regions of two goroutines, with at most two
// events each, that share a variable. All built-in patterns of three and more events are such. A
// shared variable lets combine look up partners by location.
func (p *plan) pairsTwoRegions() bool {
	return len(p.blocks) == 2 && p.blocks[0].goroutine != p.blocks[1].goroutine &&
		len(p.blocks[0].events) <= 2 && len(p.blocks[1].events) <= 2 &&
		slices.ContainsFunc(p.blocks[0].vars, func(v int) bool { return slices.Contains(p.blocks[1].vars, v) })
}

// A blockSearch is the search for the fragments of one block of a tuple. An index of a place is that
// of the first event there. Events at one place thus share one list in sharedAccesses, and the
// entries of the others stay empty.
type blockSearch struct {
	*block
	shape         *shape
	places        []int      // by event: the index of its place in the tuple
	partnerPlaces [][]uint64 // by event: places at which the other block accesses the same variable
	enclosed      []bool     // by event: the other block has events before and after it
	lists         []*fragmentList
	listByKey     map[string]*fragmentList
}

// isInterleaved reports whether the other block has an event between the two events of s.
func (s *blockSearch) isInterleaved() bool { return len(s.events) == 2 && s.events[1] > s.events[0]+1 }

// A tupleSearch is the search for the match sets of one tuple.
type tupleSearch struct {
	*MatchFinder
	*plan
	places        []uint64
	blockSearches [2]*blockSearch
	remaining     int // how many more fragments may be stored
}

// newBlockSearch returns the search for block n.
func (b *tupleSearch) newBlockSearch(n int) *blockSearch {
	s := &blockSearch{block: &b.blocks[n], shape: &b.shapes[b.blocks[n].shape], listByKey: make(map[string]*fragmentList)}
	for _, k := range s.events {
		s.places = append(s.places, slices.Index(b.places, b.places[k]))
		s.enclosed = append(s.enclosed, k > 0 && k < len(b.Events)-1)
		var others []uint64
		for _, j := range b.blocks[1-n].events {
			if b.Events[j].Variable == b.Events[k].Variable {
				others = append(others, b.places[j])
			}
		}
		s.partnerPlaces = append(s.partnerPlaces, others)
	}
	return s
}

// keepShared adds to sharedAccesses the accesses at the places of s that have a counterpart: an
// access to the same memory by another goroutine at a place of the other block.
func (b *tupleSearch) keepShared(s *blockSearch) {
	for n, place := range s.places {
		its := b.MatchFinder.accessesAt[b.places[place]]
		// A new round unmarks all locations without touching them.
		b.markRound++
		for loc, sp := range its.accessors {
			if !slices.ContainsFunc(s.partnerPlaces[n], func(place uint64) bool {
				for loc := range b.overlaps.Of(loc) {
					// If either side has several goroutines, two of them differ.
					if other := b.MatchFinder.accessesAt[place].accessors[loc]; other != nil && (sp.severalGoroutines || other.severalGoroutines || sp.firstGoroutine != other.firstGoroutine) {
						return false
					}
				}
				return true
			}) {
				b.markedAt[loc] = b.markRound
			}
		}
		var met []int32
		for _, i := range its.events {
			if b.markedAt[b.locOf(i)] == b.markRound {
				met = append(met, i)
			}
		}
		b.sharedAccesses[place] = union(b.sharedAccesses[place], met)
	}
}

// union returns the elements of two ascending lists, each once and ascending.
func union(a, b []int32) []int32 {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// place returns the key of the place of event i, as in [Tuple].
func (s *searcher) place(i int32) uint64 {
	return placeOf(s.index, s.t.Events[i].Site)
}

// placeOf returns the key of a site: equal for sites at the same place of the program.
func placeOf(sites *trace.SiteIndex, id trace.SiteID) uint64 {
	if key := sites.Of(id).Key; key != 0 {
		return key
	}
	return uint64(id)
}

// findFragments finds the fragments of both blocks, region by region, among the first `most`
// accesses. It reports whether these are all accesses.
func (b *tupleSearch) findFragments(most int) bool {
	// The lists of the places are merged. Accesses come in the order of the trace, which makes the
	// fragments of each list ascend.
	left := slices.Clone(b.sharedAccesses)
	var gs []trace.GID // goroutines with an open region
	whole := true
	for ; b.remaining > 0; most-- {
		next := -1
		for k, is := range left {
			if len(is) > 0 && (next < 0 || is[0] < left[next][0]) {
				next = k
			}
		}
		if next < 0 {
			break
		}
		if most == 0 {
			whole = false
			break
		}
		b.spent++
		i := left[next][0]
		left[next] = left[next][1:]
		g := b.t.Events[i].G
		its := &b.openRegions[g]
		// A goroutine is in one region at a time: access i shows that the previous one is complete.
		if its.nonEmpty && (b.regions.regionOf.At(int(i)) == 0 || b.regions.regionOf.At(int(i)) != its.region) {
			b.closeRegion(g, its)
		}
		if !its.nonEmpty {
			its.nonEmpty, its.region = true, b.regions.regionOf.At(int(i))
			gs = append(gs, g)
		}
		for len(its.byPlace) < len(left) {
			its.byPlace = append(its.byPlace, nil)
		}
		// Pairs of accesses are quadratic in the size of the region. So a huge one ends the search.
		if its.byPlace[next] = append(its.byPlace[next], i); len(its.byPlace[next]) > maxAccessesAtPlace {
			b.remaining = 0
		}
	}
	// The order of goroutines decides the order of lists, and so of match sets.
	slices.Sort(gs)
	for _, g := range slices.Compact(gs) {
		b.closeRegion(g, &b.openRegions[g])
	}
	return whole
}

// closeRegion finds the fragments in the open region of goroutine g, and empties it.
func (b *tupleSearch) closeRegion(g trace.GID, its *openRegion) {
	if !its.nonEmpty {
		return
	}
	for _, s := range b.blockSearches {
		if b.remaining > 0 {
			b.chooseFragments(s, g, its.byPlace)
		}
	}
	// The lists keep their memory for the next region.
	its.nonEmpty = false
	for k := range its.byPlace {
		its.byPlace[k] = its.byPlace[k][:0]
	}
}

// chooseFragments adds the fragments of block s in a region of goroutine g, whose accesses are
// byPlace.
func (b *tupleSearch) chooseFragments(s *blockSearch, g trace.GID, byPlace [][]int32) {
	var room [8]int32
	firsts := room[:0]
	for _, i := range byPlace[s.places[0]] {
		if b.matchesEvent(s, 0, i) {
			firsts = append(firsts, i)
		}
	}
	if len(firsts) == 0 {
		return
	}
	if len(s.events) == 1 {
		for _, i := range firsts {
			b.addFragment(s, g, 0, i)
		}
		return
	}
	for _, j := range byPlace[s.places[1]] {
		if !b.matchesEvent(s, 1, j) {
			continue
		}
		n, _ := slices.BinarySearch(firsts, j)
		before := firsts[:n]
		// Example: pattern r-w-r, and a region with reads of x at 2, 4 and 6. The choices are (2, 4)
		// and (2, 6). (4, 6) is redundant: a write between 4 and 6 is between 2 and 6 as well.
		for k := range before {
			// Skip redundant choices: for the first event of the pattern the earliest access
			// is enough. If the other block has nothing in between, the latest one is.
			i, ordinal := before[k], 0
			same := func(h int32) bool { return b.locOf(h) == b.locOf(i) }
			switch {
			case b.overlaps.Share(b.locOf(i), b.locOf(j)) != (s.shape.vars[0] == s.shape.vars[1]):
				continue
			case s.events[0] == 0:
				if slices.ContainsFunc(before[:k], same) {
					continue
				}
			case !s.isInterleaved():
				if slices.ContainsFunc(before[k+1:], func(h int32) bool { return same(h) && b.locks.numberAt(h) == b.locks.numberAt(i) }) {
					continue
				}
			// Both events matter. The choices (2, 6), (4, 6), (2, 8) in this order would not ascend:
			// each first access gets a list of its own.
			default:
				ordinal = k
			}
			b.addFragment(s, g, ordinal, i, j)
		}
	}
}

// matchesEvent reports whether access i is of the kind that event n of the block requires.
func (b *tupleSearch) matchesEvent(s *blockSearch, n int, i int32) bool {
	e := &b.t.Events[i]
	if s.shape.writes[n] {
		return e.Stores()
	}
	return e.Kind != trace.Write && e.Kind != trace.AtomicStore
}

// addFragment adds a fragment to the list that has its goroutine, locations and locks. Fragments
// with different ordinals are in different lists, so that each list ascends.
func (b *tupleSearch) addFragment(s *blockSearch, g trace.GID, ordinal int, events ...int32) {
	var locs, locks [2]int32
	through := int32(0)
	// Only an enclosed event has to fit into a critical section of the other goroutine. Locks at
	// other events exclude nothing, and would only split the list.
	for n, i := range events {
		locs[n] = b.locOf(i)
		if s.enclosed[n] {
			locks[n] = b.locks.numberAt(i)
		}
	}
	if s.isInterleaved() {
		through = b.locks.heldThroughout(events[0], events[1])
	}
	b.key = b.key[:0]
	for _, n := range [...]int32{int32(g), through, int32(ordinal), locs[0], locs[1], locks[0], locks[1]} {
		b.appendNumber(n)
	}
	l := s.listByKey[string(b.key)]
	if l == nil {
		l = &fragmentList{g: g, heldThroughout: through, locations: slices.Clone(locs[:len(events)]), lockSets: slices.Clone(locks[:len(events)])}
		s.listByKey[string(b.key)] = l
		s.lists = append(s.lists, l)
	}
	l.events = append(l.events, events...)
	b.remaining--
	b.spent++
}

// combine returns the match sets: the pairs of lists of the two blocks that share the pattern's
// variables and are not excluded by locks. It returns nil if there are too many.
func (b *tupleSearch) combine() []MatchSet {
	p, ks := b.Pattern, [2][]int{b.blocks[0].events, b.blocks[1].events}
	sets := []MatchSet{}
	byLoc := make(map[int32][]*fragmentList)
	// Find a variable that both blocks access: event n of the first one, event m of the second one.
	// pairsTwoRegions has checked that there is one, so the loop ends.
	n, m := 0, -1
	for ; m < 0; n++ {
		v := p.Events[ks[0][n]].Variable
		m = slices.IndexFunc(ks[1], func(k int) bool { return p.Events[k].Variable == v })
	}
	n--
	for _, l := range b.blockSearches[1].lists {
		byLoc[l.locations[m]] = append(byLoc[l.locations[m]], l)
	}
	// The lists of the second block are looked up by location, instead of comparing all pairs.
	for _, l := range b.blockSearches[0].lists {
		for loc := range b.overlaps.Of(l.locations[n]) {
			for _, h := range byLoc[loc] {
				if l.g == h.g || !b.sharesVariables(p, ks, l, h) || b.locks.exclude(l, h) || b.locks.exclude(h, l) {
					continue
				}
				if len(sets) == maxMatchSets {
					return nil
				}
				sets = append(sets, MatchSet{p, b.o, b.t, ks, [2]*fragmentList{l, h}})
			}
		}
	}
	return sets
}

// sharesVariables reports whether two lists access the same memory where the pattern has the same
// variable, and different memory elsewhere. Events of one block need no test here: chooseFragments
// has compared their locations.
func (b *tupleSearch) sharesVariables(p *Pattern, ks [2][]int, l, h *fragmentList) bool {
	for x, k := range ks[0] {
		for y, j := range ks[1] {
			if b.overlaps.Share(l.locations[x], h.locations[y]) != (p.Events[k].Variable == p.Events[j].Variable) {
				return false
			}
		}
	}
	return true
}

// lockNumbers numbers sets of locks. It leaves out locks that only one goroutine acquires, as they
// exclude nothing. Number 0 is the empty set. Each set is sorted, as [order.Exclude] needs it.
type lockNumbers struct {
	t              *trace.Trace
	o              *order.Order
	severalHolders map[uint64]bool // locks that several goroutines acquire
	sets           [][]order.Lock
	numbers        map[string]int32
	numberOfSet    map[order.LockSet]int32
	key            []byte       // scratch
	locks          []order.Lock // scratch
}

func newLockNumbers(t *trace.Trace, o *order.Order) *lockNumbers {
	n := &lockNumbers{t: t, o: o, severalHolders: make(map[uint64]bool), sets: [][]order.Lock{nil}, numbers: make(map[string]int32), numberOfSet: make(map[order.LockSet]int32)}
	by := make(map[uint64]trace.GID)
	for _, s := range o.Sections() {
		// The last holder is enough: if several goroutines acquire a lock, two sections in a row
		// differ.
		g := t.Events[s.Acq].G
		if one, ok := by[s.Obj]; ok && one != g {
			n.severalHolders[s.Obj] = true
		}
		by[s.Obj] = g
	}
	return n
}

// numberAt returns the number of the set of locks that are held at event i.
func (n *lockNumbers) numberAt(i int32) int32 {
	set := n.o.LockSet(int(i))
	if set == 0 {
		return 0
	}
	k, ok := n.numberOfSet[set]
	if !ok {
		// The method number deletes from its argument, and the order's own sets must not change.
		k = n.number(slices.Clone(n.o.Locks(set)))
		n.numberOfSet[set] = k
	}
	return k
}

// heldThroughout returns the number of the set of locks that are held from event i to event j of
// the same goroutine, each in one critical section. A lock that was released in between is not one,
// even if it is held again at j.
func (n *lockNumbers) heldThroughout(i, j int32) int32 {
	n.locks = n.o.AppendHeldThroughout(n.locks[:0], i, j)
	return n.number(n.locks)
}

// number returns the number of a set of locks, 0 for the empty one.
func (n *lockNumbers) number(locks []order.Lock) int32 {
	locks = slices.DeleteFunc(locks, func(l order.Lock) bool { return !n.severalHolders[l.Obj] })
	if len(locks) == 0 {
		return 0
	}
	order.SortLocks(locks)
	locks = slices.Compact(locks)
	n.key = n.key[:0]
	for _, l := range locks {
		n.key = binary.LittleEndian.AppendUint64(n.key, l.Obj)
		n.key = strconv.AppendBool(n.key, l.Shared)
	}
	k, ok := n.numbers[string(n.key)]
	if !ok {
		k = int32(len(n.sets))
		n.numbers[string(n.key)] = k
		n.sets = append(n.sets, slices.Clone(locks))
	}
	return k
}

// exclude reports whether a lock that is held throughout the fragments of l excludes an event of h
// from coming in between.
//
// Example: goroutine 1 holds l from its first read of x to its second one. A write under l cannot
// come in between, so r-w-r is impossible.
func (n *lockNumbers) exclude(l, h *fragmentList) bool {
	return slices.ContainsFunc(h.lockSets, func(k int32) bool { return order.Exclude(n.sets[l.heldThroughout], n.sets[k]) })
}

// FirstAndLast returns the events of the first fragments of both goroutines, and those of the last
// fragments, in the order of the pattern.
func (b *MatchSet) FirstAndLast() (first, last []int) {
	return b.events(0, 0), b.events(b.fragments[0].count()-1, b.fragments[1].count()-1)
}
