package detect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/detect"
)

// An event belongs to its goroutine's test while that runs. A worker that outlives its test, or has none,
// works for the last test that must have begun before the event and still runs.
func TestTestsOf(t *testing.T) {
	const text = `0 fork 1
1 testbegin
0 fork 2
2 begin
1 w x
1 end
2 w x
0 fork 3
3 testbegin
3 post p
2 w x
2 await p
2 w x
3 w x
3 end
2 w x`
	in := input(t, text)
	for g, test := range [][2]string{{"", "main"}, {"TestA", "0"}, {"", "main.1"}, {"TestB", "0"}} {
		in.Trace.Goroutines[g].Test, in.Trace.Goroutines[g].Path = test[0], test[1]
	}
	tests := detect.NewTestIndex(in.Trace, in.Order)
	for event, want := range map[int][]string{
		4:  {"TestA"},     // the test itself
		6:  {""},          // a worker, after TestA has ended
		10: {""},          // TestB has begun, but need not have
		12: {"TestB", ""}, // the worker has heard of TestB
		13: {"TestB"},
		15: {""}, // TestB has ended
	} {
		assert.Equal(t, want, tests.TestsOf([]int{event}), "event %d", event)
	}
	assert.Equal(t, []string{"TestB", "TestA"}, tests.TestsOf([]int{13, 4}), "in the order of the accesses")
}
