package trace

import "github.com/gopredict/gopredict/recorder/trace/numbering"

// This file joins the generations of what one access goes over. The pages of a large variable may have been freed one by
// one, as what was there before, and so be of different generations; an access to all of it shows that they are of one
// variable then.

// Joined are the areas of pages that accesses have gone over together, by the generation that they had then. All
// that are of one variable get the latest generation of these.
type joinedAreas struct {
	areas  map[pageGeneration][]area
	parent []int32 // by number of a set of areas: one that has these as well, or itself
	latest []int32 // by number: the latest generation
}

type pageGeneration struct {
	page       uint64
	generation int32
}

// An area is the bytes of a page from one up to another, which is not included, and the number of its set.
type area struct {
	from, to uint64
	set      int32
}

// maxPagesOf is how many pages an access has at most that is looked at page by page.
const maxPagesOf = 1 << 14

// maxJoinings bounds how often a trace is gone through for this: accesses that go over a part of what others go over
// may take several times.
const maxJoinings = 4

// join finds what accesses go over that are not in one page.
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

// meets reports whether e may go over a part of what others go over.
func (g *Generations) mayOverlapJoined(e *Event) bool {
	if len(g.joined.areas) == 0 || !e.Kind.IsAccess() || e.Size <= 1 {
		return false
	}
	page := g.pages.Known(numbering.Word(e.Obj >> PageBits))
	return page != nil && page.hasJoinedAreas && (e.Obj+uint64(e.Size)-1)>>PageBits == e.Obj>>PageBits
}

// isWide reports whether e accesses several pages, and not more of them than are worth it. What is free in one page is
// given back at once.
func (e *Event) isWide() bool {
	if !e.Kind.IsAccess() || e.Size <= 1 {
		return false
	}
	first, last := e.Obj>>PageBits, (e.Obj+uint64(e.Size)-1)>>PageBits
	return first < last && last-first < maxPagesOf
}

// joinOver joins what e goes over. It reports whether that was not joined before.
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

// over yields the pages that e goes over, of those with an access, and their areas of one generation, which stands in
// place of the set.
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
					k := from >> page.bits
					for k++; k < to>>page.bits && page.parts[k] == s.set; k++ {
					}
					s.to = min(to, k<<page.bits)
				}
				if !yield(n, s) {
					return
				}
				from = s.to
			}
		}
	}
}

// add adds an area of a page that is of a generation to its set.
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

// generation returns the generation that what is in a page at an offset gets, and up to where that is so.
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

// root returns the number of the set that has all of the one with a number.
func (j *joinedAreas) root(set int32) int32 {
	for j.parent[set] != set {
		j.parent[set] = j.parent[j.parent[set]]
		set = j.parent[set]
	}
	return set
}
