package testing

import (
	"predictrt"
	"strings"
	"time"
	"unsafe"
)

func init() { predictrt.PrintBeforeDeath = predictPrintTests }

// predictPrintTests prints what the running tests have logged, before the process ends because no
// goroutine can run. Subtests come before their parents.
func predictPrintTests(tests []unsafe.Pointer) {
	for i := len(tests) - 1; i >= 0; i-- {
		c := (*common)(tests[i])
		p := c.parent
		// A blocked goroutine may hold their locks.
		if p == nil || !p.mu.TryLock() {
			continue
		}
		p.mu.Unlock()
		if !c.mu.TryLock() {
			continue
		}
		c.mu.Unlock()
		c.flushPartial()
		c.flushToParent(c.name, "--- FAIL: %s (%s)\n", c.name, fmtDuration(c.duration+highPrecisionTimeSince(c.start)))
	}
}

// predictTestResult reports the outcome of c.
func predictTestResult(c *common) {
	outcome := "pass"
	if c.failed {
		outcome = "fail"
	} else if c.skipped {
		outcome = "skip"
	}
	predictrt.TestResult(c.name, outcome, int64(c.duration))
}

// predictExample reports the outcome of an example, and what it has printed if that is wrong.
func predictExample(name string, took time.Duration, passed bool, wrong string) {
	outcome := "pass"
	if !passed {
		outcome = "fail"
	}
	for line := range strings.Lines(wrong) {
		predictrt.TestOutput(name, []byte(line))
	}
	predictrt.TestResult(name, outcome, int64(took))
}

// predictTestEnded is called when c has ended.
func predictTestEnded(c *common) {
	if len(c.cleanups) == 0 {
		c.cleanups = nil // cleanups that have run keep nothing alive then
	}
	predictrt.TestEnded()
}
