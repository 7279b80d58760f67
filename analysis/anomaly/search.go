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
	// Matches are events of the trace, in the order of the pattern's; those
	// that are near to each other come before others. There is at least one,
	// and at most MaxPairs.
	Matches [][]int
	// Exhaustive is set if Matches has all events at these places that may
	// match, so that nothing is left if none of them can.
	Exhaustive bool
}

// Anomalies is what the search for patterns found. Its numbers count patterns
// at sets of places.
type Anomalies struct {
	Found   []Anomaly // in the order of patterns, then of their first events
	Locked  int       // excluded by a common lock
	Ordered int       // excluded by the must-order
	// Cut is set if the search was ended because there were too many ways to
	// choose events; what it found is then not all there is.
	Cut bool
}

// Bounds of the search.
const (
	maxCombinations = 1 << 22 // chunks, and choices of chunks, looked at
	maxRegion       = 64      // accesses of one region: more than these are passed over
)

// Search returns the patterns of three events and more that the events of t
// match, or may match in another order: that satisfies PECAN's mutation
// condition (Algorithm 2, for any number of events). Patterns of two events are
// for [FindRaces].
//
// Each set of events that a pattern has in one region, a chunk, is found by
// region; chunks are then put together by the variables that they share.
// Repeated chunks at the same places, under the same locks and with no
// communication in between, count once.
func Search(t *trace.Trace, o *order.Order, regions *Regions, patterns []Pattern) *Anomalies {
	s := newSearcher(t, o, regions, patterns)
	if len(s.shapes) == 0 {
		return new(Anomalies)
	}
	open := make([][]int32, len(t.Goroutines)) // accesses of the region that each goroutine is in
	in := make([]int32, len(t.Goroutines))
	for i := range t.Events {
		g, region := t.Events[i].G, regions.of[i]
		if in[g] != region {
			s.region(g, open[g])
			open[g], in[g] = open[g][:0], region
		}
		if s.locOf[i] < 0 {
			continue
		}
		if region == 0 {
			s.region(g, []int32{int32(i)})
		} else {
			open[g] = append(open[g], int32(i))
		}
	}
	for g := range open {
		s.region(trace.GID(g), open[g])
	}
	return s.result()
}

// A shape is what a pattern wants of one region.
type shape struct {
	writes []bool
	vars   []int // numbered from 0 within the shape
}

// A block is the events of a pattern in one region.
type block struct {
	shape     int
	goroutine int   // of the pattern
	events    []int // of the pattern
	vars      []int // of the pattern, by those of the shape
}

// A plan is a pattern cut into blocks.
type plan struct {
	*Pattern
	blocks []block
	vars   int // how many variables there are
	matcher
}

// A post is what a chunk has of one event.
type post struct {
	site, loc int32
	locks     order.LockSet
}

// A group of chunks that only goroutine and time tell apart.
type kind struct {
	shape  int
	posts  []post
	latest []chunk     // one for each goroutine
	by     []trace.GID // of latest
}

// A chunk is events of one region, with the number of the region.
type chunk struct {
	events []int32
	region int32
}

// anchor finds kinds by an event of theirs.
type anchor struct {
	shape, event int
	loc          int32
}

type searcher struct {
	t       *trace.Trace
	o       *order.Order
	regions *Regions
	plans   []plan
	shapes  []shape
	// uses are by shape the plans and blocks that want it.
	uses [][][2]int

	locOf    []int32   // by event: location, -1 where it is not shared
	overlaps [][]int32 // by location
	sites    map[uint64]int32

	seen  map[string][]place // the chunks of regions
	kinds map[string]*kind
	at    map[anchor][]*kind
	found map[string]*anomaly
	left  int  // combinations
	lossy bool // something was passed over because it was repeated
	key   []byte
}

type anomaly struct {
	plan    int
	free    bool // not all are excluded by locks
	seen    int
	nearest [][]int
}

func newSearcher(t *trace.Trace, o *order.Order, regions *Regions, patterns []Pattern) *searcher {
	s := &searcher{
		t: t, o: o, regions: regions, locOf: make([]int32, len(t.Events)), left: maxCombinations,
		sites: make(map[uint64]int32), seen: make(map[string][]place), kinds: make(map[string]*kind),
		at: make(map[anchor][]*kind), found: make(map[string]*anomaly),
	}
	for i := range s.locOf {
		s.locOf[i] = -1
	}
	groups := o.Groups()
	for k := range groups {
		g, base := &groups[k], int32(len(s.overlaps))
		for n, i := range g.Events {
			s.locOf[i] = base + g.At[n]
		}
		for _, os := range g.Overlaps {
			all := make([]int32, len(os))
			for n := range os {
				all[n] = base + os[n]
			}
			s.overlaps = append(s.overlaps, all)
		}
	}
	for k := range patterns {
		if len(patterns[k].Events) > 2 {
			s.plan(&patterns[k])
		}
	}
	return s
}

// plan cuts a pattern into blocks.
func (s *searcher) plan(p *Pattern) {
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
			s.shapes, s.uses = append(s.shapes, sh), append(s.uses, nil)
		}
		s.uses[b.shape] = append(s.uses[b.shape], [2]int{len(s.plans), n})
	}
	pl.vars = p.count(func(e PatternEvent) int { return e.Variable })
	pl.matcher = matcher{s: s, plan: len(s.plans), chosen: make([]*chunk, len(pl.blocks)), kinds: make([]*kind, len(pl.blocks))}
	s.plans = append(s.plans, pl)
}

func (s *searcher) post(i int32) post {
	key := uint64(s.t.Events[i].Site)
	if site, ok := s.t.Sites[s.t.Events[i].Site]; ok && site.Key != 0 {
		key = site.Key
	}
	id, ok := s.sites[key]
	if !ok {
		id = int32(len(s.sites))
		s.sites[key] = id
	}
	return post{id, s.locOf[i], s.o.LockSet(int(i))}
}

func (s *searcher) number(n int32) { s.key = binary.LittleEndian.AppendUint32(s.key, uint32(n)) }

func (s *searcher) postKey(p post) {
	s.number(p.site)
	s.number(p.loc)
	s.number(int32(p.locks))
}

// region takes the accesses of one region of goroutine g, or one access that
// is in none.
func (s *searcher) region(g trace.GID, events []int32) {
	if len(events) == 0 {
		return
	}
	posts := make([]post, 0, min(len(events), maxRegion))
	kept := make([]int32, 0, cap(posts))
	s.key = s.key[:0]
	s.number(int32(g))
	s.number(int32(s.o.Segment(int(events[0]))))
	for _, i := range events {
		// What is repeated without a pause adds nothing.
		p := s.post(i)
		if n := len(posts); n >= 2 && posts[n-1] == p && posts[n-2] == p && s.t.Events[kept[n-1]].Kind == s.t.Events[i].Kind || n == maxRegion {
			s.lossy = true
			continue
		}
		posts, kept = append(posts, p), append(kept, i)
		s.number(int32(s.t.Events[i].Kind))
		s.postKey(p)
	}
	if places, ok := s.seen[string(s.key)]; ok {
		// Ordered like the one before, so that it goes with nothing new; but
		// what comes is nearer to it.
		s.lossy = true
		for _, p := range places {
			p.move(kept)
		}
		return
	}
	key := string(s.key)
	c := &chooser{s: s, g: g, events: kept, posts: posts}
	for n := range s.shapes {
		c.shape = n
		c.choose(0)
	}
	s.seen[key] = c.places
}

// A place is where a chunk of a region is kept.
type place struct {
	k      *kind
	at     int     // index into its latest
	picked []int32 // indices into the accesses of the region
}

// move puts other events there.
func (p place) move(events []int32) {
	for n, k := range p.picked {
		p.k.latest[p.at].events[n] = events[k]
	}
}

// A chooser chooses events of a region for a shape.
type chooser struct {
	s      *searcher
	g      trace.GID
	events []int32
	posts  []post
	shape  int
	picked []int // indices into events
	places []place
}

func (c *chooser) choose(from int) {
	sh := &c.s.shapes[c.shape]
	n := len(c.picked)
	if n == len(sh.writes) {
		c.s.visit(c)
		return
	}
	for k := from; k < len(c.events) && c.s.left > 0; k++ {
		if c.fits(sh, n, k) {
			c.picked = append(c.picked, k)
			c.choose(k + 1)
			c.picked = c.picked[:n]
		}
	}
}

// fits reports whether event k of the region can be event n of the shape.
func (c *chooser) fits(sh *shape, n, k int) bool {
	e := &c.s.t.Events[c.events[k]]
	if sh.writes[n] && !order.Writes(e) || !sh.writes[n] && (e.Kind == trace.Write || e.Kind == trace.AtomicStore) {
		return false
	}
	for m, p := range c.picked {
		if same := slices.Contains(c.s.overlaps[c.posts[p].loc], c.posts[k].loc); same != (sh.vars[m] == sh.vars[n]) {
			return false
		}
	}
	return true
}

// visit notes the chunk that c has picked, and looks for others to go with it.
func (s *searcher) visit(c *chooser) {
	s.key = s.key[:0]
	s.number(int32(c.shape))
	for _, p := range c.picked {
		s.postKey(c.posts[p])
	}
	k := s.kinds[string(s.key)]
	if k == nil {
		k = &kind{shape: c.shape}
		for n, p := range c.picked {
			k.posts = append(k.posts, c.posts[p])
			a := anchor{c.shape, n, c.posts[p].loc}
			s.at[a] = append(s.at[a], k)
		}
		s.kinds[string(s.key)] = k
	}
	s.left--
	pl := place{k, slices.Index(k.by, c.g), make([]int32, len(c.picked))}
	for n, p := range c.picked {
		pl.picked[n] = int32(p)
	}
	known := pl.at >= 0 && s.together(k.latest[pl.at].events, c)
	if pl.at < 0 {
		pl.at = len(k.by)
		k.by, k.latest = append(k.by, c.g), append(k.latest, chunk{})
	}
	if !known {
		k.latest[pl.at].events = make([]int32, len(c.picked))
	}
	ch := &k.latest[pl.at]
	ch.region = s.regions.of[c.events[0]]
	pl.move(c.events)
	c.places = append(c.places, pl)
	if known {
		s.lossy = true
		return
	}
	for _, use := range s.uses[c.shape] {
		m := &s.plans[use[0]].matcher
		m.set(use[1], k, ch)
		m.next()
		m.set(use[1], nil, nil)
	}
}

// together reports whether a chunk has the same order to all that others do as
// what c has picked of the same kind and goroutine.
func (s *searcher) together(events []int32, c *chooser) bool {
	for n, i := range events {
		if s.o.Segment(int(i)) != s.o.Segment(int(c.events[c.picked[n]])) {
			return false
		}
	}
	return true
}

// A matcher chooses chunks for the blocks of a plan.
type matcher struct {
	s      *searcher
	plan   int
	chosen []*chunk // by block
	kinds  []*kind
}

func (m *matcher) set(b int, k *kind, c *chunk) { m.kinds[b], m.chosen[b] = k, c }

// next chooses a chunk for a block that has none, one that shares a variable
// with those that have one if there is such a block.
func (m *matcher) next() {
	if m.s.left <= 0 {
		return
	}
	blocks := m.s.plans[m.plan].blocks
	free := -1
	for b := range blocks {
		if m.chosen[b] != nil {
			continue
		}
		free = b
		for n, k := range blocks[b].events {
			if loc, ok := m.bound(m.s.plans[m.plan].Events[k].Variable); ok {
				for _, l := range m.s.overlaps[loc] {
					for _, kd := range m.s.at[anchor{blocks[b].shape, n, l}] {
						m.try(b, kd)
					}
				}
				return
			}
		}
	}
	if free < 0 {
		m.done()
		return
	}
	for l := range m.s.overlaps {
		for _, kd := range m.s.at[anchor{blocks[free].shape, 0, int32(l)}] {
			m.try(free, kd)
		}
	}
}

// bound returns a location that is chosen for a variable of the pattern.
func (m *matcher) bound(v int) (loc int32, ok bool) {
	for b, k := range m.kinds {
		if k == nil {
			continue
		}
		for n, e := range m.s.plans[m.plan].blocks[b].events {
			if m.s.plans[m.plan].Events[e].Variable == v {
				return k.posts[n].loc, true
			}
		}
	}
	return 0, false
}

// try goes on with chunks of kind k for block b.
func (m *matcher) try(b int, k *kind) {
	m.s.left--
	p := &m.s.plans[m.plan]
	for n, e := range p.blocks[b].events {
		for v := range p.vars {
			if loc, ok := m.bound(v); ok && slices.Contains(m.s.overlaps[loc], k.posts[n].loc) != (p.Events[e].Variable == v) {
				return
			}
		}
	}
	for n := range k.latest {
		if m.s.left--; m.fitsIn(b, &k.latest[n]) {
			m.set(b, k, &k.latest[n])
			m.next()
			m.set(b, nil, nil)
		}
	}
}

// fitsIn reports whether the goroutine and the region of c can be those of
// block b, given the other blocks.
func (m *matcher) fitsIn(b int, c *chunk) bool {
	blocks := m.s.plans[m.plan].blocks
	g := m.s.t.Events[c.events[0]].G
	for o, other := range m.chosen {
		if other == nil {
			continue
		}
		same := m.s.t.Events[other.events[0]].G == g
		if same != (blocks[o].goroutine == blocks[b].goroutine) || same && other.region == c.region && c.region != 0 {
			return false
		}
	}
	return true
}

// done looks at a choice for all blocks.
func (m *matcher) done() {
	p := &m.s.plans[m.plan]
	events := make([]int, len(p.Events))
	m.s.key = m.s.key[:0]
	m.s.number(int32(m.plan))
	for b := range p.blocks {
		for n, e := range p.blocks[b].events {
			events[e] = int(m.chosen[b].events[n])
			m.s.number(int32(e))
			m.s.number(m.kinds[b].posts[n].site)
		}
	}
	a := m.s.found[string(m.s.key)]
	if a == nil {
		a = &anomaly{plan: m.plan}
		m.s.found[string(m.s.key)] = a
	}
	if a.seen >= maxSeen {
		return
	}
	switch ordered, locked := mutable(m.s.t, m.s.o, events); {
	case locked:
	case ordered:
		a.free = true
	default:
		a.free = true
		a.add(events)
	}
}

// add keeps the nearest matches.
func (a *anomaly) add(events []int) {
	a.seen++
	at, _ := slices.BinarySearchFunc(a.nearest, events, func(x, y []int) int {
		return cmp.Or(cmp.Compare(spread(x), spread(y)), slices.Compare(x, y))
	})
	if a.nearest = slices.Insert(a.nearest, at, events); len(a.nearest) > MaxPairs {
		a.nearest = a.nearest[:MaxPairs]
	}
}

func spread(events []int) int { return slices.Max(events) - slices.Min(events) }

func (s *searcher) result() *Anomalies {
	r := &Anomalies{Cut: s.left <= 0}
	var found []*anomaly
	for _, a := range s.found {
		switch {
		case a.seen > 0:
			found = append(found, a)
		case a.free:
			r.Ordered++
		default:
			r.Locked++
		}
	}
	slices.SortFunc(found, func(a, b *anomaly) int {
		return cmp.Or(cmp.Compare(a.plan, b.plan), slices.Compare(a.nearest[0], b.nearest[0]))
	})
	for _, a := range found {
		r.Found = append(r.Found, Anomaly{s.plans[a.plan].Pattern, a.nearest, a.seen <= MaxPairs && !s.lossy && !r.Cut})
	}
	return r
}
