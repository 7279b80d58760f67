package tracetest

import (
	"strconv"

	"github.com/gopredict/gopredict/recorder/trace"
)

// newTrace returns a whole trace without events and goroutines.
func newTrace() *trace.Trace {
	return &trace.Trace{Sites: make(map[trace.SiteID]trace.Site), Complete: true}
}

// addGoroutine adds a goroutine of test TestX: the first one is the test's own, number n its n-th child.
func addGoroutine(t *trace.Trace) {
	g, path := len(t.Goroutines), "0"
	if g > 0 {
		path = "0." + strconv.Itoa(g)
	}
	t.Goroutines = append(t.Goroutines, trace.Goroutine{ID: trace.GID(g), Test: "TestX", Path: path})
}
