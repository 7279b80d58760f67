package predictrt

import "unsafe"

// Memory that is touched by code that is not instrumented, for its caller.

// initializing reports whether there has been one goroutine only: what packages copy when they are
// initialized, tables that they sort as a rule, comes before all that others will do.
func isInitializing() bool { return goroutines == 1 }

// copied is called before size bytes at dst become those at src.
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

// mapTouched is called before the map m is read or written.
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
