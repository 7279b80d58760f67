package stringbuffer

import (
	"sync"
	"testing"
	"time"
)

func TestAppend(t *testing.T) {
	all, part := New("abc"), New("def")
	var users sync.WaitGroup
	users.Go(func() {
		all.Append(part)
	})
	users.Go(func() {
		time.Sleep(3 * time.Millisecond)
		part.Truncate(0)
	})
	users.Wait()
	if got := all.Len(); got != 6 {
		t.Errorf("%d bytes, want 6", got)
	}
}
