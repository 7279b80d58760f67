package chance

import (
	"slices"
	"sync"
	"testing"
	"time"
)

func TestAll(t *testing.T) {
	d := &Diary{}
	var wg sync.WaitGroup
	wg.Go(func() { d.Select(10) })
	wg.Go(func() { d.Range(20) })
	wg.Go(func() { d.Draw(5) })
	wg.Go(func() { d.Watch(20 * time.Millisecond) })
	wg.Go(func() {
		time.Sleep(100 * time.Millisecond) // the watch is over
		if d.last != "the end" {
			t.Errorf("the last word is %q", d.last)
		}
	})
	wg.Wait()
	lines := d.Lines()
	if len(lines) < 20+20+5 || !slices.Contains(lines, "context deadline exceeded") {
		t.Errorf("found %d lines: %q", len(lines), lines)
	}
}
