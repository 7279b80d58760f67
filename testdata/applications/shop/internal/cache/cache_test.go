package cache

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

func upper(_ context.Context, s string) (string, error) {
	return strings.ToUpper(s), nil
}

// Each reader counts its hit under a lock that readers share.
func TestHits(t *testing.T) {
	t.Parallel()
	c := New(time.Minute, upper)
	if _, err := c.Get(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	var g errgroup.Group
	for range 2 {
		g.Go(func() error {
			_, err := c.Get(t.Context(), "a")
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

// What both miss is loaded once.
func TestLoadsOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	loads := 0
	c := New(time.Minute, func(ctx context.Context, s string) (string, error) {
		mu.Lock()
		loads++
		mu.Unlock()
		return upper(ctx, s)
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { c.Get(context.Background(), "a") })
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	if loads != 1 {
		t.Errorf("loaded %d times, want once", loads)
	}
}

func TestTooOld(t *testing.T) {
	t.Parallel()
	c := New(-time.Second, upper)
	for _, key := range []string{"a", "b", "a"} {
		t.Run(key, func(t *testing.T) {
			v, err := c.Get(t.Context(), key)
			if err != nil || v != strings.ToUpper(key) {
				t.Errorf("got %q, %v", v, err)
			}
		})
	}
	if c.Hits() != 0 {
		t.Error("what was too old was used")
	}
}
