package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// pollTime is how often the memory of a process is looked at.
const pollTime = 2 * time.Millisecond

// watchMemory looks at the peak resident memory of a process until done is
// closed, and then sends it in MiB. It is asked for while the process lives:
// what the system says afterwards includes the memory of the process that it
// was forked from. 0 stands for unknown, where there is no /proc.
func watchMemory(pid int, done <-chan struct{}) <-chan float64 {
	peak := make(chan float64, 1)
	go func() {
		ticks := time.NewTicker(pollTime)
		defer ticks.Stop()
		var mib float64
		for {
			select {
			case <-ticks.C:
				mib = max(mib, highWater(pid))
			case <-done:
				peak <- mib
				return
			}
		}
	}()
	return peak
}

// highWater reads the greatest memory of a process so far, in MiB.
func highWater(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kib float64
	fmt.Sscan(rest, &kib)
	return kib / (1 << 10)
}
