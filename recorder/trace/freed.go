package trace

import (
	"math/bits"

	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// FreedObjects says that the garbage collector freed memory before the event at Position: of 64
// objects of Size bytes each, the first at FirstAddr, those whose bits are set in Mask. From then
// on, other variables are at these addresses. Memory that was free before may be among it.
type FreedObjects struct {
	FirstAddr uint64
	Mask      uint64
	Size      uint32
	Position  int32 // in Trace.Events; 32 bits, as long runs free a million times
}

// freedKind is the kind of a record of freed memory in the file, which is no event.
const freedKind Kind = 63

// allocatedKind is the kind of a record of an object that was made in the file, which is no event.
const allocatedKind Kind = 61

// An Allocation says that a goroutine made an object before the event at Position. Objects get other
// addresses in each run; which object of its type a goroutine makes after what it has done is the same
// in all of them.
type Allocation struct {
	Addr     uint64 // 0: not all objects are known from here on
	Size     uint32 // 0 if the object shares a block of 16 bytes with older ones
	Type     uint32 // a hash of its type, or of that of its elements; 0 if that is not known
	G        GID
	Position int32 // in Trace.Events
}

// event returns the form of f in the file.
func (f FreedObjects) event() Event {
	return Event{Kind: freedKind, Obj: f.FirstAddr, Size: f.Size, Val: f.Mask}
}

// Generations distinguishes variables that were at the same address one after the other.
type Generations struct {
	t         *Trace
	nextFreed int                                             // index into t.Freed
	pages     numbering.Table[numbering.Word, generationPage] // pages with an access, by page number
	joined    joinedAreas
}

// Memory is freed in pages and in granules, in bytes: no object is smaller than a Granule.
const (
	PageBits = 13
	PageSize = 1 << PageBits
	Granule  = 8
)

// A generationPage has the current generations of the memory in one page. Most pages have only one
// generation.
type generationPage struct {
	hasJoinedAreas bool  // accesses that cover several pages may give a part of it another generation
	generation     int32 // of the whole page, if parts is nil
	partBits       uint8 // binary logarithm of the size of a part; no freed object is smaller
	// parts has the generations of the parts; nil if the whole page has one generation.
	parts []int32
}

// setGeneration sets the generation of the bytes from from to to, excluded.
func (p *generationPage) setGeneration(from, to uint64, next int32) {
	from, to = from&^(Granule-1), (to+Granule-1)&^(Granule-1)
	if from == 0 && to == PageSize {
		p.generation, p.parts = next, nil
		return
	}
	if bits := uint8(bits.TrailingZeros64(from | to)); p.parts == nil || bits < p.partBits {
		p.divide(bits)
	}
	its := p.parts[from>>p.partBits : to>>p.partBits]
	for k := range its {
		its[k] = next
	}
}

// divide divides the page into parts of 1<<bits bytes, which are smaller than before.
func (p *generationPage) divide(bits uint8) {
	parts := make([]int32, PageSize>>bits)
	for k := range parts {
		parts[k] = p.generation
		if p.parts != nil {
			parts[k] = p.parts[k>>(p.partBits-bits)]
		}
	}
	p.partBits, p.parts = bits, parts
}

// generationAt returns the generation of the memory at addr.
func (p *generationPage) generationAt(addr uint64) int32 {
	if p.parts == nil {
		return p.generation
	}
	return p.parts[addr%PageSize>>p.partBits]
}

// NewGenerations returns the generations of the memory that the accesses and calls of t use. It
// returns nil, which is valid too, if no memory was freed.
func NewGenerations(t *Trace) *Generations {
	if len(t.Freed) == 0 {
		return nil
	}
	g := &Generations{t: t}
	wide := false
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != Call && !e.Kind.IsAccess() {
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

// advance applies what was freed before the event at position i.
func (g *Generations) advance(i int) {
	for g.nextFreed < len(g.t.Freed) && int(g.t.Freed[g.nextFreed].Position) <= i {
		g.free(&g.t.Freed[g.nextFreed])
		g.nextFreed++
	}
}

// rewind returns to the beginning of the trace.
func (g *Generations) rewind() {
	g.nextFreed = 0
	for _, page := range g.pages.Values() {
		*page = generationPage{hasJoinedAreas: page.hasJoinedAreas}
	}
}

// Of returns the generation of the memory at the address of event i, an access or call. Two accesses
// of one address, or of parts of one object, touch the same variable if their generations are equal.
// Of must be called for ascending positions.
func (g *Generations) Of(i int) int32 {
	if g == nil {
		return 0
	}
	g.advance(i)
	obj := g.t.Events[i].Obj
	n := obj >> PageBits
	page := g.pages.Known(numbering.Word(n))
	if page == nil { // no access is in the page, only a lock or the like
		return 0
	}
	generation := page.generationAt(obj)
	if page.hasJoinedAreas {
		generation, _ = g.joined.generation(n, obj%PageSize, generation)
	}
	return generation
}

// free starts a new generation of the memory that f frees. Generations need not be consecutive, so the
// position serves as their number.
func (g *Generations) free(f *FreedObjects) {
	f.EachPage(func(n, from, to uint64) {
		if page := g.pages.Known(numbering.Word(n)); page != nil {
			page.setGeneration(from, to, f.Position+1)
		}
	})
}

// FreedBefore calls do for the elements of fs, sorted by position, that precede the event at position
// i. It returns the other elements.
func FreedBefore(fs []FreedObjects, i int, do func(*FreedObjects)) []FreedObjects {
	for ; len(fs) > 0 && int(fs[0].Position) <= i; fs = fs[1:] {
		do(&fs[0])
	}
	return fs
}

// EachPage calls do for each page in which f frees memory, with the number of the page and the range
// of freed bytes there; to is excluded.
func (f *FreedObjects) EachPage(do func(n, from, to uint64)) {
	for which := f.Mask; which != 0; which &= which - 1 {
		lo := f.FirstAddr + uint64(bits.TrailingZeros64(which))*uint64(f.Size)
		hi := lo + uint64(f.Size)
		for lo < hi && lo >= f.FirstAddr {
			end := min(hi, lo|(PageSize-1)+1)
			do(lo>>PageBits, lo%PageSize, (end-1)%PageSize+1)
			lo = end
		}
	}
}
