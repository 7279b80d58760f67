package selftest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// further are waits of files that are not always there.
var further = map[string]func(time.Duration){}

// TestWaits: what waits outside of the program takes real time.
func TestWaits(t *testing.T) {
	if os.Getenv("WAITS") == "" {
		return // it does nothing where no time is measured
	}
	nap := func(d time.Duration) {
		at := syscall.NsecToTimespec(int64(d))
		syscall.Nanosleep(&at, nil)
	}
	waits := map[string]func(time.Duration){
		"nanosleep": nap,
		"select": func(d time.Duration) {
			at := syscall.NsecToTimeval(int64(d))
			syscall.Select(0, nil, nil, nil, &at)
		},
		"process": func(d time.Duration) { exec.Command("sleep", fmt.Sprint(d.Seconds())).Run() },
		"two": func(d time.Duration) {
			var wg sync.WaitGroup
			wg.Go(func() { nap(d) })
			wg.Go(func() { nap(d) })
			wg.Wait()
		},
		"lock": func(d time.Duration) {
			name := filepath.Join(t.TempDir(), "lock")
			f, _ := os.Create(name)
			g, _ := os.Create(name)
			defer g.Close()
			syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
			go func() { nap(d); f.Close() }()
			syscall.Flock(int(g.Fd()), syscall.LOCK_EX)
		},
	}
	for name, wait := range further {
		waits[name] = wait
	}
	for name, wait := range waits {
		for _, d := range []time.Duration{2 * time.Millisecond, 70 * time.Millisecond} {
			begun := time.Now()
			wait(d)
			if took := time.Since(begun); took < d {
				t.Errorf("%s of %v took %v", name, d, took)
			}
		}
	}
}
