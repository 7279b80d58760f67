//go:build unix

package run

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// Peak returns the greatest resident memory of a process or one of its
// children, whichever is greater, in MiB.
func Peak(p *os.ProcessState) float64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	unit := 1 << 10
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(usage.Maxrss) * float64(unit) / (1 << 20)
}

// Processor returns the processor time that this process has taken. Unlike elapsed time, it
// does not depend on what else the machine does.
func Processor() time.Duration {
	var u syscall.Rusage
	Check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
