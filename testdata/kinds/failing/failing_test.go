// Package failing has tests that fail and let the others run.
package failing

import (
	"context"
	"sync"
	"testing"
	"time"
)

// latest is what was put last of what two goroutines put.
func latest() (version int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	put := func(v int) {
		mu.Lock()
		defer mu.Unlock()
		version = v
	}
	wg.Go(func() { put(1) })
	wg.Go(func() { put(2) })
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	return version
}

var names = map[int]string{2: "new"}

// An assertion.
//
//want:failure test-failure
func TestAssertion(t *testing.T) {
	if got := latest(); got != 2 {
		t.Errorf("got version %d", got)
	}
}

func TestAlwaysAssertion(t *testing.T) {
	if got := latest(); got > 0 {
		t.Errorf("got version %d", got)
	}
}

// FailNow in a goroutine ends that, and no more.
//
//want:failure test-failure
func TestFailNowInGoroutine(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() {
		if names[latest()] == "" {
			t.FailNow()
		}
	})
	wg.Wait()
}

func TestAlwaysFailNowInGoroutine(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() {
		if names[latest()] != "old" {
			t.FailNow()
		}
	})
	wg.Wait()
}

// Parallel subtests share what their parent has.
//
//want:failure test-failure
func TestSubtests(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	t.Run("group", func(t *testing.T) {
		for _, name := range []string{"a", "b"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, name)
				if name == "a" && seen[0] != "a" {
					t.Errorf("%s came first", seen[0])
				}
			})
		}
	})
}

func TestAlwaysSubtests(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	t.Run("group", func(t *testing.T) {
		for _, name := range []string{"a", "b"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, name)
				if len(seen) == 2 {
					t.Error("not alone")
				}
			})
		}
	})
}

// A time-out of the test's own: the worker is told to stop before it has done its work.
//
//want:failure test-failure
func TestTimeout(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var mu sync.Mutex
	stopped := false
	work, result := make(chan int), make(chan int, 1)
	go func() {
		w := <-work
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			result <- w
		}
	}()
	go func() {
		mu.Lock()
		stopped = true
		mu.Unlock()
	}()
	work <- 1
	select {
	case <-result:
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	}
}

func TestAlwaysTimeout(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	result := make(chan int)
	go func() { <-ctx.Done() }()
	select {
	case <-result:
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	}
}
