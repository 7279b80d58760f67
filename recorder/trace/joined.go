package trace

import "github.com/gopredict/gopredict/recorder/trace/numbering"

// This file joins the generations of memory that one access covers. The pages of a large variable may
// have different generations, because they belonged to several variables before that were freed one
// by one. An access that covers several pages shows that they now belong to one variable.

// joinedAreas is a union-find structure of areas of pages. Areas that one access covers are in one
// set, and all areas of a set have the latest generation in it.
type joinedAreas struct {
	areas  map[pageGeneration][]area
	parent []int32 // by set: a set that contains it, or itself
	latest []int32 // by set: its latest generation
}

type pageGeneration struct {
	page       uint64
	generation int32
}

// An area is a range of bytes in a page, without to, and the set that it belongs to.
type area struct {
	from, to uint64
	set      int32
}

// maxPagesOf bounds the pages of an access whose pages are joined.
const maxPagesOf = 1 << 14

// maxJoinings bounds the passes over a trace: accesses that cover only a part of a joined area may
// need several.
const maxJoinings = 4

// join joins the areas of accesses that cover several pages or overlap joined areas.
func (g *Generations) join() {
	g.joined.areas = make(map[pageGeneration][]area)
	for range maxJoinings {
		found := false
		for i := range g.t.Events {
			if e := &g.t.Events[i]; e.isWide() || g.mayOverlapJoined(e) {
				g.advance(i)
				found = g.joinOver(e) || found
			}
		}
		g.rewind()
		if !found {
			return
		}
	}
}

// mayOverlapJoined reports whether e, within one page, may overlap a joined area.
func (g *Generations) mayOverlapJoined(e *Event) bool {
	if len(g.joined.areas) == 0 || !e.Kind.IsAccess() || e.Size <= 1 {
		return false
	}
	page := g.pages.Known(numbering.Word(e.Obj >> PageBits))
	return page != nil && page.hasJoinedAreas && (e.Obj+uint64(e.Size)-1)>>PageBits == e.Obj>>PageBits
}

// isWide reports whether e accesses several pages, but not too many. Memory within one page is freed
// at once, so narrow accesses need no joining.
func (e *Event) isWide() bool {
	if !e.Kind.IsAccess() || e.Size <= 1 {
		return false
	}
	first, last := e.Obj>>PageBits, (e.Obj+uint64(e.Size)-1)>>PageBits
	return first < last && last-first < maxPagesOf
}

// joinOver joins the areas that e covers. It reports whether they were in different sets.
func (g *Generations) joinOver(e *Event) bool {
	one, differ := int32(-1), false
	for n, s := range g.areasOf(e) {
		for from := s.from; from < s.to; {
			var now int32
			now, from = g.joined.generation(n, from, s.set)
			differ = differ || one >= 0 && now != one
			one = now
		}
	}
	if !differ {
		return false
	}
	set := int32(len(g.joined.parent))
	g.joined.parent, g.joined.latest = append(g.joined.parent, set), append(g.joined.latest, 0)
	for n, s := range g.areasOf(e) {
		g.pages.Known(numbering.Word(n)).hasJoinedAreas = true
		g.joined.add(n, s.set, area{s.from, s.to, set})
	}
	return true
}

// areasOf yields the areas of one generation that e covers, with their pages. It skips pages that are
// not tracked. The set of each area is its generation.
func (g *Generations) areasOf(e *Event) func(func(uint64, area) bool) {
	end := e.Obj + uint64(e.Size)
	return func(yield func(uint64, area) bool) {
		for n := e.Obj >> PageBits; n <= (end-1)>>PageBits; n++ {
			page := g.pages.Known(numbering.Word(n))
			if page == nil {
				continue
			}
			from, to := max(e.Obj, n<<PageBits)-n<<PageBits, min(end-n<<PageBits, PageSize)
			for from < to {
				s := area{from, to, page.generationAt(from)}
				if page.parts != nil {
					k := from >> page.partBits
					for k++; k < to>>page.partBits && page.parts[k] == s.set; k++ {
					}
					s.to = min(to, k<<page.partBits)
				}
				if !yield(n, s) {
					return
				}
				from = s.to
			}
		}
	}
}

// add adds area s of a page to its set. The area has the given generation, and is merged with those it
// overlaps.
func (j *joinedAreas) add(page uint64, generation int32, s area) {
	at := pageGeneration{page, generation}
	s.set = j.root(s.set)
	j.latest[s.set] = max(j.latest[s.set], generation)
	others := j.areas[at][:0]
	for _, o := range j.areas[at] {
		if o.to <= s.from || s.to <= o.from {
			others = append(others, o)
			continue
		}
		s.from, s.to = min(s.from, o.from), max(s.to, o.to)
		if o := j.root(o.set); o != s.set {
			j.parent[o] = s.set
			j.latest[s.set] = max(j.latest[s.set], j.latest[o])
		}
	}
	j.areas[at] = append(others, s)
}

// generation returns the joined generation of the memory at offset in page, and the offset up to which
// it applies.
func (j *joinedAreas) generation(page, offset uint64, generation int32) (joined int32, to uint64) {
	to = PageSize
	for _, s := range j.areas[pageGeneration{page, generation}] {
		switch {
		case s.from <= offset && offset < s.to:
			return j.latest[j.root(s.set)], s.to
		case offset < s.from:
			to = min(to, s.from)
		}
	}
	return generation, to
}

// root returns the set that contains set and is contained in no other.
func (j *joinedAreas) root(set int32) int32 {
	for j.parent[set] != set {
		j.parent[set] = j.parent[j.parent[set]]
		set = j.parent[set]
	}
	return set
}
