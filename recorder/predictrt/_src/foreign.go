package predictrt

import "unsafe"

// Memory that is touched by code that is not instrumented, for its caller.

// copied is called before size bytes at dst become those at src.
func copied(dst, src unsafe.Pointer, size, pc uintptr) {
	if current() == nil {
		return
	}
	site := siteOf(pc)
	access(Read, 0, src, size, nil, site)
	access(Write_, 0, dst, size, nil, site)
}

// mapTouched is called before the map m is read or written.
func mapTouched(m unsafe.Pointer, write bool, pc uintptr) {
	if current() == nil {
		return
	}
	kind := Read
	if write {
		kind = Write_
	}
	access(kind, flagMap, m, 8, nil, siteOf(pc))
}

// device is what all files and sockets are to the program: what it reads may
// be what it has written.
var device byte

// HasRead logs that n bytes of a file have been read into p.
func HasRead(p []byte, n int, ok bool, pc uintptr) {
	if Mode == 0 || current() == nil {
		return
	}
	if n > 0 {
		passed(unsafe.Pointer(unsafe.SliceData(p))) // what was there is gone
		span(Write_, unsafe.Pointer(unsafe.SliceData(p)), n, 1, siteOf(pc))
	}
	if ok {
		Log(Await, unsafe.Pointer(&device), 0, pc)
	}
}

// Writes logs that p is about to be written to a file.
func Writes(p []byte, pc uintptr) {
	if Mode == 0 || current() == nil {
		return
	}
	Log(Post, unsafe.Pointer(&device), 0, pc)
	span(Read, unsafe.Pointer(unsafe.SliceData(p)), len(p), 1, siteOf(pc))
}
