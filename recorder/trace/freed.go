package trace

import (
	"math/bits"

	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A Freed says that the garbage collector gave memory back before the event at
// position At: of 64 objects of Size bytes each, which begin at Obj, those whose
// bits are set in Which. What is at these addresses from then on is other
// variables. Memory that was free before may be among it.
type Freed struct {
	Obj   uint64
	Which uint64
	Size  uint32
	At    int32 // long runs free a million times
}

// freedKind is what stands in the file in place of the kind of an event.
const freedKind Kind = 63

// event is the form that f has in the file.
func (f Freed) event() Event { return Event{Kind: freedKind, Obj: f.Obj, Size: f.Size, Val: f.Which} }

// Generations tells variables apart that were at one address in turn.
type Generations struct {
	t         *Trace
	nextFreed int                                             // index into t.Freed
	pages     numbering.Table[numbering.Word, generationPage] // those with an access, by their numbers
	joined    joinedAreas
}

// Memory is freed in pages and in granules, in bytes: no object is smaller than a Granule.
const (
	PageBits = 13
	PageSize = 1 << PageBits
	Granule  = 8
)

// A generationPage has the generations of what is in a page now. Most pages are of one.
type generationPage struct {
	hasJoinedAreas bool // some of it has a generation by what accesses go over
	all            int32
	bits           uint8 // a part is of so many bits of an address: that suffices for the objects that were freed
	// parts are in their order; nil where all are the same.
	parts []int32
}

// free makes next the generation of the bytes from one up to another, which is not included.
func (p *generationPage) free(from, to uint64, next int32) {
	from, to = from&^(Granule-1), (to+Granule-1)&^(Granule-1)
	if from == 0 && to == PageSize {
		p.all, p.parts = next, nil
		return
	}
	if bits := uint8(bits.TrailingZeros64(from | to)); p.parts == nil || bits < p.bits {
		p.divide(bits)
	}
	its := p.parts[from>>p.bits : to>>p.bits]
	for k := range its {
		its[k] = next
	}
}

// divide makes parts of so many bits, which are fewer than there were.
func (p *generationPage) divide(bits uint8) {
	parts := make([]int32, PageSize>>bits)
	for k := range parts {
		parts[k] = p.all
		if p.parts != nil {
			parts[k] = p.parts[k>>(p.bits-bits)]
		}
	}
	p.bits, p.parts = bits, parts
}

// of returns the generation of what is at an address.
func (p *generationPage) generationAt(addr uint64) int32 {
	if p.parts == nil {
		return p.all
	}
	return p.parts[addr%PageSize>>p.bits]
}

// NewGenerations prepares for the accesses and calls of t. It returns nil, which serves as
// well, if no memory was freed.
func NewGenerations(t *Trace) *Generations {
	return newGenerations(t, false)
}

// NewCallGenerations is NewGenerations for the calls of t only.
func NewCallGenerations(t *Trace) *Generations {
	return newGenerations(t, true)
}

func newGenerations(t *Trace, calls bool) *Generations {
	if len(t.Freed) == 0 {
		return nil
	}
	g := &Generations{t: t}
	wide := false
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != Call && (calls || !e.Kind.IsAccess()) {
			continue
		}
		wide = wide || e.isWide()
		g.pages.Of(numbering.Word(e.Obj >> PageBits))
	}
	if wide {
		g.join()
	}
	return g
}

// advance frees what was freed before the event at position i.
func (g *Generations) advance(i int) {
	for g.nextFreed < len(g.t.Freed) && int(g.t.Freed[g.nextFreed].At) <= i {
		g.free(&g.t.Freed[g.nextFreed])
		g.nextFreed++
	}
}

// rewind goes back to where nothing was freed.
func (g *Generations) rewind() {
	g.nextFreed = 0
	for _, page := range g.pages.Values() {
		*page = generationPage{hasJoinedAreas: page.hasJoinedAreas}
	}
}

// Of returns the generation of what the access, or call, at position i begins at: two
// accesses of one address, or of parts of one object, concern the same variable
// if their generations are equal. It must be called for ascending positions.
func (g *Generations) Of(i int) int32 {
	if g == nil {
		return 0
	}
	g.advance(i)
	obj := g.t.Events[i].Obj
	n := obj >> PageBits
	page := g.pages.Known(numbering.Word(n))
	if page == nil { // what is there is a lock or the like, alone
		return 0
	}
	generation := page.generationAt(obj)
	if page.hasJoinedAreas {
		generation, _ = g.joined.generation(n, obj%PageSize, generation)
	}
	return generation
}

// free starts a new generation. One that nobody has seen is as good as a
// further one, so that positions serve as numbers.
func (g *Generations) free(f *Freed) {
	f.EachPage(func(n, from, to uint64) {
		if page := g.pages.Known(numbering.Word(n)); page != nil {
			page.free(from, to, f.At+1)
		}
	})
}

// FreedBefore calls do for those of fs, which are in their order, that come before the event at position i, and returns
// the others.
func FreedBefore(fs []Freed, i int, do func(*Freed)) []Freed {
	for ; len(fs) > 0 && int(fs[0].At) <= i; fs = fs[1:] {
		do(&fs[0])
	}
	return fs
}

// EachPage calls do for what was freed of each page: its number, and the bytes there from one up to another, which is not
// included.
func (f *Freed) EachPage(do func(n, from, to uint64)) {
	for which := f.Which; which != 0; which &= which - 1 {
		lo := f.Obj + uint64(bits.TrailingZeros64(which))*uint64(f.Size)
		hi := lo + uint64(f.Size)
		for lo < hi && lo >= f.Obj {
			end := min(hi, lo|(PageSize-1)+1)
			do(lo>>PageBits, lo%PageSize, (end-1)%PageSize+1)
			lo = end
		}
	}
}
