package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file logs accesses of the standard library to memory that the program hands to it. Packages
// that do so call package inside. The site of such an access is the program's call, as a finding
// is about the program's lines, and the site stays the same whatever the call does.

// OfMap is the flag of an access to a map.
const OfMap = flagMap

// hasForkedOutsideTests says that goroutines run that belong to no test.
var hasForkedOutsideTests bool

// LogInside logs an access of the standard library on behalf of the program. It logs nothing while
// the test has one goroutine: all that it does then happens before what others will do.
func LogInside(kind, flags uint8, p unsafe.Pointer, size uintptr) {
	if size == 0 || runtime.PredictReadOnly(uintptr(p)) {
		return
	}
	g := callee(p)
	if g == nil || !g.account.hasForked && !hasForkedOutsideTests {
		return
	}
	if g.skipsAccesses() { // before the stack is searched, which costs most
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

// A libraryAccess is an access that a goroutine has made in the standard library.
type libraryAccess struct {
	addr  uint64
	size  uintptr
	kind  uint8
	epoch uint32 // grows with each event of the program itself
}

// A libraryAccesses has the last such accesses of a goroutine. An access that repeats one of them
// is no event, if the program itself has had no event in between: a parser that counts bytes has
// few events then. Nor are reads events once there were many: work that takes long, as hashing
// does, has events at its beginning only. What is left out must not depend on addresses, which
// differ in a replay.
type libraryAccesses struct {
	epoch  uint32
	reads  int // in this epoch
	next   int // number of accesses stored in last
	recent *[maxInsideAccesses]libraryAccess
}

const (
	// insideObject is lastReadObject if the last event was such an access.
	insideObject = 1
)

// repeatsInside reports whether g has made an access before, since the last event of the program
// itself.
func (g *goroutine) repeatsInside(kind uint8, addr uint64, size uintptr) bool {
	in := &g.inside
	if g.lastReadObject != insideObject {
		in.epoch++
		in.reads = 0
		g.lastReadObject = insideObject
		return false
	}
	if in.recent == nil {
		return false
	}
	if kind == KindRead && in.reads >= maxInsideReads {
		return true
	}
	for i := range in.recent {
		if a := &in.recent[i]; a.addr == addr && a.size == size && a.kind == kind && a.epoch == in.epoch {
			return true
		}
	}
	return false
}

// noteInside notes an access that was logged.
func (g *goroutine) noteInside(kind uint8, addr uint64, size uintptr) {
	in := &g.inside
	if in.recent == nil {
		in.recent = (*[maxInsideAccesses]libraryAccess)(runtime.PredictAlloc(unsafe.Sizeof(*in.recent)))
	}
	in.recent[in.next%maxInsideAccesses] = libraryAccess{addr, size, kind, in.epoch}
	in.next++
	if kind == KindRead {
		in.reads++
	}
	g.lastReadObject = insideObject
}

// LogInsideSpan is LogInside for n elements of a size. It must not be inlined: that would happen only in
// packages that read this one's export data, so that an instance of a generic function had two
// texts, which -ldflags=-strictdups=2 refuses.
//
//go:noinline
func LogInsideSpan(kind uint8, p unsafe.Pointer, n int, size uintptr) {
	LogInside(kind, 0, p, uintptr(n)*size)
}

// LogInsideAppend is LogInside for an append of n elements to a slice.
//
//go:noinline
func LogInsideAppend(s unsafe.Pointer, n int, size uintptr) {
	h := (*header)(s)
	switch {
	case n <= 0:
	case h.limit-h.length >= n:
		LogInsideSpan(KindWrite, unsafe.Add(h.p, uintptr(h.length)*size), n, size)
	default:
		LogInsideSpan(KindRead, h.p, h.length, size)
	}
}

// TestParallel is called when a test is about to run in parallel with others.
func TestParallel() {
	if Mode == 0 {
		return
	}
	if g := current(); g != nil {
		g.account.hasForked = true
	}
}

// programCallSite returns the site of the innermost call in the stack that the program's own
// packages make. It returns 0 if other modules come first, or if there is none.
func (o *origin) programCallSite() uint32 {
	switch site := programCall(false); site {
	case noProgramSite:
		return o.programGoSite // the goroutine runs a function of the library
	case foreignSite:
		return 0
	default:
		return site
	}
}

// programCall returns the site of the innermost call in the running goroutine's stack that the
// program's own packages make, and noProgramSite if there is none. If the first call is one of
// another module, it returns foreignSite, unless skipForeign is set.
func programCall(skipForeign bool) uint32 {
	var room [64]uintptr
	for _, pc := range callersOf(room[:]) {
		if site := lookup(pc).programSite; site != noProgramSite && !(skipForeign && site == foreignSite) {
			return site
		}
	}
	return noProgramSite
}

// programCallOr returns the site of programCall, or another one if that is none.
func programCallOr(other uint32) uint32 {
	if site := programCall(false); site != noProgramSite && site != foreignSite {
		return site
	}
	return other
}

// programSite returns the site of the innermost call in the stack that the program's own packages
// make, or else of the one that led to the start of the goroutine; 0 if there is none.
func (o *origin) programSite() uint32 {
	if site := programCall(true); site != noProgramSite {
		return site
	}
	if o.programGoSite != 0 {
		return o.programGoSite
	}
	return o.requestSite
}

// The values of callerInfo.programSite that are no site.
const (
	noProgramSite = 0       // of the standard library
	foreignSite   = 1 << 31 // of another module
)

// programSiteOf returns callerInfo.programSite for a frame.
func programSiteOf(fn, file string, line int) uint32 {
	switch {
	case file == "<autogenerated>" || stringslite.HasPrefix(fn, "predictrt") || isStandard(fn, file) || isLinknamed(fn, file):
		return noProgramSite
	case contains(file, "@v") || contains(file, "/vendor/"):
		return foreignSite
	}
	return number(fn, file, line)
}

// isLinknamed reports whether a function is the runtime's, but has the name of another package of
// the standard library (go:linkname).
func isLinknamed(fn, file string) bool {
	return (stringslite.HasPrefix(file, "runtime/") || contains(file, "/src/runtime/")) && !contains(packageOf(fn), ".")
}

// contains reports whether part is in s.
func contains(s, part string) bool { return stringslite.Index(s, part) >= 0 }
