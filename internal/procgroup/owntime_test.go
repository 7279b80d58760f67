package procgroup

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Time in which a process waits for a processor is not its own, however many of its threads wait.
func TestOwnTime(t *testing.T) {
	for _, c := range []struct{ passed, ran, waited, want time.Duration }{
		{10, 10, 0, 10},
		{10, 0, 0, 10},   // it sleeps
		{10, 2, 8, 2},    // others have the processors
		{10, 2, 3, 7},    // and it sleeps, too
		{10, 4, 40, 4},   // of many threads
		{10, 30, 40, 10}, // that run at the same time
	} {
		assert.Equal(t, c.want, ownTime(c.passed, c.ran, c.waited), "%v", c)
	}
}

// The end comes with the time, but not after the context's.
func TestAfterOwnTime(t *testing.T) {
	ended := false
	AfterOwnTime(t.Context(), os.Getpid(), time.Millisecond, func() { ended = true })
	assert.True(t, ended)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	AfterOwnTime(ctx, os.Getpid(), time.Hour, func() { t.Error("it has ended") })
}
