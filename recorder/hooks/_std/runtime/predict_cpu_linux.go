package runtime

import (
	"internal/runtime/syscall/linux"
	"unsafe"
)

// The clocks, as the kernel numbers them.
const (
	predictProcessCPU = 2
	predictThreadCPU  = 3
)

// predictCPU returns the processor time that the program has used, in nanoseconds, without that of
// the writer's thread, which depends on the load of the machine. It is real time if it is not
// known.
func predictCPU() int64 {
	t := predictCPUOf(predictProcessCPU)
	if t == 0 {
		return nanotime()
	}
	return t - predictWriter.cpu.Load()
}

// predictWriterCPU returns the processor time that the running thread has used, in nanoseconds; 0
// if it is not known.
func predictWriterCPU() int64 { return predictCPUOf(predictThreadCPU) }

// predictCPUOf reads one of the kernel's clocks; 0 means that it is not known.
func predictCPUOf(clock uintptr) int64 {
	var clockGettime uintptr
	switch GOARCH {
	case "amd64":
		clockGettime = 228
	case "arm64", "riscv64", "loong64":
		clockGettime = 113
	case "386":
		clockGettime = 403 // of 64 bits, as t is
	default:
		return 0
	}
	var t [2]int64
	if _, _, errno := linux.Syscall6(clockGettime, clock, uintptr(noescape(unsafe.Pointer(&t))), 0, 0, 0, 0); errno != 0 {
		return 0
	}
	return t[0]*1_000_000_000 + t[1]
}
