package runtime

import (
	"internal/runtime/syscall/linux"
	"unsafe"
)

// predictCPU is the processor time that the process has used, in nanoseconds;
// real time where it is not known.
func predictCPU() int64 {
	const processCPUTime = 2
	var clockGettime uintptr
	switch GOARCH {
	case "amd64":
		clockGettime = 228
	case "arm64", "riscv64", "loong64":
		clockGettime = 113
	default:
		return nanotime()
	}
	var t [2]int64
	if _, _, errno := linux.Syscall6(clockGettime, processCPUTime, uintptr(noescape(unsafe.Pointer(&t))), 0, 0, 0, 0); errno != 0 {
		return nanotime()
	}
	return t[0]*1_000_000_000 + t[1]
}
