package runtime

import "unsafe"

// This file reads and writes files without package os, and without telling the scheduler: a write
// is part of the event that it logs.

//go:cgo_import_dynamic runtime._predictCreateFile CreateFileW%7 "kernel32.dll"
//go:cgo_import_dynamic runtime._predictReadFile ReadFile%5 "kernel32.dll"

// The loader sets these.
var _predictCreateFile, _predictReadFile stdFunction

const (
	predictGenericRead   = 0x80000000
	predictGenericWrite  = 0x40000000
	predictShareAll      = 0x7 // others may read, write and remove it meanwhile
	predictCreateAlways  = 2
	predictOpenExisting  = 3
	predictNormalFile    = 0x80
	predictInvalidHandle = ^uintptr(0)
)

// PredictFile creates a file, or empties it, and returns its handle, or -1. The process's
// children do not inherit it. name ends with a zero byte.
func PredictFile(name string) int {
	return int(predictOpen(name, predictGenericWrite, predictCreateAlways))
}

// predictOpen calls CreateFileW.
func predictOpen(name string, access, how uintptr) uintptr {
	wide := predictUTF16(name)
	h := stdcall(_predictCreateFile, uintptr(unsafe.Pointer(&wide[0])), access, predictShareAll, 0, how, predictNormalFile, 0)
	KeepAlive(wide)
	return h
}

// predictUTF16 returns s in UTF-16.
func predictUTF16(s string) []uint16 {
	wide := make([]uint16, 0, len(s))
	for _, r := range s {
		if r >= 0x10000 {
			r -= 0x10000
			wide = append(wide, uint16(0xd800+r>>10))
			r = 0xdc00 + r&0x3ff
		}
		wide = append(wide, uint16(r))
	}
	return wide
}

// PredictRead reads a whole file; ok is false if it cannot be read. name ends with a zero byte.
func PredictRead(name string) (data []byte, ok bool) {
	h := predictOpen(name, predictGenericRead, predictOpenExisting)
	if h == predictInvalidHandle {
		return nil, false
	}
	buf := make([]byte, 4096)
	for {
		var n uint32
		done := stdcall(_predictReadFile, h, uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), uintptr(unsafe.Pointer(&n)), 0)
		KeepAlive(buf)
		if done == 0 || n == 0 {
			stdcall(_CloseHandle, h)
			return data, done != 0
		}
		data = append(data, buf[:n]...)
	}
}

// PredictWrite writes n bytes at p, and reports whether all were written.
//
//go:nosplit
func PredictWrite(fd int, p unsafe.Pointer, n int) bool {
	for n > 0 {
		var k uint32
		if stdcall(_WriteFile, uintptr(fd), uintptr(p), uintptr(n), uintptr(unsafe.Pointer(&k)), 0) == 0 || k == 0 {
			return false
		}
		p = add(p, uintptr(k))
		n -= int(k)
	}
	return true
}
