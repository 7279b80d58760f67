package predictrt

import (
	"strings"
	"testing"

	"predictrt/stubs/runtime"
)

// hold makes g wait at the gate, before an event of a kind.
func hold(g *goroutine, kind uint8, it plannedEvent) *goroutine {
	g.waitReason, g.heldItem, g.heldEventKind = "turn", it, kind
	parkedGoroutines = append(parkedGoroutines, g)
	return g
}

// Of the goroutines at the gate the one whose turn comes first goes early, but for those that
// would only block.
func TestFirstHeld(t *testing.T) {
	for _, c := range []struct {
		name string
		hold func() *goroutine // returns the one that is expected
	}{
		{"none", func() *goroutine { return nil }},
		{"the earlier step", func() *goroutine {
			hold(run("0.1"), KindRead, plannedEvent{step: 3})
			return hold(run("0.2"), KindRead, plannedEvent{step: 2})
		}},
		{"a step before the violation", func() *goroutine {
			hold(run("0.1"), KindRead, plannedEvent{role: roleViolate})
			return hold(run("0.2"), KindRead, plannedEvent{step: 8})
		}},
		{"the violation before what comes after it", func() *goroutine {
			hold(run("0.1"), KindRead, plannedEvent{role: roleHold})
			return hold(run("0.2"), KindRead, plannedEvent{role: roleViolate})
		}},
		{"one that does not wait for others", func() *goroutine {
			hold(run("0.1"), KindWaitGroupWait, plannedEvent{step: 1})
			return hold(run("0.2"), KindRead, plannedEvent{step: 2})
		}},
		{"a receive that finds an element", func() *goroutine {
			hold(run("0.1"), KindRecv, plannedEvent{step: 1})
			g := hold(run("0.2"), KindRecv, plannedEvent{step: 2})
			g.inRuntime.IsReady = true
			return g
		}},
		{"a select with a default", func() *goroutine {
			hold(run("0.1"), KindSelect, plannedEvent{step: 1})
			g := hold(run("0.2"), KindSelect, plannedEvent{step: 2})
			g.selectHasDefault = true
			return g
		}},
	} {
		start(t, modeReplay)
		numSteps = 9
		if want, got := c.hold(), firstHeld(); got != want {
			t.Errorf("%s: found another goroutine", c.name)
		}
	}
}

// When a timer fires, the verdict names the goroutine that the gate delays; in a prompt replay
// that one goes on, and the timer does not fire.
func TestOvertaken(t *testing.T) {
	for _, isPrompt := range []bool{false, true} {
		start(t, modeReplay)
		promptReplay, numSteps = isPrompt, 9
		g := hold(run("0.1"), KindRead, plannedEvent{step: 4})
		waitingForStep[4] = g
		if got := beforeTimer(nil, 1000); got != isPrompt {
			t.Errorf("prompt %v: found %v", isPrompt, got)
		}
		if !strings.Contains(runtime.Written, "late TestT:0.1 1000 - - - -\n") {
			t.Errorf("prompt %v: found %q", isPrompt, runtime.Written)
		}
		if earlySteps[4] != isPrompt || (waitingForStep[4] == nil) != isPrompt {
			t.Errorf("prompt %v: the step is early: %v", isPrompt, earlySteps[4])
		}
	}
}

// One that waits for others is not delayed by the gate: it would wait anyway.
func TestOvertakenWaits(t *testing.T) {
	start(t, modeReplay)
	hold(run("0.1"), KindWaitGroupWait, plannedEvent{step: 1})
	if beforeTimer(nil, 1000); runtime.Written != "" {
		t.Errorf("found %q", runtime.Written)
	}
}

// A goroutine whose own time-out is due before the timer is delayed by the difference.
func TestOvertakenTimeout(t *testing.T) {
	start(t, modeReplay)
	plan("0.1")
	g := run("0.1")
	runtime.Waits[g.inRuntime.G] = 400
	if beforeTimer(nil, 1000); !strings.Contains(runtime.Written, "late TestT:0.1 600 ") {
		t.Errorf("found %q", runtime.Written)
	}
	if timerWaiter(399) != nil || timerWaiter(400) != g {
		t.Error("who waits for a timer is known by when it is due")
	}
}

// A timer that is due at once fires before the running goroutine goes on, but not in a prompt
// replay.
func TestFiresAtOnce(t *testing.T) {
	for _, isPrompt := range []bool{false, true} {
		start(t, modeReplay)
		promptReplay = isPrompt
		plan("0.1")
		run("0.1")
		if mayFireAtOnce(5) == isPrompt {
			t.Errorf("prompt %v", isPrompt)
		}
	}
}

// A verdict tells of a bounded number of delays.
func TestLateBound(t *testing.T) {
	start(t, modeReplay)
	g := run("0.1")
	for range maxDelays + 10 {
		reportDelay(g, -3, nil)
	}
	if n := strings.Count(runtime.Written, "late TestT:0.1 0 "); n != maxDelays {
		t.Errorf("found %d lines", n)
	}
}
