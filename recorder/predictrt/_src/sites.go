package predictrt

import (
	"internal/strconv"
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file finds the sites of events that come from hooks in the standard library: the line of
// the program in the stack. To search a stack is expensive, so that each program counter is looked
// up once.

// Sites get small numbers, in the order in which they are met. The table of program counters has
// open addressing, because each synchronization event looks one up.

// A callerInfo is what is known of a program counter that a call of a hook returns to. Inlined
// functions are frames of their own.
type callerInfo struct {
	// pc has the top bit set if it is logical, see runtime.PredictFrames.
	pc uintptr
	// site is that of the innermost frame which is not of the machinery; 0 if there is none, or if
	// the runtime itself is the caller.
	site uint32
	// isRuntime says that the runtime itself is the caller.
	isRuntime bool
	// isStandard says that the standard library is the caller.
	isStandard bool
	// outerSite is site, also where the runtime is the caller.
	outerSite uint32
	// isOfMaps says that package maps is the caller, which ranges over maps for the program.
	isOfMaps bool
	// programSite is that of the innermost frame of the program's own packages, or noProgramSite
	// or foreignSite.
	programSite uint32
	// ownSite is that of the innermost frame of the program's own packages, also where another
	// module's function was inlined into it; or noProgramSite.
	ownSite uint32
}

// A callSite is a place in the sources.
type callSite struct {
	key  uint64 // what schedules call it, see keyOf
	fn   string
	file string
	line int
	// starter is not "" where the standard library starts goroutines for itself. It is part of
	// their names: ".Serve-" for (*Server).Serve.
	starter string
}

var (
	// callerTable is by a hash of pc; its length is a power of two.
	callerTable []callerInfo
	numCallers  int
	callSites   = []callSite{{}} // by number, from 1
	siteByKey   = map[uint64]uint32{}
)

// logicalPC is the top bit of a program counter.
const logicalPC = 1 << (8*(4<<(^uintptr(0)>>63)) - 1)

// Site returns the number of the site of a call that returns to pc, for hooks in the standard
// library.
func Site(pc uintptr) uint32 {
	if Mode == 0 {
		return 0
	}
	return siteUnlessMuted(pc)
}

// siteUnlessMuted is Site while the library is on. It does no look-up for goroutines that are
// muted.
func siteUnlessMuted(pc uintptr) uint32 {
	if current() == nil {
		return 0
	}
	return siteOf(pc)
}

// siteOf returns the number of the innermost site in the stack that does not belong to the
// machinery of synchronization. pc is the return address of the operation's caller.
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
	if g := (*goroutine)(runtime.PredictRecord()); g != nil && g.goSite != 0 {
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

// lookup returns what is known of the return address pc. The result points into the table, because
// this is called for each frame of a stack, and copies would take longer than the rest. Entries do
// not change.
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

// hash returns a hash of a program counter. Program counters differ in their middle bits.
func hash(pc uintptr) uintptr { return uintptr(uint64(pc)*0x9e3779b97f4a7c15>>20) ^ pc }

// addCaller adds pc to the table.
func addCaller(pc uintptr) {
	runtime.PredictPin()
	// The table is at most half full, so that a search soon meets an empty entry.
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
				c.site, c.isOfMaps = c.outerSite, isOfMaps(fn, file)
				c.isStandard = isStandard(fn, file) && !c.isOfMaps
			}
		}
		if c.ownSite == noProgramSite {
			site := programSiteOf(fn, file, line)
			if c.programSite == noProgramSite {
				c.programSite = site
			}
			if site != foreignSite {
				c.ownSite = site
			}
		}
		return !named || c.ownSite == noProgramSite
	})
	c.isStandard = c.isStandard || c.site == 0
	numCallers++
	insertCaller(c)
	runtime.PredictUnpin()
}

// insertCaller puts c into the table, which has room for it.
func insertCaller(c callerInfo) {
	mask := uintptr(len(callerTable) - 1)
	i := hash(c.pc) & mask
	for callerTable[i].pc != 0 && callerTable[i].pc != c.pc {
		i = (i + 1) & mask
	}
	callerTable[i] = c
}

// IsPrivate reports whether the standard library calls a hook, at pc, for purposes of its own. Its
// pools and caches order goroutines at random, and its memory is not instrumented.
func IsPrivate(pc uintptr) bool { return lookup(pc).isStandard }

// isOfMaps reports whether a function belongs to package maps of the standard library.
func isOfMaps(fn, file string) bool {
	dir := file[:max(len(file)-len(base(file))-1, 0)]
	return packageOf(fn) == "maps" && isStandard(fn, file) || stdSources != "" && dir == stdSources+"maps"
}

// isSorted reports whether package maps is returned to at pc, and what it yields is sorted before
// anyone sees it: slices.Sorted(maps.Keys(m)).
func isSorted(pc uintptr) (sorted bool) {
	if !lookup(pc).isOfMaps {
		return false
	}
	runtime.PredictPin()
	defer runtime.PredictUnpin()
	var room [16]uintptr
	for _, pc := range callersOf(room[:]) {
		runtime.PredictFrames(pc&^logicalPC, pc&logicalPC != 0, func(fn, _ string, _ int) bool {
			sorted = sorted || stringslite.HasPrefix(fn, "slices.Sorted[")
			return !sorted
		})
		if sorted {
			return true
		}
	}
	return false
}

// isStandard reports whether a function belongs to the standard library. Then the first part of
// its package's path has no dot, and its file is src/PACKAGE/x.go in some GOROOT (packages from a
// cache were compiled in another one), or PACKAGE/x.go with -trimpath.
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

// stdSources is the folder with the sources of the standard library, with a slash at the end; ""
// with -trimpath, as it is not known then.
var stdSources string

// findStdSources returns the folder that has the runtime's folder.
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

// isInlinedLiteral reports whether a function whose name is in package pkg is a function literal
// of the standard library. If the function around a literal is inlined, as maps.Keys and
// sync.OnceValue often are, the literal has the name of the function that it was inlined into.
// What package testing does for testing/synctest has such names, too, and is none.
func isInlinedLiteral(pkg, file string) bool {
	end := len(file) - len(base(file)) - 1
	if stdSources == "" || !stringslite.HasPrefix(file, stdSources) || end < len(stdSources) || pkg == "main" {
		return false
	}
	dir := file[len(stdSources):end]
	return pkg != dir && pkg != dir+"_test" && dir != "testing"
}

// starterName returns callSite.starter for a function. Subtests are the program's own.
func starterName(fn, file string) string {
	pkg := packageOf(fn)
	if !isStandard(fn, file) || pkg == "testing" {
		return ""
	}
	name := fn[min(len(pkg)+1, len(fn)):]
	if _, method, ok := stringslite.Cut(name, ")."); ok { // of a pointer receiver
		name = method
	}
	name, _, _ = stringslite.Cut(name, ".")
	name, _, _ = stringslite.Cut(name, "[")
	if name == "" {
		name = pkg
	}
	return "." + name + "-"
}

// packageOf returns the path of a function's package: what comes before the first dot after the
// last slash of its name. A type argument may have slashes, too.
func packageOf(fn string) string {
	path, _, _ := stringslite.Cut(fn, "[")
	path, _, _ = stringslite.Cut(path, "(")
	last := len(path) - len(base(path))
	name, _, _ := stringslite.Cut(path[last:], ".")
	return path[:last+len(name)]
}

// frameSite returns the site of a frame of package sync or the like. It is used where the stack
// has nothing else, as in a goroutine that such a package has started.
func frameSite(pc uintptr) (site uint32) {
	runtime.PredictFrames(pc, false, func(fn, file string, line int) bool {
		if !stringslite.HasPrefix(fn, "runtime.") && !stringslite.HasPrefix(fn, "predictrt.") && file != "<autogenerated>" {
			site = number(fn, file, line)
		}
		return site == 0
	})
	return site
}

// machineries are the packages, types and functions of the standard library that do an operation
// for their callers, as prefixes of names.
var machineries = [...]string{
	"runtime.", "sync.", "sync/atomic.", "internal/sync.", "predictrt.",
	"syscall.", "internal/poll.", "os.(*File).", "os.ReadFile", "os.WriteFile", "net.(*conn).", "net.(*netFD).", "net.predict",
	"reflect.", "internal/reflectlite.", "iter.", "testing/synctest.", "internal/synctest.",
	"testing.(*common).Log", "testing.(*common).Error", "testing.(*common).Fatal", "testing.(*common).Fail",
}

// isMachinery reports whether users would not take a frame for the place of an operation.
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

// isTransparent reports whether a function of the runtime does what its caller wants, and does not
// act for itself.
func isTransparent(fn string) bool {
	fn = fn[len("runtime."):]
	return stringslite.HasPrefix(fn, "reflect_") || stringslite.HasPrefix(fn, "makechan") || stringslite.HasPrefix(fn, "panic") ||
		stringslite.HasPrefix(fn, "goPanic") || stringslite.HasPrefix(fn, "deferreturn") || stringslite.HasPrefix(fn, "gopanic") ||
		stringslite.HasPrefix(fn, "sigpanic") || stringslite.HasPrefix(fn, "Goexit") || stringslite.HasPrefix(fn, "newcoro") || stringslite.HasPrefix(fn, "coro")
}

// number returns the number of a site.
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

// keyOf returns the FNV-1a hash of "fn:line" with the top bit set.
func keyOf(fn string, line int) uint64 {
	h := (hashed(fnvOffset, fn) ^ ':') * fnvPrime
	var buf [20]byte
	for _, digit := range strconv.AppendUint(buf[:0], uint64(line), 10) {
		h = (h ^ uint64(digit)) * fnvPrime
	}
	// The rewriter's numbers of sites lack this bit, see isInside.
	return h | 1<<63
}

// hashed continues the FNV-1a hash h with s.
func hashed(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

// keyFor returns what schedules call a site.
func keyFor(site uint32) uint64 {
	if site&(1<<31) != 0 || site == 0 {
		return uint64(site)
	}
	return callSites[site].key
}
