//go:build unix

package selftest

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// TestCost: what is computed counts as time by a part only, as recording makes it cost
// more.
func TestCost(t *testing.T) {
	if os.Getenv("COST") == "" {
		return // for the recorded run
	}
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	timeout := time.After(200 * time.Millisecond)
	for end := used() + 650*time.Millisecond; used() < end; {
		for n := range 1_000_000 {
			sum += n
		}
	}
	time.Sleep(time.Millisecond)
	select {
	case <-timeout:
		t.Error("650 ms of computing have tripped a time-out of 200 ms")
	default:
	}
}

var sum int
