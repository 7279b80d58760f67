package anomaly

import (
	"encoding/binary"
	"iter"
	"slices"
	"strconv"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Tuple is a pattern at places of the program, one for each of its events.
type Tuple struct {
	Pattern *Pattern
	Places  []uint64
}

// A Braid is chunks of two goroutines, of which any one of the first with any one of the second
// has the events of a pattern of two regions; no lock excludes them. Chunks are ascending, event by event.
type Braid struct {
	*Pattern
	o     *order.Order
	t     *trace.Trace
	ks    [2][]int // the events of the pattern, by lane
	lanes [2]*lane
}

// A lane is chunks of one goroutine that only time tells apart.
type lane struct {
	g       trace.GID
	locs    []int32 // by event
	locks   []int32 // by event, among the sets; 0 where nothing of the other goroutine comes before and after
	through int32   // what is held from the first event to the last one, if something comes in between
	chunks  []int32 // their events, one after the other
}

// chunk returns the events of chunk number k.
func (l *lane) chunk(k int) []int32 { return l.chunks[k*len(l.locs):][:len(l.locs)] }

// n is how many chunks there are.
func (l *lane) n() int { return len(l.chunks) / len(l.locs) }

// events are those of the chunks of the given indices, in the order of the pattern.
func (b *Braid) events(f, s int) []int {
	events := make([]int, len(b.Events))
	for n, k := range [2]int{f, s} {
		for m, e := range b.ks[n] {
			events[e] = int(b.lanes[n].chunk(k)[m])
		}
	}
	return events
}

// ordered reports whether an event of chunk number k of one lane, by its number, must come before
// one of chunk number j of the other lane that the pattern has before it.
func (b *Braid) ordered(must Ordering, of, k, j int) bool {
	for x, late := range b.ks[of] {
		for y, early := range b.ks[1-of] {
			if early > late {
				continue
			}
			l, e := int(b.lanes[of].chunk(k)[x]), int(b.lanes[1-of].chunk(j)[y])
			if b.o.Before(l, e) || must.BeforeReached(l, e) {
				return true
			}
			// What comes behind, on the way to the goroutine's next event of the pattern, takes the event as done.
			if y+1 < len(b.ks[1-of]) && must.BeforeReached(l, b.o.Program().Next(e)) {
				return true
			}
		}
	}
	return false
}

// open yields for each chunk of the first lane, by its number, those of the second one that may go
// with it, by the must-order: the numbers from lo on and below hi. Neither ever goes down, as
// for [Row].
func (b *Braid) open(must Ordering, yield func(f, lo, hi int) bool) {
	lo, hi := 0, 0
	for f := range b.lanes[0].n() {
		for lo < b.lanes[1].n() && b.ordered(must, 1, lo, f) {
			lo++
		}
		for hi = max(hi, lo); hi < b.lanes[1].n() && !b.ordered(must, 0, f, hi); hi++ {
		}
		if lo < hi && !yield(f, lo, hi) {
			return
		}
	}
}

// Chunks is how many chunks there are.
func (b *Braid) Chunks() int { return b.lanes[0].n() + b.lanes[1].n() }

// Matches yields the ways to choose events that the must-order leaves, in the order of the
// pattern.
func (b *Braid) Matches(must Ordering) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		b.open(must, func(f, lo, hi int) bool {
			for s := lo; s < hi; s++ {
				if !yield(b.events(f, s)) {
					return false
				}
			}
			return true
		})
	}
}

// Recorded yields events that came in the order of the pattern, for each chunk of the first lane the first
// ones if there are some.
func (b *Braid) Recorded() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		s := 0
		for f := range b.lanes[0].n() {
			for s < b.lanes[1].n() && b.early(f, s) {
				s++
			}
			if s == b.lanes[1].n() {
				return
			}
			if events := b.events(f, s); slices.IsSorted(events) && !yield(events) {
				return
			}
		}
	}
}

// early reports whether an event of chunk s of the second lane came before one of chunk f of the
// first lane that the pattern has before it.
func (b *Braid) early(f, s int) bool {
	for x, first := range b.ks[0] {
		for y, second := range b.ks[1] {
			if first < second && b.lanes[1].chunk(s)[y] < b.lanes[0].chunk(f)[x] {
				return true
			}
		}
	}
	return false
}

// Bounds of what is kept for a tuple.
const (
	maxChunks = 1 << 18
	maxBraids = 1 << 14
	maxPlace  = 128 // accesses of one region at one place
)

// A Braider finds braids in one trace.
type Braider struct {
	*searcher
	tuples []Tuple
	locks  *lockNumbers
	at     map[uint64]*accessed
	open   []opened  // by goroutine
	marked []int     // by location: the last time that it was marked
	times  int       // how many times that was done
	last   int       // the tuple that was asked for last, -1 before there is one
	met    [][]int32 // by the number of a place of that: its accesses that have a counterpart
	spent  int
}

// Spent is how many accesses and chunks were looked at so far.
func (b *Braider) Spent() int { return b.spent }

// An accessed is the accesses at a place: all of them, ascending, and who does them, by location.
type accessed struct {
	events []int32
	by     map[int32]*spot
}

// A spot is who accesses a location at a place.
type spot struct {
	g    trace.GID // who was the first one
	many bool      // others do, too
}

// An opened is the accesses of the region that a goroutine is in, by the number of their place among
// those of the tuple at hand.
type opened struct {
	region  int32
	any     bool
	byPlace [][]int32
}

// NewBraider prepares to find those of the given tuples.
func NewBraider(t *trace.Trace, o *order.Order, regions *Regions, tuples []Tuple) *Braider {
	patterns := make([]Pattern, len(tuples))
	b := &Braider{tuples: tuples, last: -1, locks: newLockNumbers(t, o), at: make(map[uint64]*accessed), open: make([]opened, len(t.Goroutines))}
	for k := range tuples {
		patterns[k] = *tuples[k].Pattern
		for _, place := range tuples[k].Places {
			b.at[place] = &accessed{by: make(map[int32]*spot)}
		}
	}
	b.searcher = newSearcher(t, o, regions, patterns)
	b.marked = make([]int, b.overlaps.Len())
	at := make(map[trace.SiteID]*accessed)
	for i := range t.Events {
		loc := b.locOf(int32(i))
		if loc < 0 {
			continue
		}
		site := t.Events[i].Site
		a, ok := at[site]
		if !ok {
			a = b.at[b.place(int32(i))]
			at[site] = a
		}
		if a == nil {
			continue
		}
		g := t.Events[i].G
		sp := a.by[loc]
		if sp == nil {
			sp = &spot{g: g}
			a.by[loc] = sp
		}
		a.events, sp.many = append(a.events, int32(i)), sp.many || sp.g != g
	}
	return b
}

// Of returns for tuple number k all ways to choose its events, but for those that locks
// exclude: nothing is passed over, as it is for [Search], except what adds nothing, as it is shown
// by each run that shows it with an earlier first event, or with events of the second region that
// are nearer to each other. It returns nil where there are too many, and for patterns that are
// not of two regions of two goroutines with at most two events each. Only the first most accesses
// at the places are looked at; whole is set if these are all.
func (b *Braider) Of(k, most int) (braids []Braid, whole bool) {
	pl := &b.plans[k]
	if !pl.braided() {
		return nil, true
	}
	s := &strands{Braider: b, plan: pl, places: b.tuples[k].Places, room: maxChunks}
	for n := range pl.blocks {
		s.of[n] = s.strand(n)
	}
	if k != b.last { // who asks again does so with more accesses
		b.met, b.last = make([][]int32, len(s.places)), k
		for _, of := range s.of {
			s.meet(of)
		}
	}
	whole = s.find(most)
	if s.room <= 0 {
		return nil, true
	}
	return s.join(), whole
}

// braided reports whether a pattern is of two regions of two goroutines, of at most two
// events each, in both of which is a variable that they share.
func (p *plan) braided() bool {
	return len(p.blocks) == 2 && p.blocks[0].goroutine != p.blocks[1].goroutine &&
		len(p.blocks[0].events) <= 2 && len(p.blocks[1].events) <= 2 &&
		slices.ContainsFunc(p.blocks[0].vars, func(v int) bool { return slices.Contains(p.blocks[1].vars, v) })
}

// A strand is the chunks for one block of a tuple.
type strand struct {
	*block
	shape  *shape
	places []int      // by event: the number of its place
	others [][]uint64 // by event: the places of the other region where that accesses the same variable
	within []bool     // by event: the other region has events before and after
	lanes  []*lane
	of     map[string]*lane
}

// gap reports whether the other region has an event between the two of s.
func (s *strand) gap() bool { return len(s.events) == 2 && s.events[1] > s.events[0]+1 }

// strands are those of the two blocks of a tuple.
type strands struct {
	*Braider
	*plan
	places []uint64
	of     [2]*strand
	room   int // for chunks
}

func (b *strands) strand(n int) *strand {
	s := &strand{block: &b.blocks[n], shape: &b.shapes[b.blocks[n].shape], of: make(map[string]*lane)}
	for _, k := range s.events {
		s.places = append(s.places, slices.Index(b.places, b.places[k]))
		s.within = append(s.within, k > 0 && k < len(b.Events)-1)
		var others []uint64
		for _, j := range b.blocks[1-n].events {
			if b.Events[j].Variable == b.Events[k].Variable {
				others = append(others, b.places[j])
			}
		}
		s.others = append(s.others, others)
	}
	return s
}

// meet keeps those accesses at the places of s that have a counterpart of another goroutine in the
// other region.
func (b *strands) meet(s *strand) {
	for n, place := range s.places {
		its := b.Braider.at[b.places[place]]
		b.times++
		for loc, sp := range its.by {
			if !slices.ContainsFunc(s.others[n], func(place uint64) bool {
				for loc := range b.overlaps.Of(loc) {
					if other := b.Braider.at[place].by[loc]; other != nil && (sp.many || other.many || sp.g != other.g) {
						return false
					}
				}
				return true
			}) {
				b.marked[loc] = b.times
			}
		}
		var met []int32
		for _, i := range its.events {
			if b.marked[b.locOf(i)] == b.times {
				met = append(met, i)
			}
		}
		b.met[place] = merged(b.met[place], met)
	}
}

// merged returns what is in one of two ascending lists.
func merged(a, b []int32) []int32 {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// place is that of event i, as [Tuple] has it.
func (s *searcher) place(i int32) uint64 {
	return placeOf(s.index, s.t.Events[i].Site)
}

// placeOf returns what stays equal for equal places.
func placeOf(sites *trace.SiteIndex, id trace.SiteID) uint64 {
	if key := sites.Of(id).Key; key != 0 {
		return key
	}
	return uint64(id)
}

// find finds the chunks of both strands, region by region, of the first most accesses. It reports
// whether there are no more.
func (b *strands) find(most int) bool {
	left := slices.Clone(b.met)
	var gs []trace.GID // of which a region is open
	whole := true
	for ; b.room > 0; most-- {
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
		its := &b.open[g]
		if its.any && (b.regions.of.At(int(i)) == 0 || b.regions.of.At(int(i)) != its.region) {
			b.region(g, its)
		}
		if !its.any {
			its.any, its.region = true, b.regions.of.At(int(i))
			gs = append(gs, g)
		}
		for len(its.byPlace) < len(left) {
			its.byPlace = append(its.byPlace, nil)
		}
		if its.byPlace[next] = append(its.byPlace[next], i); len(its.byPlace[next]) > maxPlace {
			b.room = 0
		}
	}
	slices.Sort(gs)
	for _, g := range slices.Compact(gs) {
		b.region(g, &b.open[g])
	}
	return whole
}

// region finds the chunks of a region of goroutine g, and closes it.
func (b *strands) region(g trace.GID, its *opened) {
	if !its.any {
		return
	}
	for _, s := range b.of {
		if b.room > 0 {
			b.choose(s, g, its.byPlace)
		}
	}
	its.any = false
	for k := range its.byPlace {
		its.byPlace[k] = its.byPlace[k][:0]
	}
}

// choose finds the chunks of strand s in a region.
func (b *strands) choose(s *strand, g trace.GID, byPlace [][]int32) {
	var room [8]int32
	firsts := room[:0]
	for _, i := range byPlace[s.places[0]] {
		if b.fits(s, 0, i) {
			firsts = append(firsts, i)
		}
	}
	if len(firsts) == 0 {
		return
	}
	if len(s.events) == 1 {
		for _, i := range firsts {
			b.add(s, g, 0, i)
		}
		return
	}
	for _, j := range byPlace[s.places[1]] {
		if !b.fits(s, 1, j) {
			continue
		}
		n, _ := slices.BinarySearch(firsts, j)
		before := firsts[:n]
		for k := range before {
			// An earlier first event of the pattern is as good, and so is the last one
			// before the next event where nothing comes in between.
			i, ordinal := before[k], 0
			same := func(h int32) bool { return b.locOf(h) == b.locOf(i) }
			switch {
			case b.overlaps.Share(b.locOf(i), b.locOf(j)) != (s.shape.vars[0] == s.shape.vars[1]):
				continue
			case s.events[0] == 0:
				if slices.ContainsFunc(before[:k], same) {
					continue
				}
			case !s.gap():
				if slices.ContainsFunc(before[k+1:], func(h int32) bool { return same(h) && b.locks.of(h) == b.locks.of(i) }) {
					continue
				}
			default:
				ordinal = k
			}
			b.add(s, g, ordinal, i, j)
		}
	}
}

// fits reports whether event i can be number n of the strand.
func (b *strands) fits(s *strand, n int, i int32) bool {
	e := &b.t.Events[i]
	if s.shape.writes[n] {
		return e.Stores()
	}
	return e.Kind != trace.Write && e.Kind != trace.AtomicStore
}

// add adds a chunk. Those of other ordinals are in other lanes.
func (b *strands) add(s *strand, g trace.GID, ordinal int, events ...int32) {
	var locs, locks [2]int32
	through := int32(0)
	for n, i := range events {
		locs[n] = b.locOf(i)
		if s.within[n] {
			locks[n] = b.locks.of(i)
		}
	}
	if s.gap() {
		through = b.locks.through(events[0], events[1])
	}
	b.key = b.key[:0]
	for _, n := range [...]int32{int32(g), through, int32(ordinal), locs[0], locs[1], locks[0], locks[1]} {
		b.number(n)
	}
	l := s.of[string(b.key)]
	if l == nil {
		l = &lane{g: g, through: through, locs: slices.Clone(locs[:len(events)]), locks: slices.Clone(locks[:len(events)])}
		s.of[string(b.key)] = l
		s.lanes = append(s.lanes, l)
	}
	l.chunks = append(l.chunks, events...)
	b.room--
	b.spent++
}

// join puts the lanes of both strands together.
func (b *strands) join() []Braid {
	p, ks := b.Pattern, [2][]int{b.blocks[0].events, b.blocks[1].events}
	braids := []Braid{}
	byLoc := make(map[int32][]*lane)
	// A variable that both have.
	n, m := 0, -1
	for ; m < 0; n++ {
		v := p.Events[ks[0][n]].Variable
		m = slices.IndexFunc(ks[1], func(k int) bool { return p.Events[k].Variable == v })
	}
	n--
	for _, l := range b.of[1].lanes {
		byLoc[l.locs[m]] = append(byLoc[l.locs[m]], l)
	}
	for _, l := range b.of[0].lanes {
		for loc := range b.overlaps.Of(l.locs[n]) {
			for _, h := range byLoc[loc] {
				if l.g == h.g || !b.share(p, ks, l, h) || b.locks.exclude(l, h) || b.locks.exclude(h, l) {
					continue
				}
				if len(braids) == maxBraids {
					return nil
				}
				braids = append(braids, Braid{p, b.o, b.t, ks, [2]*lane{l, h}})
			}
		}
	}
	return braids
}

// share reports whether the lanes access the same memory where the pattern has the same variable, and
// other memory elsewhere.
func (b *strands) share(p *Pattern, ks [2][]int, l, h *lane) bool {
	for x, k := range ks[0] {
		for y, j := range ks[1] {
			if b.overlaps.Share(l.locs[x], h.locs[y]) != (p.Events[k].Variable == p.Events[j].Variable) {
				return false
			}
		}
	}
	return true
}

// lockNumbers number sets of locks, without those that only one goroutine takes.
type lockNumbers struct {
	t       *trace.Trace
	o       *order.Order
	many    map[uint64]bool
	sets    [][]order.Lock
	numbers map[string]int32
	known   map[order.LockSet]int32
	key     []byte       // scratch
	locks   []order.Lock // scratch
}

func newLockNumbers(t *trace.Trace, o *order.Order) *lockNumbers {
	n := &lockNumbers{t: t, o: o, many: make(map[uint64]bool), sets: [][]order.Lock{nil}, numbers: make(map[string]int32), known: make(map[order.LockSet]int32)}
	by := make(map[uint64]trace.GID)
	for _, s := range o.Sections() {
		g := t.Events[s.Acq].G
		if one, ok := by[s.Obj]; ok && one != g {
			n.many[s.Obj] = true
		}
		by[s.Obj] = g
	}
	return n
}

// of is the number of the locks that protect event i.
func (n *lockNumbers) of(i int32) int32 {
	set := n.o.LockSet(int(i))
	if set == 0 {
		return 0
	}
	k, ok := n.known[set]
	if !ok {
		k = n.number(slices.Clone(n.o.Locks(set)))
		n.known[set] = k
	}
	return k
}

// through is the number of the locks that are held from event i to event j of the same goroutine,
// each in one critical section.
func (n *lockNumbers) through(i, j int32) int32 {
	locks := n.locks[:0]
	after := n.o.Held(int(j))
	for _, acq := range n.o.Held(int(i)) {
		if slices.Contains(after, acq) {
			e := &n.t.Events[acq]
			locks = append(locks, order.Lock{Obj: e.Obj, Shared: e.Kind == trace.RAcquire})
		}
	}
	n.locks = locks
	return n.number(locks)
}

func (n *lockNumbers) number(locks []order.Lock) int32 {
	locks = slices.DeleteFunc(locks, func(l order.Lock) bool { return !n.many[l.Obj] })
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

// exclude reports whether what l holds all the time keeps an event of h from coming in between.
func (n *lockNumbers) exclude(l, h *lane) bool {
	return slices.ContainsFunc(h.locks, func(k int32) bool { return order.Exclude(n.sets[l.through], n.sets[k]) })
}

// Ends returns the first events of both lanes and the last ones, in the order of the pattern.
func (b *Braid) Ends() (first, last []int) {
	return b.events(0, 0), b.events(b.lanes[0].n()-1, b.lanes[1].n()-1)
}
