//go:build unix

package script

import (
	"syscall"
	"time"
)

// Processor is the processor time that this process has taken: others may keep the
// machine busy.
func Processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // there is no bad input
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
