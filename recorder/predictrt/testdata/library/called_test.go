package predictrt

import (
	"strings"
	"testing"
	"unsafe"

	"predictrt/stubs/runtime"
)

func pointerTo[T any](p *T) unsafe.Pointer { return unsafe.Pointer(p) }

// The plan of a monitor names a state for each state and event.
func TestPlanMonitor(t *testing.T) {
	for text, want := range map[string]bool{
		"2 1 0 1 1 1": true,
		"2 1 0 1 1":   false, // no state for one event
		"2 1 0 1 1 2": false, // no such state
		"0 1 0 1":     false, // no events
		"2 1":         false,
		"2 x 0 1 1 1": false,
	} {
		start(t, modeReplay)
		if got := planMonitor(text); got != want {
			t.Errorf("%q: found %v", text, got)
		}
	}
	start(t, modeReplay)
	if planMethod("5 0") {
		t.Error("a method without a monitor")
	}
	planMonitor("2 1 0 1 1 1")
	if planMonitor("2 1 0 1 1 1") {
		t.Error("two monitors")
	}
	for text, want := range map[string]bool{"5 0": true, "5 1": true, "5 2": false, "x 0": false, "5 0 1 9": true, "5 0 2 9": false} {
		if got := planMethod(text); got != want {
			t.Errorf("%q: found %v", text, got)
		}
	}
}

// Each object has a state of its own; the verdict tells when one comes to what violates the
// property, once.
func TestObserve(t *testing.T) {
	start(t, modeReplay)
	// Two closes in a row violate: from state 0 by close (event 0) to 1, and on to 2; open
	// (event 1) goes back to 0.
	planMonitor("2 2 1 0 2 0 2 2")
	planMethod("10 0")
	planMethod("11 1")
	g := run("0.1")
	var a, b int
	x, y := uint64(uintptr(pointerTo(&a))), uint64(uintptr(pointerTo(&b)))
	for _, c := range []struct {
		obj, method uint64
		violations  int
	}{{x, 10, 0}, {y, 10, 0}, {x, 11, 0}, {x, 10, 0}, {y, 12, 0}, {y, 10, 1}, {y, 10, 1}, {x, 10, 2}} {
		g.observe(c.obj, c.method)
		if got := strings.Count(runtime.Written, "violated TestT:0.1\n"); got != c.violations {
			t.Fatalf("method %d: found %d violations, expected %d", c.method, got, c.violations)
		}
	}
	stage = stageFree
	g.observe(x, 11)
	if *activeMonitor.states[[2]uint64{x, x}] != 2 {
		t.Error("the monitor goes on after the schedule")
	}
}

// A pair goes through the events of both of its objects, also those from before it came to be.
func TestObservePairs(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []uint64 // methods on the first object, before the pair comes to be
		after  []uint64
		want   int
	}{
		{"the first object is never changed", nil, nil, 0},
		{"the first object was changed before", []uint64{20}, nil, 1},
		{"the first object is changed after", nil, []uint64{20}, 1},
	} {
		start(t, modeReplay)
		// Event 0 makes the pair, event 1 changes its first object. State 1 is made, 3 changed;
		// a change before or after the making violates (state 2).
		planMonitor("2 2 1 3 1 2 2 2 2 3")
		planMethod("20 1 0 0")  // on the first object alone
		planMethod("21 0 1 22") // on the second; 22 tells of the first
		g := run("0.1")
		var a, b int
		first, second := uint64(uintptr(pointerTo(&a))), uint64(uintptr(pointerTo(&b)))
		for _, m := range c.before {
			g.observe(first, m)
		}
		g.observe(first, 22)
		g.observe(second, 21)
		for _, m := range c.after {
			g.observe(first, m)
		}
		if got := strings.Count(runtime.Written, "violated"); got != c.want {
			t.Errorf("%s: found %d violations, expected %d", c.name, got, c.want)
		}
	}
}

// Who tells of the first object of a pair is the goroutine that then calls: another one's
// operand is none of its.
func TestObservePairsByGoroutine(t *testing.T) {
	start(t, modeReplay)
	planMonitor("1 1 1 1")
	planMethod("21 0 1 22")
	one, two := run("0.1"), run("0.2")
	one.observe(100, 22)
	two.observe(200, 21)
	if len(activeMonitor.states) != 0 {
		t.Error("a pair of what two goroutines have told of")
	}
	one.observe(200, 21)
	if len(activeMonitor.states) != 1 {
		t.Error("no pair")
	}
}

// An object of no size, or on the stack, has no events; the method may have several numbers.
func TestEvent(t *testing.T) {
	start(t, modeRecord)
	run("0")
	var x uint64
	Event(ObjectOf(&x, 1, 2), ObjectOf(&struct{}{}, 3), Unnamed(4))
	if got := logged(); got != "call call" {
		t.Errorf("found %q", got)
	}
}
