package predictrt

import (
	"strings"
	"testing"
	"unsafe"

	"predictrt/stubs/runtime"
)

// Two operations are a violation if they are on the same thing, and one of them changes it.
func TestCollide(t *testing.T) {
	group := [2]uint64{}
	obj := uint64(uintptr(unsafe.Pointer(&group)))
	for _, c := range []struct {
		name  string
		a, b  pendingAccess
		count int32 // of the WaitGroup
		want  bool
	}{
		{"write and read", pendingAccess{kind: KindWrite, object: 100, size: 8}, pendingAccess{kind: KindRead, object: 100, size: 8}, 0, true},
		{"two reads", pendingAccess{kind: KindRead, object: 100, size: 8}, pendingAccess{kind: KindRead, object: 100, size: 8}, 0, false},
		{"read and atomic load", pendingAccess{kind: KindAtomicLoad, object: 100, size: 8}, pendingAccess{kind: KindRead, object: 100, size: 8}, 0, false},
		{"read and atomic store", pendingAccess{kind: KindAtomicStore, object: 100, size: 8}, pendingAccess{kind: KindRead, object: 100, size: 8}, 0, true},
		{"write and read of one of its bytes", pendingAccess{kind: KindWrite, object: 100, size: 8}, pendingAccess{kind: KindRead, object: 107, size: 1}, 0, true},
		{"write and read after it", pendingAccess{kind: KindWrite, object: 100, size: 8}, pendingAccess{kind: KindRead, object: 108, size: 1}, 0, false},
		{"read after a write, the read first", pendingAccess{kind: KindRead, object: 108, size: 1}, pendingAccess{kind: KindWrite, object: 100, size: 8}, 0, false},
		{"read before a write", pendingAccess{kind: KindRead, object: 99, size: 1}, pendingAccess{kind: KindWrite, object: 100, size: 8}, 0, false},
		{"lock and read of the mutex", pendingAccess{kind: KindAcquire, object: 100}, pendingAccess{kind: KindRead, object: 100, size: 8}, 0, true},
		{"close and send on a channel", pendingAccess{kind: KindClose, object: 100}, pendingAccess{kind: KindSend, object: 100}, 0, true},
		{"close and send on another channel", pendingAccess{kind: KindClose, object: 100}, pendingAccess{kind: KindSend, object: 200}, 0, false},
		{"send and close of another channel", pendingAccess{kind: KindSend, object: 200}, pendingAccess{kind: KindClose, object: 100}, 0, false},
		{"two closes", pendingAccess{kind: KindClose, object: 100}, pendingAccess{kind: KindClose, object: 100}, 0, true},
		{"close and write at the address", pendingAccess{kind: KindClose, object: 100}, pendingAccess{kind: KindWrite, object: 100, size: 8}, 0, false},
		{"two sends", pendingAccess{kind: KindSend, object: 100}, pendingAccess{kind: KindSend, object: 100}, 0, false},
		{"send and write at the address", pendingAccess{kind: KindSend, object: 100}, pendingAccess{kind: KindWrite, object: 100, size: 8}, 0, false},
		{"Add and Wait at zero", pendingAccess{kind: KindWaitGroupAdd, object: obj}, pendingAccess{kind: KindWaitGroupWait, object: obj}, 0, true},
		{"Wait and Add at zero", pendingAccess{kind: KindWaitGroupWait, object: obj}, pendingAccess{kind: KindWaitGroupAdd, object: obj}, 0, true},
		{"Add and Wait above zero", pendingAccess{kind: KindWaitGroupAdd, object: obj}, pendingAccess{kind: KindWaitGroupWait, object: obj}, 1, false},
		{"Add and Wait of another group", pendingAccess{kind: KindWaitGroupAdd, object: obj}, pendingAccess{kind: KindWaitGroupWait, object: obj + 8}, 0, false},
	} {
		group[0] = uint64(c.count)<<32 | 7 // seven wait
		if got := conflict(c.a, c.b); got != c.want {
			t.Errorf("%s: found %v, expected %v", c.name, got, c.want)
		}
	}
}

// A step goes when it is the next one, and blocks until then.
func TestStepsInOrder(t *testing.T) {
	start(t, modeReplay)
	first, second := plan("0.1"), plan("0.2")
	first.add(KindRead, siteA, plannedEvent{occurrence: 1})
	second.add(KindRead, siteA, plannedEvent{occurrence: 2})
	one, two := run("0.1"), run("0.2")
	read := func(g *goroutine) func() { return func() { g.actor.pass(KindRead, siteA, 100, 8, nil) } }
	if blocks(two, read(two)) {
		t.Error("the first occurrence is no step, and blocks")
	}
	if !blocks(two, read(two)) || two.waitReason != "turn" {
		t.Error("the second step does not wait for its turn")
	}
	if blocks(one, read(one)) {
		t.Error("the first step blocks")
	}
	if nextStep != 1 || len(runtime.Woken) != 1 || runtime.Woken[0] != &two.gateSema {
		t.Errorf("found step %d, and %d woken", nextStep, len(runtime.Woken))
	}
	if two.actor.stepDone(1); stage != stageFree {
		t.Error("a schedule without a violation is not over after its last step")
	}
}

// Both goroutines of a violation stand before their accesses when it is confirmed.
func TestViolation(t *testing.T) {
	for _, c := range []struct {
		name string
		obj  uint64 // of the second access
		want string
	}{
		{"same memory", 100, "confirmed\n"},
		{"other memory", 200, "left the two accesses do not collide"},
	} {
		start(t, modeReplay)
		plan("0.1").add(KindWrite, siteA, plannedEvent{occurrence: 1, role: roleViolate})
		plan("0.2").add(KindRead, siteB, plannedEvent{occurrence: 1, role: roleViolate})
		one, two := run("0.1"), run("0.2")
		if !blocks(one, func() { one.actor.pass(KindWrite, siteA, 100, 8, nil) }) || one.waitReason != "violation" {
			t.Errorf("%s: the first goroutine does not wait for the second", c.name)
		}
		if strings.Contains(runtime.Written, "confirmed") {
			t.Errorf("%s: confirmed by one goroutine", c.name)
		}
		blocks(two, func() { two.actor.pass(KindRead, siteB, c.obj, 8, nil) })
		if !strings.Contains(runtime.Written, c.want) {
			t.Errorf("%s: found %q, expected %q", c.name, runtime.Written, c.want)
		}
	}
}

// After the first access of a violation the second goroutine goes, then all.
func TestWhoGoesFirst(t *testing.T) {
	start(t, modeReplay)
	a, b := plan("0.1"), plan("0.2")
	a.add(KindWrite, siteA, plannedEvent{occurrence: 1, role: roleViolate})
	b.add(KindRead, siteB, plannedEvent{occurrence: 1, role: roleViolate})
	run("0.1")
	run("0.2")
	stage, firstViolator = stageFirstAccess, 1
	if a.mayAccess() || !b.mayAccess() {
		t.Error("the goroutine that the schedule names goes first")
	}
	stage = stageSecondAccess
	if !a.mayAccess() || b.mayAccess() {
		t.Error("then the other one goes")
	}
	a.yieldToOtherViolator(KindRead)
	if stage != stageFree {
		t.Error("then all go")
	}
}

// A goroutine that skips a step leaves the schedule, with a reason.
func TestAstray(t *testing.T) {
	start(t, modeReplay)
	a := plan("0.1")
	a.add(KindRead, siteA, plannedEvent{occurrence: 1})
	a.add(KindRead, siteB, plannedEvent{occurrence: 1})
	runtime.Stack = []runtime.Frame{{Func: "p.f", File: "x.go", Line: 3}}
	run("0.1").actor.pass(KindRead, siteB, 100, 8, nil)
	if want := "the schedule expects it at step 1"; !strings.Contains(runtime.Written, want) || stage != stageFree {
		t.Errorf("found %q, expected %q", runtime.Written, want)
	}
}

// An attempt that fails where the schedule expects it to succeed leaves the schedule.
func TestMissed(t *testing.T) {
	start(t, modeReplay)
	a := plan("0.1")
	a.add(KindAcquire, siteA, plannedEvent{occurrence: 1})
	g := run("0.1")
	g.actor.noteFailedAttempt(KindAcquire, siteB)
	if stage != stageFollowing {
		t.Error("an attempt elsewhere is no step")
	}
	g.actor.noteFailedAttempt(KindAcquire, siteA)
	if !strings.Contains(runtime.Written, "could not do step 1") {
		t.Errorf("found %q", runtime.Written)
	}
}

// A goroutine that ends before its steps leaves the schedule.
func TestEndsEarly(t *testing.T) {
	start(t, modeReplay)
	plan("0.1").add(KindRead, siteA, plannedEvent{occurrence: 1})
	run("0.1").exitSchedule()
	if !strings.Contains(runtime.Written, "has ended, the schedule expects it at step 1") {
		t.Errorf("found %q", runtime.Written)
	}
}

// The standard library may make fewer accesses than in the recorded run: a step that is one
// is skipped, any other is not.
func TestSkipsInside(t *testing.T) {
	for _, skipped := range []bool{true, false} {
		start(t, modeReplay)
		a := plan("0.1")
		a.add(KindRead, siteA, plannedEvent{occurrence: 1})
		a.add(KindRead, siteB, plannedEvent{occurrence: 1})
		run("0.1")
		if skipped {
			insideSteps[0] = &insideStep{counter: a.counterOf(KindRead, siteA), occurrence: 1}
		}
		if got := a.skipTo(1); got != skipped {
			t.Errorf("inside %v: found %v", skipped, got)
		}
		if got := nextStep == 1; got != skipped {
			t.Errorf("inside %v: the next step is %d", skipped, nextStep)
		}
	}
}
