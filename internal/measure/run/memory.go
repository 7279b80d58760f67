package run

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// pollInterval is how often the memory of a process is read.
const pollInterval = 2 * time.Millisecond

// watchMemory reads the peak resident memory of a process, in MiB, until the returned function
// asks for it. The process has to live for that: what the system reports afterwards includes
// the memory of the process that it was forked from. 0 stands for unknown, where there is no
// /proc.
func watchMemory(pid int) (peak func() float64) {
	done, result := make(chan struct{}), make(chan float64, 1)
	go func() {
		ticks := time.NewTicker(pollInterval)
		defer ticks.Stop()
		var mib float64
		for {
			select {
			case <-ticks.C:
				mib = max(mib, highWater(pid))
			case <-done:
				result <- mib
				return
			}
		}
	}()
	return func() float64 {
		close(done)
		return <-result
	}
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

// A Stopwatch measures processor time of this process, lap by lap.
type Stopwatch time.Duration

// Start begins the first lap.
func Start() Stopwatch { return Stopwatch(Processor()) }

// Lap returns the time since the last lap.
func (w *Stopwatch) Lap() time.Duration {
	now := Processor()
	lap := now - time.Duration(*w)
	*w = Stopwatch(now)
	return lap
}
