//go:build unix

package runtime

import "unsafe"

// This file reads and writes files without package os, and without telling the scheduler: a write
// is part of the event that it logs.

// PredictFile creates a file, or empties it, and returns its descriptor, or
// -1. name ends with a zero byte.
func PredictFile(name string) int {
	fd := open(unsafe.StringData(name), _O_CREAT|_O_WRONLY|_O_TRUNC, 0o644)
	if fd >= 0 {
		closeonexec(fd)
	}
	return int(fd)
}

// PredictRead reads a whole file; ok is false if it cannot be read. name ends with a zero byte.
func PredictRead(name string) (data []byte, ok bool) {
	fd := open(unsafe.StringData(name), 0 /* O_RDONLY, which not all systems name */, 0)
	if fd < 0 {
		return nil, false
	}
	var buf [4096]byte
	for {
		n := read(fd, noescape(unsafe.Pointer(&buf)), int32(len(buf)))
		if n <= 0 {
			closefd(fd)
			return data, n == 0
		}
		data = append(data, buf[:n]...)
	}
}

// PredictWrite writes n bytes at p, and reports whether all were written.
//
//go:nosplit
func PredictWrite(fd int, p unsafe.Pointer, n int) bool {
	for n > 0 {
		k := write1(uintptr(fd), p, int32(n))
		if k == -_EINTR {
			continue
		}
		if k <= 0 {
			return false
		}
		p = add(p, uintptr(k))
		n -= int(k)
	}
	return true
}
