package runtime

import (
	"internal/runtime/syscall/windows"
	"unsafe"
)

//go:cgo_import_dynamic runtime._predictGetProcessTimes GetProcessTimes%5 "kernel32.dll"

// The loader sets it.
var _predictGetProcessTimes stdFunction

// predictCPU returns the processor time that the process has used, in nanoseconds; real time if it
// is not known.
func predictCPU() int64 {
	var created, ended, kernel, user int64 // in units of 100 ns
	if stdcall(_predictGetProcessTimes, windows.CurrentProcess, uintptr(unsafe.Pointer(&created)), uintptr(unsafe.Pointer(&ended)),
		uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user))) == 0 {
		return nanotime()
	}
	return (kernel + user) * 100
}

// predictWriterCPU returns the processor time of the writer's thread, which is not known here.
func predictWriterCPU() int64 { return 0 }
