package trace

import (
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// This file finds thread-local accesses: loads and stores of memory that one goroutine uses alone, from when it was
// allocated until it is freed. No order of goroutines makes them others.

// A locality has seen the accesses of a trace, and tells by goroutine and site whether all of them are thread-local.
// It is not told by access: a schedule says how often its goroutine has come to a site.
type locality struct {
	places numbering.Numbers[place]
	meets  []bool                // by place: an access there meets others, or is none that could be local
	sets   []placeSet            // 0 is the empty one
	alone  []int32               // by place: the set of it alone, or 0
	with   map[setAndPlace]int32 // a set with one place more, if it has any
	pages  map[uint64]*localPage
	recent [1 << 8]struct { // pages that were asked for last, by the lower bits of their numbers
		page   *localPage
		number uint64
	}
	last      [1 << 8]place // places that were asked for last
	lastPlace [1 << 8]int32 // one more than their numbers, 0 of none
	divided   int
	full      bool // there is too much memory to tell
}

// A place is where a goroutine accesses memory.
type place struct {
	g    GID
	site SiteID
}

// Hash is that of a [numbering.Key].
func (p place) Hash() uint64 { return numbering.Hash(uint64(p.g)<<32 | uint64(p.site)) }

// A placeSet is some places of one goroutine: those of another set and one more.
type placeSet struct {
	rest, place int32
	n           int8
	meets       bool // as do all its places
}

type setAndPlace struct{ set, place int32 }

// A localPage is a page of memory, by granules. Each has the set of the places where it was accessed, or shared.
type localPage struct {
	all  int32
	sets []int32 // nil: all are the same
}

// shared is in place of a set where several goroutines have accessed the memory, or its places are many.
const shared = -1

// maxPlaces is how many places a set has at most. A trace that divides more than maxDivided pages, or one access to more
// than maxPagesOf of them, is not looked at further: it would take more memory than it saves.
const maxPlaces, maxDivided, maxPagesOf = 8, 1 << 15, 1 << 14

func newLocality() *locality {
	return &locality{sets: make([]placeSet, 1), with: make(map[setAndPlace]int32), pages: make(map[uint64]*localPage)}
}

// take takes the next events of the trace.
func (l *locality) take(es []Event) {
	for i := range es {
		e := &es[i]
		if l.full || of[e.Kind].obj != ArgAddress {
			continue
		}
		at := l.place(e)
		if !e.isLocalKind() {
			l.meets[at] = true
		}
		last := e.Obj
		if e.Kind.IsAccess() {
			last += uint64(max(e.Size, 1)) - 1
		}
		l.access(e.Obj, last, at)
	}
}

// followed takes all events of t, and what is freed between them.
func (l *locality) followed(t *Trace) {
	freed := t.Freed
	for i := range t.Events {
		for ; len(freed) > 0 && int(freed[0].At) <= i; freed = freed[1:] {
			l.free(&freed[0])
		}
		l.take(t.Events[i : i+1])
	}
}

// isLocalKind reports whether e may be thread-local.
func (e *Event) isLocalKind() bool { return e.Kind.IsPlain() && e.Flags&FlagPut == 0 && e.Size > 0 }

// place returns the number of that of e.
func (l *locality) place(e *Event) int32 {
	p := place{e.G, e.Site}
	k := p.Hash() >> 40 % uint64(len(l.last))
	if l.last[k] == p && l.lastPlace[k] > 0 {
		return l.lastPlace[k] - 1
	}
	at := l.places.Of(p)
	if int(at) == len(l.meets) {
		l.meets, l.alone = append(l.meets, false), append(l.alone, 0)
	}
	l.last[k], l.lastPlace[k] = p, at+1
	return at
}

// access notes that the bytes from one up to another, which is included, are accessed at a place.
func (l *locality) access(from, to uint64, at int32) {
	if to < from || to>>pageBits-from>>pageBits >= maxPagesOf {
		l.full = true
		return
	}
	for n := from >> pageBits; n <= to>>pageBits; n++ {
		page := l.page(n)
		lo, hi := max(from, n<<pageBits)%pageSize/granule, min(to, n<<pageBits|(pageSize-1))%pageSize/granule
		if page.sets == nil && (hi-lo == pageSize/granule-1 || page.all == shared) {
			l.add(&page.all, at)
			continue
		}
		for k := range l.divide(page)[lo : hi+1] {
			l.add(&page.sets[int(lo)+k], at)
		}
	}
}

// page returns the page of a number.
func (l *locality) page(n uint64) *localPage {
	last := &l.recent[n%uint64(len(l.recent))]
	if last.page == nil || n != last.number {
		if last.page, last.number = l.pages[n], n; last.page == nil {
			last.page = new(localPage)
			l.pages[n] = last.page
		}
	}
	return last.page
}

// divide returns the sets of the granules of a page.
func (l *locality) divide(p *localPage) []int32 {
	if p.sets == nil {
		p.sets = make([]int32, pageSize/granule)
		for k := range p.sets {
			p.sets[k] = p.all
		}
		l.divided++
		l.full = l.full || l.divided > maxDivided
	}
	return p.sets
}

// add adds a place to those of memory.
func (l *locality) add(set *int32, at int32) {
	s := *set
	switch {
	case s == shared:
		l.meets[at] = true
	case s == 0 || l.owner(l.sets[s].place) == l.owner(at):
		*set = l.union(s, at)
	default:
		*set = l.meet(s, at)
	}
}

// owner returns the goroutine of a place.
func (l *locality) owner(at int32) GID { return l.places.Keys()[at].g }

// union returns the set s with a place of the same goroutine.
func (l *locality) union(s, at int32) int32 {
	for k := s; k != 0; k = l.sets[k].rest {
		if l.sets[k].place == at {
			return s
		}
	}
	if l.sets[s].n == maxPlaces {
		return l.meet(s, at)
	}
	next := int32(len(l.sets))
	if s == 0 { // most places are alone
		if k := l.alone[at]; k > 0 {
			return k
		}
		l.alone[at] = next
	} else {
		key := setAndPlace{s, at}
		if k, known := l.with[key]; known {
			return k
		}
		l.with[key] = next
	}
	l.sets = append(l.sets, placeSet{rest: s, place: at, n: l.sets[s].n + 1})
	return next
}

// meet notes that accesses at a place and at those of a set are none of local memory, which is shared from then on.
func (l *locality) meet(s, at int32) int32 {
	l.meets[at] = true
	for k := s; k != 0 && !l.sets[k].meets; k = l.sets[k].rest {
		l.sets[k].meets = true
		l.meets[l.sets[k].place] = true
	}
	return shared
}

// free notes that memory is freed: what is there from then on is other memory.
func (l *locality) free(f *Freed) {
	f.each(func(n, from, to uint64) {
		p := l.pages[n]
		switch from, to := from/granule, (to-1)/granule+1; {
		case p == nil:
		case to-from == pageSize/granule:
			p.all = 0
			clear(p.sets)
		default:
			clear(l.divide(p)[from:to])
		}
	})
}

// end ends with the trace, and returns the places where all accesses are thread-local.
func (l *locality) end() map[place]bool {
	local := make(map[place]bool)
	for at, p := range l.places.Keys() {
		if !l.full && !l.meets[at] {
			local[p] = true
		}
	}
	return local
}
