package recording

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// What a test costs by what it waits is the same for times that the machine may make of one.
func TestRoundWait(t *testing.T) {
	of := func(elapsed ...time.Duration) map[string]time.Duration {
		its := &trace.Trace{TestEvents: []trace.TestEvent{{Action: "output", Test: "TestA", Output: "a line"}, {Action: "pass", Test: "TestA/sub", Elapsed: time.Minute}}}
		for k, d := range elapsed {
			its.TestEvents = append(its.TestEvents, trace.TestEvent{Action: "pass", Test: fmt.Sprintf("Test%d", k), Elapsed: d})
		}
		all := WaitingTimes(its)
		assert.NotContains(t, all, "TestA/sub")
		for test, d := range all {
			all[test] = RoundedWait(d)
		}
		return all
	}
	first := of(longWait-1, longWait+1, 3*longWait, time.Hour)
	assert.Zero(t, first["Test0"])
	assert.Equal(t, longWait, first["Test1"])
	assert.Equal(t, 2*longWait, first["Test2"])
	assert.Equal(t, first, of(0, longWait*3/2, 7*longWait/2, time.Hour+time.Minute))
}

// What a test has waited has in it what its parallel subtests have, of which package testing tells by themselves.
func TestWaitedOfSubtests(t *testing.T) {
	event := func(test string, seconds time.Duration) trace.TestEvent {
		return trace.TestEvent{Action: "pass", Test: test, Elapsed: seconds * time.Second}
	}
	assert.Equal(t, map[string]time.Duration{"TestOneByOne": 5 * time.Second, "TestParallel": 9 * time.Second, "TestGone": 2 * time.Second}, WaitingTimes(&trace.Trace{TestEvents: []trace.TestEvent{
		event("TestOneByOne/a", 2), event("TestOneByOne/b", 2), event("TestOneByOne", 5),
		event("TestParallel/of/a", 3), event("TestParallel/of/b/c", 2), event("TestParallel/of/b/d", 4), event("TestParallel/of/b", 0), event("TestParallel", 1),
		event("TestGone/a/b", 2),
	}}))
}

// A replay is given what its tests took at most: what other tests waited is not theirs.
func TestTestTime(t *testing.T) {
	waited := map[string]time.Duration{"TestShort": 100 * time.Millisecond, "TestWaits": 7 * time.Second}
	run := recorder.Run{Seconds: 8, Processor: 0.5}
	took := func(tests ...string) time.Duration { return TestTime(run, tests, waited).Round(time.Millisecond) }
	assert.Equal(t, 1000*time.Millisecond, took("TestShort"), "the rest of the run may be its own")
	assert.Equal(t, 7900*time.Millisecond, took("TestWaits"))
	assert.Equal(t, 8*time.Second, took("TestShort", "TestWaits"))
	waited["TestParallel"] = 7 * time.Second
	assert.Equal(t, 600*time.Millisecond, took("TestShort"), "tests that waited at the same time computed, too")
	assert.Equal(t, 8*time.Second, TestTime(run, []string{"TestShort"}, nil), "no test is known")
}
