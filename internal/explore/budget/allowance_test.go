package budget

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

// recorded is a trace with so many events before its only test, and in it.
func recorded(setup, test int) *trace.Trace {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Path: "main"}, {Path: "0", Test: "TestX"}}}
	tr.Events = make([]trace.Event, setup+test)
	for i := range test {
		tr.Events[setup+i].G = 1
	}
	return tr
}

// What a run does before its test is paid for, too.
func TestCost(t *testing.T) {
	a := NewAllowance(recorded(100*eventsPerFirstWork, 1), nil, nil)
	assert.Equal(t, RunWork+100, a.Cost(0))
	assert.Equal(t, RunWork+2100, a.Cost(2000))
	assert.Equal(t, RunWork, NewAllowance(recorded(0, 1), nil, nil).Cost(0))
	assert.Equal(t, Work(workPerSecond), WorkOfWait(waitDivisor*time.Second))
}

// Each test has work of its own, whatever other tests there are; those with several goroutines
// share what the package has, by their sizes.
func TestAllowance(t *testing.T) {
	const small, large = 1000, 50_000
	events := map[string]int{"TestOne": small, "TestA": small, "TestB": large, "TestCut": 2_000_000}
	a := NewAllowance(recorded(0, 1), events, []string{"TestA", "TestB", "TestCut", "TestA"})
	assert.Equal(t, testWork, a.Left("TestOne"))
	assert.Equal(t, testWork, a.Left("TestCut"), "it costs more than there is")
	assert.InDelta(t, int(leastPackageWork), int(a.Left("TestA")+a.Left("TestB")-2*testWork), 2)
	assert.InDelta(t, float64(a.Cost(large))/float64(a.Cost(small)), float64(a.Left("TestB")-testWork)/float64(a.Left("TestA")-testWork), 0.01)
	assert.Zero(t, a.Left("TestUnknown"))
	assert.False(t, a.Take("TestUnknown", 1))

	big := NewAllowance(recorded(0, 20*eventsPerFirstWork*workPerSecond), map[string]int{"TestX": small}, []string{"TestX"})
	assert.Equal(t, 21*Work(workPerSecond), big.Left("TestX"), "as much as its first recording")
}

func TestTakeFromAllowance(t *testing.T) {
	a := NewAllowance(recorded(0, 1), map[string]int{"TestA": 0, "TestB": 0}, nil)
	assert.True(t, a.Take("TestA", testWork-1))
	assert.False(t, a.Take("TestA", 2))
	assert.True(t, a.Take("TestA", 1))
	assert.Zero(t, a.Left("TestA"))
	assert.Equal(t, testWork, a.Left("TestB"))
	a.GiveBack("TestA", 5)
	assert.Equal(t, Work(5), a.Left("TestA"))
}

// A long test has its replays, too.
func TestReplaysLeft(t *testing.T) {
	a := NewAllowance(recorded(0, 1), map[string]int{"TestA": 0, "TestB": 1 << 20}, nil)
	assert.Equal(t, int(leastPackageWork/RunWork), a.ReplaysLeft("TestA", 0))
	assert.Equal(t, leastReplays, a.ReplaysLeft("TestB", 1<<20))
	a.TakeReplays("TestB", 1<<20, 1)
	assert.Equal(t, leastReplays-1, a.ReplaysLeft("TestB", 1<<20))
	assert.Zero(t, a.ReplaysLeft("TestUnknown", 0))
}
