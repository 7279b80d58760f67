package lines

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// inTurn runs first and, when it is done by now, second.
func inTurn(first, second func()) {
	var all sync.WaitGroup
	all.Go(first)
	all.Go(func() {
		time.Sleep(5 * time.Millisecond)
		second()
	})
	all.Wait()
}

func TestAdd(t *testing.T) {
	var l Lines
	inTurn(func() { l.Add("one") }, func() { l.Add("two") })
	require.Len(t, l.All(), 2)
}

func TestMore(t *testing.T) {
	var l Lines
	l.Add("zero")
	inTurn(func() { l.Add("one") }, func() { l.Add("two") })
	if n := len(l.All()); n != 3 {
		t.Errorf("%d lines, want 3", n)
	}
}
