package predictrt

import "unsafe"

// This file logs accesses by code that is not instrumented, at the site of its caller.

// isInitializing reports whether the program still has one goroutine. What packages copy in their
// initialization comes before all that other goroutines do.
func isInitializing() bool { return goroutines == 1 }

// beforeCopy is called before package reflect copies size bytes from src to dst.
func beforeCopy(dst, src unsafe.Pointer, size, pc uintptr) {
	g := current()
	if g == nil || isInitializing() {
		return
	}
	site := g.programCallSite()
	if site == 0 {
		site = siteOf(pc)
	}
	access(KindRead, 0, src, size, nil, site)
	access(KindWrite, 0, dst, size, nil, site)
}

// ReadsMap is called before package reflect begins to iterate over the map m.
func ReadsMap(m unsafe.Pointer, pc uintptr) {
	if Mode != 0 && m != nil {
		beforeMapAccess(m, false, pc)
	}
}

// beforeMapAccess is called before package reflect reads or writes the map m.
func beforeMapAccess(m unsafe.Pointer, write bool, pc uintptr) {
	g := current()
	if g == nil || isInitializing() {
		return
	}
	kind := KindRead
	if write {
		kind = KindWrite
	}
	site := g.programCallSite()
	if site == 0 {
		site = siteOf(pc)
	}
	access(kind, flagMap, m, 8, nil, site)
}
