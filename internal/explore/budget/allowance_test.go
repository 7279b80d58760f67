package budget

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A small package has what lets it be looked at thoroughly, a large one as much as its first
// recording has taken, and what a run does before its test is paid for as well.
func TestAllowance(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}, {Path: "0", Test: "TestX"}}}
	tr.Events = make([]trace.Event, setupEvents/10)
	tr.Events = append(tr.Events, trace.Event{G: 1})
	a := NewAllowance(tr)
	assert.Equal(t, leastAllowance, a.Left)
	assert.Equal(t, RunCost+100*time.Millisecond, a.Cost(0))
	assert.Equal(t, RunCost+100*time.Millisecond+2*time.Second, a.Cost(2*FurtherEvents))

	tr.Events = append(tr.Events, make([]trace.Event, 20*firstEvents)...)
	assert.InDelta(t, 20, NewAllowance(tr).Left.Seconds(), 0.2)
}

func TestTakeFromAllowance(t *testing.T) {
	a := &Allowance{Left: 3 * time.Second}
	assert.True(t, a.Take(2*time.Second))
	assert.False(t, a.Take(2*time.Second))
	assert.True(t, a.Take(time.Second))
	assert.Zero(t, a.Left)
}
