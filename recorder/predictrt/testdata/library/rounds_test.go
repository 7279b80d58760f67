package predictrt

import (
	"testing"
	"unsafe"

	"predictrt/stubs/runtime"
)

// Time passes at once in a first recording where all tests have waited for others for a second, and
// nothing but timers and computation went on meanwhile.
func TestAwaitsOnlyTime(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(test, other *goroutine) // what happens half a second before the check
		want bool
	}{
		{"nothing", func(_, _ *goroutine) {}, true},
		{"the worker waits for its timer again", func(_, other *goroutine) { other.blockingOp.startTime = runtime.Clock }, true},
		{"a system call", func(_, _ *goroutine) { runtime.Calls++ }, false},
		{"the test went on", func(test, _ *goroutine) { test.blockingOp.startTime = runtime.Clock }, false},
		{"the test waits for a timer itself", func(test, _ *goroutine) { runtime.Waits[test.inRuntime.G] = minHang }, false},
		{"another test begins", func(_, _ *goroutine) { runningTests++ }, false},
		{"no test runs", func(test, _ *goroutine) { test.runningTest, runningTests = 0, 0 }, false},
	} {
		start(t, modeRecord)
		test, other := run("0"), run("0.1")
		test.runningTest, runningTests = 1, 1
		runtime.Waiting = []unsafe.Pointer{unsafe.Pointer(test), unsafe.Pointer(other)}
		test.blockingOp.startTime = runtime.Clock
		awaitsOnlyTime()
		runtime.Clock += minHang / 2
		c.then(test, other)
		awaitsOnlyTime()
		runtime.Clock += minHang / 2
		if got := awaitsOnlyTime(); got != c.want {
			t.Errorf("%s: expected %v, found %v", c.name, c.want, got)
		}
		runtime.Calls++
		if awaitsOnlyTime() {
			t.Errorf("%s: expected that time passes as it does once something else has happened", c.name)
		}
		runningTests, runtime.Waiting = 0, nil
	}
}
