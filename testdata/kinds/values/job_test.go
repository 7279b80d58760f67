package job

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

func TestPause(t *testing.T) {
	var j Job
	inTurn(func() { j.Run() }, func() { j.Pause() })
	require.Equal(t, State("done"), j.State())
}

func TestReset(t *testing.T) {
	var j Job
	inTurn(func() { j.Reset() }, func() { j.Stop() })
	require.ErrorIs(t, j.Err(), ErrStopped)
}

type lines []string

func (l *lines) Put(line string) { *l = append(*l, line) }

func TestSay(t *testing.T) {
	j := Job{sink: new(lines)}
	inTurn(func() { j.Say("hello") }, func() { j.Close() })
}
