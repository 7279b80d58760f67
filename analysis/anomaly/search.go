package anomaly

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An Anomaly is a pattern at some places of the program.
type Anomaly struct {
	Pattern *Pattern
	// Matches are events of the trace, in the order of the pattern's events. Matches whose events
	// are close together come first. There are between one and MaxPairs of them.
	Matches [][]int
	// Exhaustive is set if Matches has all matches at these places. If none of them can happen, the
	// anomaly is refuted.
	Exhaustive bool
	Places     []uint64 // the places of each match's events
}

// Tuple returns the pattern with its places.
func (a *Anomaly) Tuple() Tuple { return Tuple{a.Pattern, a.Places} }

// Anomalies is the result of the search for patterns. Its numbers count patterns at sets of places.
type Anomalies struct {
	Found   []Anomaly // in the order of patterns, then of their first events
	Locked  int       // excluded by a common lock
	Ordered int       // excluded by the must-order
	// Truncated is set if the search ended early because there were too many ways to choose events.
	// Found is then incomplete.
	Truncated bool
	Spent     int // fragments, and choices of fragments, that were examined
}

// Bounds of the search.
const (
	MaxCombinations = 1 << 21 // fragments, and choices of fragments, that are examined
	stepsPerChoice  = 4       // fragments that a choice counts as: choices can be as many as fragments, squared
	lookupsPerStep  = 4       // lookups of kinds by location that count as one fragment
	maxRegion       = 64      // accesses of one region; the search skips further ones
)

// Search returns the patterns of three and more events that events of t match, or may match in
// another order. Such an order satisfies PECAN's mutation condition (Algorithm 2, for any number of
// events). [FindRaces] finds patterns of two events.
//
// The search finds fragments region by region; a fragment is the events that a pattern has in one
// region. It then combines fragments that share variables. Repeated fragments at the same places,
// under the same locks and without communication in between, count once. The search examines at
// most `most` fragments and choices of fragments, and at most MaxCombinations.
//
// Example: PECAN's Figure 3. Goroutine 1 does "acq l1, r x, rel l1, w y, w x" in one marked region.
// Goroutine 2 does "acq l1, acq l2, w x" and releases both. The match of r-w-w is r x of goroutine 1,
// w x of goroutine 2, w x of goroutine 1.
func Search(t *trace.Trace, o *order.Order, regions *Regions, patterns []Pattern, most int) *Anomalies {
	s := newSearcher(t, o, regions, patterns)
	s.maxSteps = min(most, MaxCombinations)
	s.stepsLeft = s.maxSteps
	if len(s.shapes) == 0 {
		return new(Anomalies)
	}
	s.changes = make([]int, s.overlaps.Len())
	open := make([][]int32, len(t.Goroutines)) // accesses of the region that each goroutine is in
	in := make([]int32, len(t.Goroutines))
	for i := range t.Events {
		g, region := t.Events[i].G, regions.regionOf.At(i)
		// The fragments of a region are chosen when all its accesses are known.
		if in[g] != region {
			s.addRegion(g, open[g])
			open[g], in[g] = open[g][:0], region
		}
		if s.locOf(int32(i)) < 0 {
			continue
		}
		if region == 0 {
			s.addRegion(g, []int32{int32(i)})
		} else {
			open[g] = append(open[g], int32(i))
		}
	}
	for g := range open {
		s.addRegion(trace.GID(g), open[g])
	}
	return s.result()
}

// A shape is what a pattern requires of the events in one region. Patterns share shapes, and the
// fragments of a shape are chosen once for all of them. Example: r-w-r has the shapes "read v0, read
// v0" and "write v0"; r-w-w has the latter, too.
type shape struct {
	writes []bool // by event: it writes
	vars   []int  // by event: its variable, numbered from 0 within the shape
}

// A block is the events of a pattern in one region.
type block struct {
	shape     int
	goroutine int   // of the pattern
	events    []int // indices of the pattern's events
	vars      []int // of the pattern, by those of the shape
}

// A plan is a pattern cut into blocks, one for each of its regions (AR in PECAN §3). positions is the
// inverse of the blocks: if event e is number n of block b, positions[e] is {b, n}.
type plan struct {
	*Pattern
	blocks    []block
	positions []blockPosition // by event
	straddles []straddle
	vars      int // how many variables there are
	matcher
}

// A blockPosition is the position of a pattern's event in its block.
type blockPosition struct{ block, n int }

// attributes are the properties of an event by which fragments are compared. site is a number of
// searcher.sites. loc is a number of searcher.overlaps, and never -1 here.
type attributes struct {
	site, loc int32
	locks     order.LockSet
}

// A fragmentKind is fragments that differ only in their goroutine and their position in the trace. An
// index into latest stays valid: entries are replaced, but none is removed.
type fragmentKind struct {
	shape      int
	attributes []attributes
	latest     []fragment // the latest fragment of each goroutine
	// fruitlessAt is, by use of the shape, the [searcher.changeCount] at the last search that found no
	// partner for fragments of this kind. The search need not be repeated until the count changes.
	fruitlessAt []int
	// heldThroughout is the locks that every fragment so far held from its first to its last event.
	heldThroughout []order.Lock
}

// indexOf returns the index in k.latest of the fragment of goroutine g. It is len(k.latest) if there
// is none yet: then the caller appends it.
func (s *searcher) indexOf(k *fragmentKind, g trace.GID) int {
	of := kindOfGoroutine{k, g}
	n, known := s.latestIndex[of]
	if !known {
		n = len(k.latest)
		s.latestIndex[of] = n
	}
	return n
}

// A kindOfGoroutine is the fragments of one kind by one goroutine.
type kindOfGoroutine struct {
	kind *fragmentKind
	g    trace.GID
}

// A fragment is events of one region of a goroutine that match a block of a pattern. Outside of
// regions, region is 0, and there is one event.
type fragment struct {
	events []int32
	g      trace.GID
	region int32
}

// An anchor is the key by which kinds are found: the location of one event, and of the next event
// unless that is -1.
type anchor struct {
	shape, event int
	loc, next    int32
}

// A searcher is the indexed graph of PECAN §5.1: events by location, shape, access type, region and
// goroutine. It follows the pattern-directed search of §5.2, and collects the results.
//
// The paper compares all events of a location. The searcher keeps one fragment for each kind and
// goroutine, the latest, and combines each new fragment with these. So it takes time linear in the
// number of fragments, and finds the matches whose events are closest.
type searcher struct {
	t       *trace.Trace
	o       *order.Order
	regions *Regions
	plans   []plan
	shapes  []shape
	// usesOfShape lists, by shape, the plans and their blocks that have it.
	usesOfShape [][][2]int

	index     *trace.SiteIndex
	shared    trace.Marks // the events on shared memory
	locations []int32     // by the numbers of shared: the location, -1 if no pattern needs it
	overlaps  *order.Overlaps
	sites     map[uint64]int32

	recentRegions []recentRegions // by goroutine
	regionLocks   []order.Lock    // locks held throughout the current region
	locks         []order.Lock    // scratch
	chooser       fragmentChooser // for the current region
	kinds         map[string]*fragmentKind
	latestIndex   map[kindOfGoroutine]int // see indexOf
	kindsByAnchor map[anchor][]*fragmentKind
	changes       []int // by location: how often kinds there were created, or lost locks
	found         map[string]*anomaly
	maxSteps      int    // bound on fragments and choices examined
	stepsLeft     int    // how many of maxSteps are left
	incomplete    []bool // by site: some accesses there were skipped
	key           []byte
}

// An anomaly collects the matches of a pattern at a set of places.
type anomaly struct {
	plan         int
	sites        []int32
	someUnlocked bool // some match is not excluded by locks
	seen         int
	nearest      [][]int
}

func newSearcher(t *trace.Trace, o *order.Order, regions *Regions, patterns []Pattern) *searcher {
	s := &searcher{
		t: t, o: o, index: o.Sites(), regions: regions,
		sites: make(map[uint64]int32), recentRegions: make([]recentRegions, len(t.Goroutines)), kinds: make(map[string]*fragmentKind), latestIndex: make(map[kindOfGoroutine]int),
		kindsByAnchor: make(map[anchor][]*fragmentKind), found: make(map[string]*anomaly),
	}
	groups := o.Groups()
	s.shared = trace.NewMarks(len(t.Events), func(mark func(i int)) {
		for k := range groups {
			for _, i := range groups[k].Events {
				mark(int(i))
			}
		}
	})
	s.locations = make([]int32, s.shared.Len())
	base := int32(0)
	// Locations are numbered one group after the other, as [order.AllOverlaps] does.
	for k := range groups {
		g := &groups[k]
		for n, i := range g.Events {
			s.locations[s.shared.NumberOf(int(i))] = base + g.LocationOf[n]
		}
		base += int32(len(g.Locations))
	}
	s.overlaps = order.AllOverlaps(groups)
	for k := range patterns {
		if len(patterns[k].Events) > 2 {
			s.addPlan(&patterns[k])
		}
	}
	if !slices.ContainsFunc(s.plans, func(p plan) bool { return !p.sharesEachVariable() }) {
		s.dropUnusedLocations()
	}
	return s
}

// locOf returns the location of event i, -1 if it is not shared or no pattern needs it.
func (s *searcher) locOf(i int32) int32 {
	n := s.shared.NumberOf(int(i))
	if n < 0 {
		return -1
	}
	return s.locations[n]
}

// sharesEachVariable reports whether each variable of p is accessed in a region with several events
// of p.
//
// Example: r-w-r does, as the two reads are in one region. With a region for each event, it does not.
func (p *plan) sharesEachVariable() bool {
	joined := make([]bool, p.vars)
	for _, b := range p.blocks {
		for _, v := range b.vars {
			joined[v] = joined[v] || len(b.events) > 1
		}
	}
	return !slices.Contains(joined, false)
}

// dropUnusedLocations drops locations that no region accesses more than once or together with other
// locations: no fragment of several events is on them. In most traces these are most of the locations. It is sound if for all plans sharesEachVariable.
func (s *searcher) dropUnusedLocations() {
	wanted := make([]bool, s.overlaps.Len())
	want := func(loc int32) {
		for l := range s.overlaps.Of(loc) {
			wanted[l] = true
		}
	}
	// It is enough to compare with the last access: of a region with several, each has a neighbour.
	last := make([]struct{ region, loc int32 }, len(s.t.Goroutines)) // by goroutine: where its last access was
	for n, i := range s.shared.All {
		loc := s.locations[n]
		region, l := s.regions.regionOf.At(i), &last[s.t.Events[i].G]
		if loc < 0 || region == 0 {
			continue
		}
		if l.region == region && !(wanted[l.loc] && wanted[loc]) {
			want(l.loc)
			want(loc)
		}
		l.region, l.loc = region, loc
	}
	for n, loc := range s.locations {
		if loc >= 0 && !wanted[loc] {
			s.locations[n] = -1
		}
	}
}

// addPlan cuts a pattern into blocks.
//
// Example: w-r-r-w of PECAN's Figure 2 has the blocks [0 3] and [1 2].
func (s *searcher) addPlan(p *Pattern) {
	pl := plan{Pattern: p, blocks: make([]block, p.count(func(e PatternEvent) int { return e.Region }))}
	for k, e := range p.Events {
		b := &pl.blocks[e.Region]
		b.goroutine = e.Goroutine
		b.events = append(b.events, k)
	}
	for n := range pl.blocks {
		b, sh := &pl.blocks[n], shape{}
		for _, k := range b.events {
			e := p.Events[k]
			v := slices.Index(b.vars, e.Variable)
			if v < 0 {
				v = len(b.vars)
				b.vars = append(b.vars, e.Variable)
			}
			sh.writes, sh.vars = append(sh.writes, e.Write), append(sh.vars, v)
		}
		b.shape = slices.IndexFunc(s.shapes, func(o shape) bool {
			return slices.Equal(o.writes, sh.writes) && slices.Equal(o.vars, sh.vars)
		})
		if b.shape < 0 {
			b.shape = len(s.shapes)
			s.shapes, s.usesOfShape = append(s.shapes, sh), append(s.usesOfShape, nil)
		}
		s.usesOfShape[b.shape] = append(s.usesOfShape[b.shape], [2]int{len(s.plans), n})
	}
	pl.vars = p.count(func(e PatternEvent) int { return e.Variable })
	pl.positions, pl.straddles = make([]blockPosition, len(p.Events)), p.straddles()
	for n := range pl.blocks {
		for k, e := range pl.blocks[n].events {
			pl.positions[e] = blockPosition{n, k}
		}
	}
	pl.matcher = matcher{
		s: s, plan: len(s.plans), chosen: make([]*fragment, len(pl.blocks)), kinds: make([]*fragmentKind, len(pl.blocks)),
		lastKinds: make([]*fragmentKind, len(pl.blocks)), events: make([]int, len(p.Events)), openBlocks: len(pl.blocks), eventPasts: make([]order.Past, len(p.Events)),
	}
	s.plans = append(s.plans, pl)
}

// attributesOf returns the attributes of event i.
func (s *searcher) attributesOf(i int32) attributes {
	key := s.place(i)
	id, ok := s.sites[key]
	if !ok {
		id = int32(len(s.sites))
		s.sites[key], s.incomplete = id, append(s.incomplete, false)
	}
	return attributes{id, s.locOf(i), s.o.LockSet(int(i))}
}

func (s *searcher) appendNumber(n int32) { s.key = binary.LittleEndian.AppendUint32(s.key, uint32(n)) }

func (s *searcher) appendAttributes(p attributes) {
	s.appendNumber(p.site)
	s.appendNumber(p.loc)
	s.appendNumber(int32(p.locks))
}

// addRegion searches the accesses of one region of goroutine g, or a single access outside of
// regions.
func (s *searcher) addRegion(g trace.GID, events []int32) {
	if len(events) == 0 || s.stepsLeft <= 0 {
		return
	}
	posts := make([]attributes, 0, min(len(events), maxRegion))
	kept := make([]int32, 0, cap(posts))
	seen := &s.recentRegions[g]
	seen.enter(s.o.Segment(int(events[0])))
	s.key = s.key[:0]
	for _, i := range events {
		// An access that is repeated without others in between adds no match.
		// Two in a row are kept, since r-w-r needs both of its reads.
		p := s.attributesOf(i)
		if n := len(posts); n >= 2 && posts[n-1] == p && posts[n-2] == p && s.t.Events[kept[n-1]].Kind == s.t.Events[i].Kind || n == maxRegion {
			s.incomplete[p.site] = true
			continue
		}
		posts, kept = append(posts, p), append(kept, i)
		s.appendNumber(int32(s.t.Events[i].Kind))
		s.appendAttributes(p)
	}
	s.regionLocks = s.o.AppendHeldThroughout(s.regionLocks[:0], kept[0], kept[len(kept)-1])
	s.appendLocks(s.regionLocks)
	if its, ok := seen.byKey[string(s.key)]; ok {
		// The previous region like this is in the same segment, so this one has no new
		// partners. Only replace its fragments, as they are closer to what follows.
		for _, p := range posts {
			s.incomplete[p.site] = true
		}
		for picked := its.picked; len(its.slots) > 0; its.slots = its.slots[1:] {
			p := its.slots[0]
			ch := p.kind.latest[p.index].events
			for n := range ch {
				ch[n] = kept[picked[n]]
			}
			picked = picked[len(ch):]
			s.narrowHeldLocks(p.kind, ch)
		}
		return
	}
	key := string(s.key)
	c := &s.chooser
	*c = fragmentChooser{s: s, g: g, events: kept, attributes: posts, stored: storedFragments{c.stored.slots[:0], c.stored.picked[:0]}}
	for n := range s.shapes {
		c.shape = n
		c.choose(0)
	}
	seen.byKey[key] = storedFragments{slices.Clone(c.stored.slots), slices.Clone(c.stored.picked)}
}

// appendLocks appends locks and their number to the key, which keeps it unambiguous.
func (s *searcher) appendLocks(locks []order.Lock) {
	for _, l := range locks {
		s.key = binary.LittleEndian.AppendUint64(s.key, l.Obj)
		shared := int32(0)
		if l.Shared {
			shared = 1
		}
		s.appendNumber(shared)
	}
	s.appendNumber(int32(len(locks)))
}

// narrowHeldLocks removes from k.heldThroughout the locks that a further fragment of kind k does
// not hold throughout.
func (s *searcher) narrowHeldLocks(k *fragmentKind, events []int32) {
	// What is held throughout the region is held throughout each of its fragments.
	if !slices.ContainsFunc(k.heldThroughout, func(l order.Lock) bool { return !slices.Contains(s.regionLocks, l) }) {
		return
	}
	locks := s.o.AppendHeldThroughout(s.locks[:0], events[0], events[len(events)-1])
	s.locks = locks
	held := len(k.heldThroughout)
	if k.heldThroughout = slices.DeleteFunc(k.heldThroughout, func(l order.Lock) bool { return !slices.Contains(locks, l) }); len(k.heldThroughout) < held {
		// Fewer locks exclude less, so that a search without result may succeed now.
		s.noteChange(k)
	}
}

// recentRegions are the fragments of a goroutine's regions in its current segment, by the key of
// the region. Regions with equal keys have equal accesses and are ordered alike.
//
// Example: a loop does "acq l, r x, w x, rel l". Locks order nothing, so all turns are in one segment
// and have one key. Only the first turn is searched.
type recentRegions struct {
	segment int
	byKey   map[string]storedFragments
}

// enter starts a segment and forgets the regions of the previous one.
func (r *recentRegions) enter(segment int) {
	switch {
	case r.byKey == nil:
		r.byKey = make(map[string]storedFragments)
	case r.segment != segment:
		clear(r.byKey)
	}
	r.segment = segment
}

// storedFragments are the fragments of one region: where they are stored, and the indices of their
// events among the accesses of the region, one fragment after the other.
//
// Example: the fragments of accesses 0, 2 and of accesses 1, 2 have picked [0 2 1 2].
type storedFragments struct {
	slots  []storedFragment
	picked []int32
}

// A storedFragment says where a fragment is stored.
type storedFragment struct {
	kind  *fragmentKind
	index int // index into kind.latest
}

// result returns the anomalies in order, and the counts of refuted ones.
func (s *searcher) result() *Anomalies {
	r := &Anomalies{Truncated: s.stepsLeft <= 0, Spent: s.maxSteps - s.stepsLeft}
	var found []*anomaly
	for _, a := range s.found {
		switch {
		case a.seen > 0:
			found = append(found, a)
		case a.someUnlocked:
			r.Ordered++
		default:
			r.Locked++
		}
	}
	slices.SortFunc(found, func(a, b *anomaly) int {
		return cmp.Or(cmp.Compare(a.plan, b.plan), slices.Compare(a.nearest[0], b.nearest[0]))
	})
	for _, a := range found {
		all := a.seen <= MaxPairs && !r.Truncated && !slices.ContainsFunc(a.sites, func(site int32) bool { return s.incomplete[site] })
		places := make([]uint64, len(a.nearest[0]))
		for k, i := range a.nearest[0] {
			places[k] = s.place(int32(i))
		}
		r.Found = append(r.Found, Anomaly{s.plans[a.plan].Pattern, a.nearest, all, places})
	}
	return r
}
