package cputwice

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestSubtests(t *testing.T) {
	for _, n := range []int{1, 2} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if add(n, n) != 2*n {
				t.Error(n)
			}
		})
	}
}

func TestParallel(t *testing.T) {
	for range 2 {
		t.Run("same name", func(t *testing.T) { t.Parallel(); add(1, 2) })
	}
}

func TestGoroutines(t *testing.T) {
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { mu.Lock(); n++; mu.Unlock() })
	}
	wg.Wait()
	if n != 3 {
		t.Error(n)
	}
}

func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte("a"), 0o666); err != nil {
		t.Error(err)
	}
}

func TestCleanup(t *testing.T) {
	ended := false
	t.Cleanup(func() {
		if !ended {
			t.Error("cleaned too early")
		}
	})
	ended = true
}

func TestTimer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	<-ctx.Done()
}

func TestRecovers(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	panic("on purpose")
}

// Counts its own runs.
var runs int

func TestCountsRuns(t *testing.T) {
	if runs++; runs < 1 {
		t.Error(runs)
	}
}

func TestTable(t *testing.T) {
	for _, c := range []struct{ a, b, sum int }{{1, 2, 3}, {2, 2, 4}} {
		if got := add(c.a, c.b); got != c.sum {
			t.Errorf("%d + %d = %d", c.a, c.b, got)
		}
	}
}

func TestSkips(t *testing.T) { t.Skip("not here") }

func FuzzAdd(f *testing.F) {
	f.Add(1, 2)
	f.Fuzz(func(t *testing.T, a, b int) {
		if add(a, b) != a+b {
			t.Error(a, b)
		}
	})
}

// A race is one in each of the runs.
//
//want:race none
func TestRace(t *testing.T) {
	n := 0
	var wg sync.WaitGroup
	wg.Go(func() { n = 1 })
	wg.Go(func() { n = 2 })
	wg.Wait()
	_ = n
}
