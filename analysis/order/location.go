package order

import (
	"cmp"
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// This file finds the memory that goroutines share. Races and patterns are only on locations
// that more than one goroutine accesses and one writes; in most traces these are few. Whole
// pages are looked at first: a page that one goroutine uses alone has no shared location, and
// its locations need no numbers.
//
// Accesses of one location may have different sizes, as those of a struct and of its fields.
// Locations that overlap, directly or through others, form one group.

// A Location is a range of memory that events accessed as a whole. Those of
// other generations are other variables that were at one address in turn.
type Location struct {
	Obj        uint64
	Size       uint32
	Generation int32
}

// end is the address after the location.
func (l Location) end() uint64 {
	if end := l.Obj + uint64(l.Size); end > l.Obj {
		return end
	}
	return math.MaxUint64
}

// Hash is that of a [numbering.Key].
func (l Location) Hash() uint64 { return numbering.HashMemory(l.Obj, l.Size, l.Generation) }

// compare orders locations by generation, address and size. It says no more than it has to: each location that
// is accessed is sorted.
func (l *Location) compare(o *Location) int {
	switch {
	case l.Generation != o.Generation:
		return cmp.Compare(l.Generation, o.Generation)
	case l.Obj != o.Obj:
		return cmp.Compare(l.Obj, o.Obj)
	}
	return cmp.Compare(l.Size, o.Size)
}

// A Group is the events on locations that overlap, directly or through others
// of the group: struct and field, array and element.
type Group struct {
	Locations  []Location // by address
	Overlaps   *Overlaps  // of these
	Events     []int32    // positions, ascending
	LocationOf []int32    // for each of Events, its index in Locations
	Accesses   []Access
}

// usage is what decides whether a location is shared.
type usage struct {
	g        trace.GID
	events   int32
	several  bool   // more goroutines than g
	accesses Access // all of them
	isMemory bool   // some are by loads and stores
	stored   bool   // some are by stores, or by a close
}

func (u usage) merge(o usage) usage {
	u.several = u.several || o.several || u.g != o.g
	u.accesses |= o.accesses
	u.isMemory = u.isMemory || o.isMemory
	u.stored = u.stored || o.stored
	u.events += o.events
	return u
}

// shared reports whether there is anything to find. Most objects of
// synchronization are touched by their own operations only.
func (u usage) shared() bool {
	return u.several && (u.stored || u.isMemory && u.accesses&isObject != 0 || u.accesses&(isAdd|isWait) == isAdd|isWait)
}

// groups returns the groups that more than one goroutine accesses and at
// least one writes, ordered by their first events.
func groups(t *trace.Trace) []Group {
	var ids numbering.Numbers[Location]
	var uses []usage
	generations := trace.NewGenerations(t)
	pages := usedPages(t)
	var at []int32 // locations, of those events that may be on one that is shared
	may := trace.NewMarks(len(t.Events), func(mark func(int)) {
		for i := range t.Events {
			e := &t.Events[i]
			loc, how, ok := locationOf(e)
			if !ok || !pages.shared(&loc) {
				continue
			}
			loc.Generation = generations.Of(i)
			id := ids.Of(loc)
			if int(id) == len(uses) {
				uses = append(uses, usage{g: e.G})
			}
			mark(i)
			at = append(at, id)
			u := &uses[id]
			u.several = u.several || u.g != e.G
			u.accesses |= how
			u.isMemory = u.isMemory || e.Kind.IsAccess()
			u.stored = u.stored || how&isWrite != 0 && how&isObject == 0
			u.events++
		}
	})

	gs, groupOf, index := shared(ids.Keys(), uses)
	for n, i := range may.All {
		if id := at[n]; groupOf[id] >= 0 {
			g := &gs[groupOf[id]]
			g.Events = append(g.Events, int32(i))
			g.LocationOf = append(g.LocationOf, index[id])
			_, how, _ := locationOf(&t.Events[i])
			g.Accesses = append(g.Accesses, how)
		}
	}
	slices.SortFunc(gs, func(a, b Group) int { return cmp.Compare(a.Events[0], b.Events[0]) })
	return gs
}

// A usedPage says which goroutine uses a page of memory. As long as it is one, nothing there is
// shared. So most locations need no number.
type usedPage struct {
	g      trace.GID
	used   bool
	shared bool // more goroutines than g, or locations that are not in this page only
}

// pages are those of memory that a trace uses, by their numbers.
type pages struct {
	table numbering.Table[numbering.Word, usedPage]
}

// page is the number of the page where l begins.
func (l *Location) page() numbering.Word { return numbering.Word(l.Obj >> pageBits) }

// shared reports whether l may be.
func (p *pages) shared(l *Location) bool { return p == nil || p.table.Of(l.page()).shared }

// usedPages returns the pages that t uses, or nil if all may be shared.
func usedPages(t *trace.Trace) *pages {
	p := new(pages)
	for i := range t.Events {
		e := &t.Events[i]
		loc, _, ok := locationOf(e)
		if !ok {
			continue
		}
		first, last := loc.page(), numbering.Word((loc.end()-1)>>pageBits)
		if last-first >= maxPages {
			return nil
		}
		page := p.table.Of(first)
		page.shared = page.shared || page.used && page.g != e.G || first != last
		page.g, page.used = e.G, true
		for n := first + 1; n <= last; n++ {
			p.table.Of(n).shared = true
		}
	}
	return p
}

// shared joins overlapping locations to groups and keeps the shared ones. It
// returns for each location its group (-1 for none) and its index there. Sorted by address, the
// locations of a group follow each other: each one begins before the greatest end so far.
func shared(locs []Location, uses []usage) (gs []Group, groupOf, index []int32) {
	sorted := make([]int32, len(locs))
	for i := range sorted {
		sorted[i] = int32(i)
	}
	slices.SortFunc(sorted, func(a, b int32) int { return locs[a].compare(&locs[b]) })
	groupOf = make([]int32, len(locs))
	index = make([]int32, len(locs))
	for lo := 0; lo < len(sorted); {
		use, end, generation := uses[sorted[lo]], locs[sorted[lo]].end(), locs[sorted[lo]].Generation
		hi := lo + 1
		for hi < len(sorted) && locs[sorted[hi]].Generation == generation && locs[sorted[hi]].Obj < end {
			use = use.merge(uses[sorted[hi]])
			end = max(end, locs[sorted[hi]].end())
			hi++
		}
		group := int32(-1)
		if use.shared() {
			group = int32(len(gs))
			g := Group{Events: make([]int32, 0, use.events), LocationOf: make([]int32, 0, use.events), Accesses: make([]Access, 0, use.events)}
			for k, id := range sorted[lo:hi] {
				g.Locations = append(g.Locations, locs[id])
				index[id] = int32(k)
			}
			g.Overlaps = findOverlaps(g.Locations)
			gs = append(gs, g)
		}
		for _, id := range sorted[lo:hi] {
			groupOf[id] = group
		}
		lo = hi
	}
	return gs, groupOf, index
}
