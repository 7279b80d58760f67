package predictrt

import (
	"internal/strconv"
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file finds the places of events that come from hooks in the standard library: the line
// of the program in the stack. A look at a stack is expensive, so that each program counter is
// looked up once.

// Call sites get small numbers in the order in which they are met. The table
// is open-addressed and keyed by program counter, as a look-up happens with
// every synchronization event.

// caller is what is known of one program counter: who has called a hook from there.
type callerInfo struct {
	// logical ones have the top bit set
	pc uintptr
	// 0: all its frames belong to the machinery
	site uint32
	// the runtime itself is the caller
	isRuntime bool
	// the caller belongs to the standard library
	isStandard bool
	// outer is the site of the innermost frame that does not belong to the machinery, also
	// where the runtime is the caller; 0: there is none.
	outerSite uint32
	// site of the innermost frame of the program's own packages; or nobodys, others
	programSite uint32
}

// callSite is a place in the user's code.
type callSite struct {
	key  uint64
	fn   string
	file string
	line int
	// by is what the names of goroutines have that are started here by the standard
	// library, of its own accord: ".Serve-" for (*Server).Serve. "" elsewhere.
	starter string
}

var (
	// length is a power of two
	callerTable []callerInfo
	numCallers  int
	callSites   = []callSite{{}} // by number, from 1
	siteByKey   = map[uint64]uint32{}
)

const logicalPC = 1 << (8*(4<<(^uintptr(0)>>63)) - 1)

// Site returns the number of the call site that pc returns to, for the
// patched standard library to hand on.
func Site(pc uintptr) uint32 {
	if Mode == 0 {
		return 0
	}
	return siteUnlessMuted(pc)
}

// audible is Site while the library is on; muted goroutines are spared the
// look-up.
func siteUnlessMuted(pc uintptr) uint32 {
	if current() == nil {
		return 0
	}
	return siteOf(pc)
}

// siteOf returns the number of the nearest call site in the stack that does
// not belong to the machinery of synchronization, given the return address
// of the operation's caller.
func siteOf(pc uintptr) uint32 {
	if site := lookup(pc).site; site != 0 {
		return site
	}
	return stackSite()
}

// stackSite returns the innermost site in the stack that does not belong to the machinery.
//
//go:noinline
func stackSite() uint32 {
	runtime.PredictPin()
	defer runtime.PredictUnpin()
	var room [64]uintptr
	pcs := callersOf(room[:])
	for _, pc := range pcs {
		if site := lookup(pc).outerSite; site != 0 {
			return site
		}
	}
	if g := (*goroutine)(runtime.PredictSelf()); g != nil && g.goSite != 0 {
		return g.goSite // what the machinery does in a goroutine of its own, as of WaitGroup.Go
	}
	for _, pc := range pcs {
		if site := frameSite(pc &^ logicalPC); site != 0 {
			return site
		}
	}
	return 0
}

// callersOf returns the return addresses of the running goroutine's stack, the innermost first, in
// the form that lookup takes.
func callersOf(room []uintptr) []uintptr {
	n, logical := runtime.PredictCallers(room)
	if logical {
		for i := range room[:n] {
			room[i] |= logicalPC
		}
	}
	return room[:n]
}

// lookup returns what is known of the return address pc. It points into the table, as this is
// called for each frame of a stack, and copies take longer than the rest; what is there
// does not change.
func lookup(pc uintptr) *callerInfo {
	for {
		mask := uintptr(len(callerTable) - 1)
		if len(callerTable) > 0 {
			for i := hash(pc) & mask; callerTable[i].pc != 0; i = (i + 1) & mask {
				if c := &callerTable[i]; c.pc == pc {
					return c
				}
			}
		}
		addCaller(pc)
	}
}

// hash spreads program counters over the table: they differ in their middle bits.
func hash(pc uintptr) uintptr { return uintptr(uint64(pc)*0x9e3779b97f4a7c15>>20) ^ pc }

// learn adds pc to the table.
func addCaller(pc uintptr) {
	runtime.PredictPin()
	if 2*numCallers >= len(callerTable) {
		old := callerTable
		callerTable = make([]callerInfo, max(1024, 2*len(old)))
		for _, c := range old {
			if c.pc != 0 {
				insertCaller(c)
			}
		}
	}
	c := callerInfo{pc: pc}
	first, named := true, false
	runtime.PredictNewFrames(pc&^logicalPC, pc&logicalPC != 0, func(fn, file string, line int) bool {
		if first {
			first = false
			c.isRuntime = stringslite.HasPrefix(fn, "runtime.") && !isTransparent(fn)
		}
		if !named && !isMachinery(fn, file) {
			named = true
			if c.outerSite = number(fn, file, line); !c.isRuntime {
				c.site, c.isStandard = c.outerSite, isStandard(fn, file)
			}
		}
		if c.programSite == noProgramSite {
			c.programSite = programSiteOf(fn, file, line)
		}
		return !named || c.programSite == noProgramSite
	})
	c.isStandard = c.isStandard || c.site == 0
	numCallers++
	insertCaller(c)
	runtime.PredictUnpin()
}

// insertCaller adds c to the table, which has room for it.
func insertCaller(c callerInfo) {
	mask := uintptr(len(callerTable) - 1)
	i := hash(c.pc) & mask
	for callerTable[i].pc != 0 && callerTable[i].pc != c.pc {
		i = (i + 1) & mask
	}
	callerTable[i] = c
}

// Private reports whether the standard library does an operation for purposes
// of its own: its pools and caches order its callers at random, and in another
// interleaving otherwise. Their memory is not instrumented.
func IsPrivate(pc uintptr) bool { return lookup(pc).isStandard }

// isStandard reports whether a function belongs to the standard library: the first
// part of its package's path has no dot, and its file is src/PACKAGE/x.go in
// some GOROOT (compiled packages are found again under others), or with
// -trimpath PACKAGE/x.go.
func isStandard(fn, file string) bool {
	pkg := packageOf(fn)
	if isInlinedLiteral(pkg, file) {
		return !isLinknamed(fn, file)
	}
	if first, _, _ := stringslite.Cut(pkg, "/"); stringslite.IndexByte(first, '.') >= 0 {
		return false
	}
	n := len(file) - len(base(file)) - 1 - len(pkg)
	if n < 0 || file[n:n+len(pkg)] != pkg {
		return false
	}
	const src = "/src/"
	return n == 0 || n >= len(src) && file[n-len(src):n] == src
}

// library is where the sources of the standard library lie, with a slash at the end. It
// is not known, and so "", with -trimpath.
var stdSources string

// findLibrary finds library: where the runtime lies.
func findStdSources() string {
	gc, dir := runtime.GC, ""
	runtime.PredictFrames(**(**uintptr)(unsafe.Pointer(&gc))+1, false, func(fn, file string, _ int) bool {
		if n := len(file) - len("runtime/"+base(file)); fn == "runtime.GC" && n > 0 {
			dir = file[:n]
		}
		return true
	})
	return dir
}

// foreignLiteral reports whether a function of package pkg, by its name, is a literal of a
// function of the standard library: where that was inlined, as maps.Keys and sync.OnceValue
// often are, the literal has the name of the function that it was inlined into. What package
// testing does for testing/synctest has such names, too, and is none.
func isInlinedLiteral(pkg, file string) bool {
	end := len(file) - len(base(file)) - 1
	if stdSources == "" || !stringslite.HasPrefix(file, stdSources) || end < len(stdSources) || pkg == "main" {
		return false
	}
	dir := file[len(stdSources):end]
	return pkg != dir && pkg != dir+"_test" && dir != "testing"
}

// starter is what the names of goroutines have that a function starts, see
// callSite.by. A subtest is the program's own.
func starterName(fn, file string) string {
	pkg := packageOf(fn)
	if !isStandard(fn, file) || pkg == "testing" {
		return ""
	}
	from := len(pkg) + 1
	for i := from; i < len(fn) && fn[from] == '('; i++ { // a method with a pointer receiver
		if fn[i] == ')' {
			from = i + len(").")
			break
		}
	}
	to := from
	for to < len(fn) && fn[to] != '.' && fn[to] != '[' {
		to++
	}
	if from >= to {
		from, to = 0, len(pkg)
	}
	return "." + fn[from:to] + "-"
}

// packageOf is what stands before the dot after the last slash of a function's
// name; a type argument may have slashes too.
func packageOf(fn string) string {
	end := len(fn)
	for i := 0; i < end; i++ {
		if fn[i] == '[' || fn[i] == '(' {
			end = i
		}
	}
	start := 0
	for i := 0; i < end; i++ {
		if fn[i] == '/' {
			start = i
		}
	}
	for i := start; i < end; i++ {
		if fn[i] == '.' {
			return fn[:i]
		}
	}
	return fn[:end]
}

// outermost numbers a frame of package sync or the like, where the stack has
// nothing else: a goroutine that such a package has started.
func frameSite(pc uintptr) (site uint32) {
	runtime.PredictFrames(pc, false, func(fn, file string, line int) bool {
		if !stringslite.HasPrefix(fn, "runtime.") && !stringslite.HasPrefix(fn, "predictrt.") && file != "<autogenerated>" {
			site = number(fn, file, line)
		}
		return site == 0
	})
	return site
}

// machineries are the packages and types of the standard library that do an
// operation for their callers.
var machineries = [...]string{
	"runtime.", "sync.", "sync/atomic.", "internal/sync.", "predictrt.",
	"syscall.", "internal/poll.", "os.(*File).", "os.ReadFile", "os.WriteFile", "net.(*conn).", "net.(*netFD).", "net.predict",
	"reflect.", "internal/reflectlite.", "iter.", "testing/synctest.", "internal/synctest.",
	"testing.(*common).Log", "testing.(*common).Error", "testing.(*common).Fatal", "testing.(*common).Fail",
}

// isMachinery reports whether a frame is not what the user would call the
// place of an operation.
func isMachinery(fn, file string) bool {
	if file == "<autogenerated>" {
		return true
	}
	if isInlinedLiteral(packageOf(fn), file) {
		fn = file[len(stdSources):len(file)-len(base(file))-1] + "."
	}
	for _, m := range machineries {
		if stringslite.HasPrefix(fn, m) {
			return true
		}
	}
	return false
}

// isTransparent reports whether a function of the runtime passes on what its
// caller wants, as opposed to acting for itself.
func isTransparent(fn string) bool {
	fn = fn[len("runtime."):]
	return stringslite.HasPrefix(fn, "reflect_") || stringslite.HasPrefix(fn, "makechan") || stringslite.HasPrefix(fn, "panic") ||
		stringslite.HasPrefix(fn, "goPanic") || stringslite.HasPrefix(fn, "deferreturn") || stringslite.HasPrefix(fn, "gopanic") ||
		stringslite.HasPrefix(fn, "sigpanic") || stringslite.HasPrefix(fn, "Goexit") || stringslite.HasPrefix(fn, "newcoro") || stringslite.HasPrefix(fn, "coro")
}

// number returns the number of a call site.
func number(fn, file string, line int) uint32 {
	key := keyOf(fn, line)
	site, ok := siteByKey[key]
	if !ok {
		site = uint32(len(callSites))
		siteByKey[key] = site
		callSites = append(callSites, callSite{key, fn, file, line, starterName(fn, file)})
		if isRecording {
			fn, file := clip(fn), clip(file)
			d := startDefinition(siteDefinitions, len(fn)+len(file))
			d.u32(site)
			d.u64(key)
			d.u32(uint32(line))
			d.str(fn)
			d.str(file)
			d.commit()
		}
	}
	return site
}

// keyOf is FNV-1a of "fn:line" with the top bit set.
func keyOf(fn string, line int) uint64 {
	h := (hashed(fnvOffset, fn) ^ ':') * fnvPrime
	var buf [20]byte
	for _, digit := range strconv.AppendUint(buf[:0], uint64(line), 10) {
		h = (h ^ uint64(digit)) * fnvPrime
	}
	return h | 1<<63
}

// hashed goes on with the FNV-1a hash h.
func hashed(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

// keyFor returns what the schedule calls a site.
func keyFor(site uint32) uint64 {
	if site&(1<<31) != 0 || site == 0 {
		return uint64(site)
	}
	return callSites[site].key
}
