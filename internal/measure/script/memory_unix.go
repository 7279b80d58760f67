//go:build unix

package script

import (
	"os"
	"runtime"
	"syscall"
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
