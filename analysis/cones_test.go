package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// What leads two goroutines to where they are blocked is a few events, however many others
// there were.
func TestConesAreSmall(t *testing.T) {
	const others = 1000
	var text strings.Builder
	for g := range others + 2 {
		fmt.Fprintf(&text, "0 fork %d\n", g+1)
	}
	text.WriteString("1 begin\n1 acq a\n2 begin\n2 acq b\n")
	for g := range others {
		fmt.Fprintf(&text, "%d begin\n%[1]d acq l\n%[1]d write x=%[1]d\n%[1]d rel l\n%[1]d end\n", g+3)
	}
	tr := tracetest.Parse(t, text.String())
	lock := make(map[trace.GID]uint64)
	for _, e := range tr.Events {
		if e.Kind == trace.Acquire {
			lock[e.G] = e.Obj
		}
	}
	for g := range trace.GID(2) {
		tr.Blocked = append(tr.Blocked, trace.BlockedGoroutine{G: g + 1, Proof: trace.ProofLeak, Op: trace.Acquire, Obj: lock[2-g]})
	}
	ws, with := waits.Blocked(tr, trace.ProofLeak)
	c, err := analysis.NewCones(with, ws)
	require.NoError(t, err)
	n := 0
	for s := range c.SchedulesFor(ws) {
		n++
		assert.Len(t, s.Steps, 6, "two forks, and what the two have done")
		assert.Equal(t, []int{ws[0].Position, ws[1].Position}, s.Violation)
		assert.NotContains(t, s.Hold, ws[0].Position)
	}
	assert.Equal(t, 1, n, "what those did who hold the locks is no more")
}
