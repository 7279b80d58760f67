package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// Packages of the standard library that work on memory which the program hands to
// them call package inside where they access it. What they do is logged as done by
// the place of the program that has called them: a finding is about its lines, and
// the same call is the same place whatever goes on inside.

// OfMap is the flag of accesses to maps.
const OfMap = flagMap

// testlessForks says that goroutines run that belong to no test.
var hasForkedOutsideTests bool

// Inside logs an access that the standard library does on behalf of the program.
// As long as a test is the only goroutine of its own, all that it does comes
// before what others will do.
func Inside(kind, flags uint8, p unsafe.Pointer, size uintptr) {
	if size == 0 || uintptr(p) < 4096 || runtime.PredictOnStack(uintptr(p)) || runtime.PredictReadOnly(uintptr(p)) {
		return
	}
	g := current()
	if g == nil || !g.account.hasForked && !hasForkedOutsideTests {
		return
	}
	if g.skipsAccesses() { // before the search of the stack, which costs more than all else
		g.noteSkippedAccess(kind, p)
		return
	}
	if g.repeatsInside(kind, uint64(uintptr(p)), size) {
		return
	}
	site := g.programCallSite()
	if site == 0 {
		return
	}
	access(kind, flags, p, size, nil, site)
	g.noteInside(kind, uint64(uintptr(p)), size)
}

// insideAccess is one that a goroutine has made in the standard library.
type insideAccess struct {
	addr  uint64
	size  uintptr
	kind  uint8
	epoch uint32 // of insides
}

// insides are the last such accesses of a goroutine. One that comes again with no event
// of the program's own in between is no event: what is said of the first holds for it.
// So a parser that counts bytes has few. Nor are reads any more once there were many: of
// what takes long to hash, to match or to compress, the beginning has events. What is
// left out must not depend on addresses: a replay has others.
type insideAccesses struct {
	epoch uint32
	reads int // since the epoch began
	next  int // in last
	last  *[maxInsideAccesses]insideAccess
}

const (
	// insideMark stands in spinAt if the last event was such an access.
	insideObject = 1
)

// repeats reports whether g has made an access before, since its last other event.
func (g *goroutine) repeatsInside(kind uint8, addr uint64, size uintptr) bool {
	in := &g.inside
	if g.lastReadObject != insideObject {
		in.epoch++
		in.reads = 0
		g.lastReadObject = insideObject
		return false
	}
	if in.last == nil {
		return false
	}
	if kind == KindRead && in.reads >= maxInsideReads {
		return true
	}
	for i := range in.last {
		if a := &in.last[i]; a.addr == addr && a.size == size && a.kind == kind && a.epoch == in.epoch {
			return true
		}
	}
	return false
}

// noteInside notes an access that has been logged.
func (g *goroutine) noteInside(kind uint8, addr uint64, size uintptr) {
	in := &g.inside
	if in.last == nil {
		in.last = (*[maxInsideAccesses]insideAccess)(runtime.PredictAlloc(unsafe.Sizeof(*in.last)))
	}
	in.last[in.next%maxInsideAccesses] = insideAccess{addr, size, kind, in.epoch}
	in.next++
	if kind == KindRead {
		in.reads++
	}
	g.lastReadObject = insideObject
}

// InsideSpan is Inside for n elements of a size. Were it inlined, it would be so only in
// packages that read this one's export data, and an instance of a generic function would
// have two texts, which -ldflags=-strictdups=2 refuses.
//
//go:noinline
func InsideSpan(kind uint8, p unsafe.Pointer, n int, size uintptr) {
	Inside(kind, 0, p, uintptr(n)*size)
}

// InsideAppend is Inside for what appending n elements to a slice does.
//
//go:noinline
func InsideAppend(s unsafe.Pointer, n int, size uintptr) {
	h := (*header)(s)
	switch {
	case n <= 0:
	case h.limit-h.length >= n:
		InsideSpan(KindWrite, unsafe.Add(h.p, uintptr(h.length)*size), n, size)
	default:
		InsideSpan(KindRead, h.p, h.length, size)
	}
}

// Parallel is called when a test is about to run beside others.
func TestParallel() {
	if Mode == 0 {
		return
	}
	if g := current(); g != nil {
		g.account.hasForked = true
	}
}

// onBehalf returns the site of the innermost call in g's stack that the program's
// own packages make, 0 if others come first or there is none.
func (o *origin) programCallSite() uint32 {
	switch site := programCall(false); site {
	case noProgramSite:
		return o.programGoSite // what it has started with a go statement
	case foreignSite:
		return 0
	default:
		return site
	}
}

// ourCall returns the site of the innermost call in the running goroutine's stack that the program's
// own packages make; otherModules if those of other modules come first, unless these are skipped;
// and noProgramSite if there is none.
func programCall(skipOthers bool) uint32 {
	var room [64]uintptr
	for _, pc := range callersOf(room[:]) {
		if site := lookup(pc).programSite; site != noProgramSite && !(skipOthers && site == foreignSite) {
			return site
		}
	}
	return noProgramSite
}

// programSite returns the site of the innermost call in g's stack that the program's own packages
// make, or else of what had g started; 0 if there is none.
func (o *origin) programSite() uint32 {
	if site := programCall(true); site != noProgramSite {
		return site
	}
	if o.programGoSite != 0 {
		return o.programGoSite
	}
	return o.requestSite
}

// What caller.ours is where it is no site.
const (
	noProgramSite = 0       // of the standard library
	foreignSite   = 1 << 31 // of another module
)

// oursAt finds caller.ours for a frame.
func programSiteOf(fn, file string, line int) uint32 {
	switch {
	case file == "<autogenerated>" || stringslite.HasPrefix(fn, "predictrt") || isStandard(fn, file) || isLinknamed(fn, file):
		return noProgramSite
	case contains(file, "@v") || contains(file, "/vendor/"):
		return foreignSite
	}
	return number(fn, file, line)
}

// isPushed reports whether a function is one that the runtime has for another package
// of the standard library, and under its name.
func isLinknamed(fn, file string) bool {
	return (stringslite.HasPrefix(file, "runtime/") || contains(file, "/src/runtime/")) && !contains(packageOf(fn), ".")
}

// contains reports whether part is in s.
func contains(s, part string) bool { return stringslite.Index(s, part) >= 0 }
