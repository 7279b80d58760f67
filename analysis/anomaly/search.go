package anomaly

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
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
	Places     []uint64 // of the events of each match
}

// Tuple is the pattern at its places.
func (a *Anomaly) Tuple() Tuple { return Tuple{a.Pattern, a.Places} }

// Anomalies is what the search for patterns found. Its numbers count patterns
// at sets of places.
type Anomalies struct {
	Found   []Anomaly // in the order of patterns, then of their first events
	Locked  int       // excluded by a common lock
	Ordered int       // excluded by the must-order
	// Cut is set if the search was ended because there were too many ways to
	// choose events; what it found is then not all there is.
	Cut   bool
	Spent int // chunks, and choices of chunks, looked at
}

// Bounds of the search.
const (
	MaxCombinations = 1 << 21 // chunks, and choices of chunks, looked at
	choiceLooks     = 4       // chunks that a choice counts as: there may be as many as chunks, squared
	lookupsPerLook  = 4       // locations that count as a chunk, where kinds are looked up there
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
// communication in between, count once. Not more than most chunks and choices of chunks are looked at,
// nor than MaxCombinations.
func Search(t *trace.Trace, o *order.Order, regions *Regions, patterns []Pattern, most int) *Anomalies {
	s := newSearcher(t, o, regions, patterns)
	s.most = min(most, MaxCombinations)
	s.left = s.most
	if len(s.shapes) == 0 {
		return new(Anomalies)
	}
	s.changes = make([]int, s.overlaps.Len())
	open := make([][]int32, len(t.Goroutines)) // accesses of the region that each goroutine is in
	in := make([]int32, len(t.Goroutines))
	for i := range t.Events {
		g, region := t.Events[i].G, regions.of.At(i)
		if in[g] != region {
			s.region(g, open[g])
			open[g], in[g] = open[g][:0], region
		}
		if s.locOf(int32(i)) < 0 {
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
	at     []seat     // of each event
	gaps   []straddle // of its events
	vars   int        // how many variables there are
	matcher
}

// A seat is where an event of a pattern is: number n of a block.
type seat struct{ block, n int }

// A post is what a chunk has of one event.
type post struct {
	site, loc int32
	locks     order.LockSet
}

// A kind is chunks that only goroutine and time tell apart.
type kind struct {
	shape  int
	posts  []post
	latest []chunk                            // one for each goroutine
	by     *numbering.Numbers[numbering.Word] // the goroutines, as latest has them; nil while they are few
	// barren has for each use of the shape the stamp of the last time that nothing was found which
	// goes with chunks of the kind, see [searcher.stamp].
	barren []int
	// through is what was held all along the events of each chunk so far.
	through []order.Lock
}

// fewGoroutines are looked through one by one: most kinds have a single one.
const fewGoroutines = 8

// of returns the index of what goroutine g has in latest, or is to have.
func (k *kind) of(g trace.GID) int {
	if k.by == nil {
		for n := range k.latest {
			if k.latest[n].g == g {
				return n
			}
		}
		if len(k.latest) < fewGoroutines {
			return len(k.latest)
		}
		k.by = new(numbering.Numbers[numbering.Word])
		for _, c := range k.latest {
			k.by.Of(numbering.Word(c.g))
		}
	}
	return int(k.by.Of(numbering.Word(g)))
}

// A chunk is events of one region of a goroutine, with the number of the region.
type chunk struct {
	events []int32
	g      trace.GID
	region int32
}

// anchor finds kinds by an event of theirs, and by the location of the next event if that is not -1.
type anchor struct {
	shape, event int
	loc, next    int32
}

// A searcher is the indexed graph (PECAN §5.1), and what was found in it: events
// by location, shape, access type, region and goroutine.
type searcher struct {
	t       *trace.Trace
	o       *order.Order
	regions *Regions
	plans   []plan
	shapes  []shape
	// uses are by shape the plans and blocks that want it.
	uses [][][2]int

	index     *trace.SiteIndex
	shared    trace.Marks // the events on shared memory
	locations []int32     // by the numbers of shared: location, -1 where that was passed over
	overlaps  *order.Overlaps
	sites     map[uint64]int32

	seen    []recent     // by goroutine
	through []order.Lock // what the region at hand holds all the time
	locks   []order.Lock // scratch
	chooser chooser      // of the region at hand
	kinds   map[string]*kind
	at      map[anchor][]*kind
	changes []int // by location: how often a kind there was made, or changed what it holds
	found   map[string]*anomaly
	most    int    // combinations
	left    int    // of these
	lossy   []bool // by site: accesses there were passed over
	key     []byte
}

// An anomaly is what was found out about a pattern at a set of places.
type anomaly struct {
	plan    int
	sites   []int32
	free    bool // not all are excluded by locks
	seen    int
	nearest [][]int
}

func newSearcher(t *trace.Trace, o *order.Order, regions *Regions, patterns []Pattern) *searcher {
	s := &searcher{
		t: t, o: o, index: o.Sites(), regions: regions,
		sites: make(map[uint64]int32), seen: make([]recent, len(t.Goroutines)), kinds: make(map[string]*kind),
		at: make(map[anchor][]*kind), found: make(map[string]*anomaly),
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
			s.plan(&patterns[k])
		}
	}
	if !slices.ContainsFunc(s.plans, func(p plan) bool { return !p.joined() }) {
		s.passOver()
	}
	return s
}

// locOf returns the location of event i, -1 where it is not shared.
func (s *searcher) locOf(i int32) int32 {
	n := s.shared.NumberOf(int(i))
	if n < 0 {
		return -1
	}
	return s.locations[n]
}

// joined reports whether each variable of p is accessed by a region with several
// events of p.
func (p *plan) joined() bool {
	joined := make([]bool, p.vars)
	for _, b := range p.blocks {
		for _, v := range b.vars {
			joined[v] = joined[v] || len(b.events) > 1
		}
	}
	return !slices.Contains(joined, false)
}

// passOver leaves out locations that no region accesses together with others or
// more than once: joined patterns have no use for them.
func (s *searcher) passOver() {
	wanted := make([]bool, s.overlaps.Len())
	want := func(loc int32) {
		for l := range s.overlaps.Of(loc) {
			wanted[l] = true
		}
	}
	last := make([]struct{ region, loc int32 }, len(s.t.Goroutines)) // by goroutine: where its last access was
	for n, i := range s.shared.All {
		loc := s.locations[n]
		region, l := s.regions.of.At(i), &last[s.t.Events[i].G]
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
	pl.at, pl.gaps = make([]seat, len(p.Events)), p.straddles()
	for n := range pl.blocks {
		for k, e := range pl.blocks[n].events {
			pl.at[e] = seat{n, k}
		}
	}
	pl.matcher = matcher{
		s: s, plan: len(s.plans), chosen: make([]*chunk, len(pl.blocks)), kinds: make([]*kind, len(pl.blocks)),
		of: make([]*kind, len(pl.blocks)), events: make([]int, len(p.Events)), open: len(pl.blocks), past: make([]order.Past, len(p.Events)),
	}
	s.plans = append(s.plans, pl)
}

func (s *searcher) post(i int32) post {
	key := s.place(i)
	id, ok := s.sites[key]
	if !ok {
		id = int32(len(s.sites))
		s.sites[key], s.lossy = id, append(s.lossy, false)
	}
	return post{id, s.locOf(i), s.o.LockSet(int(i))}
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
	if len(events) == 0 || s.left <= 0 {
		return
	}
	posts := make([]post, 0, min(len(events), maxRegion))
	kept := make([]int32, 0, cap(posts))
	seen := &s.seen[g]
	seen.enter(s.o.Segment(int(events[0])))
	s.key = s.key[:0]
	for _, i := range events {
		// What is repeated without a pause adds nothing.
		p := s.post(i)
		if n := len(posts); n >= 2 && posts[n-1] == p && posts[n-2] == p && s.t.Events[kept[n-1]].Kind == s.t.Events[i].Kind || n == maxRegion {
			s.lossy[p.site] = true
			continue
		}
		posts, kept = append(posts, p), append(kept, i)
		s.number(int32(s.t.Events[i].Kind))
		s.postKey(p)
	}
	s.through = s.held(s.through[:0], kept[0], kept[len(kept)-1])
	s.lockKey(s.through)
	if its, ok := seen.chunks[string(s.key)]; ok {
		// Ordered like the one before, so that it goes with nothing new; but
		// what comes is nearer to it.
		for _, p := range posts {
			s.lossy[p.site] = true
		}
		for picked := its.picked; len(its.slots) > 0; its.slots = its.slots[1:] {
			p := its.slots[0]
			ch := p.k.latest[p.at].events
			for n := range ch {
				ch[n] = kept[picked[n]]
			}
			picked = picked[len(ch):]
			s.hold(p.k, ch)
		}
		return
	}
	key := string(s.key)
	c := &s.chooser
	*c = chooser{s: s, g: g, events: kept, posts: posts, chunks: chunks{c.chunks.slots[:0], c.chunks.picked[:0]}}
	for n := range s.shapes {
		c.shape = n
		c.choose(0)
	}
	seen.chunks[key] = chunks{slices.Clone(c.chunks.slots), slices.Clone(c.chunks.picked)}
}

// lockKey appends locks to the key, in a way that tells them from what is before.
func (s *searcher) lockKey(locks []order.Lock) {
	for _, l := range locks {
		s.key = binary.LittleEndian.AppendUint64(s.key, l.Obj)
		shared := int32(0)
		if l.Shared {
			shared = 1
		}
		s.number(shared)
	}
	s.number(int32(len(locks)))
}

// held appends the locks that are held from event i to event j of the same goroutine, each in one
// critical section.
func (s *searcher) held(locks []order.Lock, i, j int32) []order.Lock {
	after := s.o.Held(int(j))
	for _, acq := range s.o.Held(int(i)) {
		if slices.Contains(after, acq) {
			e := &s.t.Events[acq]
			locks = append(locks, order.Lock{Obj: e.Obj, Shared: e.Kind == trace.RAcquire})
		}
	}
	return locks
}

// hold notes what the goroutine holds all along the events of a further chunk of k in the region at
// hand.
func (s *searcher) hold(k *kind, events []int32) {
	if !slices.ContainsFunc(k.through, func(l order.Lock) bool { return !slices.Contains(s.through, l) }) {
		return
	}
	locks := s.held(s.locks[:0], events[0], events[len(events)-1])
	s.locks = locks
	held := len(k.through)
	if k.through = slices.DeleteFunc(k.through, func(l order.Lock) bool { return !slices.Contains(locks, l) }); len(k.through) < held {
		s.change(k)
	}
}

// recent is the regions of a goroutine in the segment that it is in: where the
// chunks are of those that look alike. None of another segment is ordered like
// them.
type recent struct {
	segment int
	chunks  map[string]chunks
}

// enter forgets what was in another segment.
func (r *recent) enter(segment int) {
	switch {
	case r.chunks == nil:
		r.chunks = make(map[string]chunks)
	case r.segment != segment:
		clear(r.chunks)
	}
	r.segment = segment
}

// chunks are those of a region: where they are kept, and the indices of their events into the accesses of
// the region, one chunk after the other.
type chunks struct {
	slots  []slot
	picked []int32
}

// A slot is where a chunk is kept.
type slot struct {
	k  *kind
	at int // index into its latest
}

func (s *searcher) result() *Anomalies {
	r := &Anomalies{Cut: s.left <= 0, Spent: s.most - s.left}
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
		all := a.seen <= MaxPairs && !r.Cut && !slices.ContainsFunc(a.sites, func(site int32) bool { return s.lossy[site] })
		places := make([]uint64, len(a.nearest[0]))
		for k, i := range a.nearest[0] {
			places[k] = s.place(int32(i))
		}
		r.Found = append(r.Found, Anomaly{s.plans[a.plan].Pattern, a.nearest, all, places})
	}
	return r
}
