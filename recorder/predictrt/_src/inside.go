package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file logs accesses of the standard library and of other modules to memory that the program
// hands to them. Packages that do so call package inside. The site of such an access is the program's call, as a finding
// is about the program's lines, and the site stays the same whatever the call does.

// OfMap is the flag of an access to a map.
const OfMap = flagMap

// hasForkedOutsideTests says that goroutines run that belong to no test.
var hasForkedOutsideTests bool

// Packages of other modules, which cannot import this one, know these by their names in the linker.
//
//go:linkname Mode
//go:linkname CallSite
//go:linkname LoadPointer
//go:linkname StorePointer
//go:linkname SwapPointer
//go:linkname CompareAndSwapPointer
//go:linkname LogInside
//go:linkname LogInsideSpan
//go:linkname LogInsideAppend

// CallSite returns the site of the innermost call in the stack, for functions of sync/atomic that
// another module calls.
func CallSite() uint32 {
	if Mode == 0 || current() == nil {
		return 0
	}
	return stackSite()
}

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
	if g.inside.initializing > 0 {
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
// few events then. Nor are accesses events once there were many: work that takes long, as hashing
// or a cipher does, has events at its beginning only. What is left out must not depend on
// addresses, which differ in a replay.
type libraryAccesses struct {
	// initializing is positive while the library sets up tables of its own. Which test does that
	// depends on what has run before.
	initializing  int
	epoch         uint32
	reads, writes int // in this epoch
	next          int // number of accesses stored in last
	recent        *[maxInsideAccesses]libraryAccess
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
		in.reads, in.writes = 0, 0
		g.lastReadObject = insideObject
		return false
	}
	if in.recent == nil {
		return false
	}
	if kind == KindRead && in.reads >= maxInsideReads || kind == KindWrite && in.writes >= maxInsideWrites {
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
	} else {
		in.writes++
	}
	g.lastReadObject = insideObject
}

// An Initialization is a call by the standard library of a function that runs once in the process.
type Initialization struct{ g *goroutine }

// Initializes is called where a sync.Once, whose Do returns to pc, runs its function. Accesses
// within are not logged if the standard library has called Do for a Once of its own.
func Initializes(pc uintptr) Initialization {
	g := current()
	if c := lookup(pc); g == nil || !c.isStandard || c.site == 0 { // 0: sync.OnceFunc of the program
		return Initialization{}
	}
	g.inside.initializing++
	return Initialization{g}
}

// End is called when the function has returned or panicked.
func (i Initialization) End() {
	if i.g != nil {
		i.g.inside.initializing--
	}
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
// packages make. If there is none, it is that of the go statement; or, if the library or another
// module has started the goroutine for the program, as to copy what a command prints to a buffer,
// that of the call which has led there. It returns 0 if there is none either.
func (o *origin) programCallSite() uint32 {
	switch site := programCall(true); {
	case site != noProgramSite:
		return site
	case o.programGoSite != 0:
		return o.programGoSite
	case stringslite.HasPrefix(callSites[o.goSite].fn, "net/http."):
		return 0 // its goroutines hand buffers to each other by pools, which are private
	}
	return o.requestSite
}

// programCall returns the site of the innermost call in the running goroutine's stack that the
// program's own packages make, and noProgramSite if there is none. If the first call is one of
// another module, it returns foreignSite, unless skipForeign is set.
func programCall(skipForeign bool) uint32 {
	var room [64]uintptr
	for _, pc := range callersOf(room[:]) {
		c := lookup(pc)
		site := c.programSite
		if skipForeign {
			site = c.ownSite
		}
		if site != noProgramSite {
			return site
		}
	}
	return noProgramSite
}

// accessSite returns the site of an access of the program's memory in the function that returns to
// pc. Where another module is the caller it is that of the program's call.
func (o *origin) accessSite(pc uintptr) uint32 {
	if programCall(false) == foreignSite {
		if site := o.programCallSite(); site != 0 {
			return site
		}
	}
	return siteOf(pc)
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
