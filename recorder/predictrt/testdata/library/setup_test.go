package predictrt

import (
	"strings"
	"testing"
	"unsafe"

	"predictrt/stubs/runtime"
)

// start begins a replay, without a plan yet, or a recording. What a test before has left in
// the library is forgotten.
func start(t *testing.T, mode uint32) {
	t.Helper()
	Mode, recording, brief, promptReplay, holdWhenDone, violatorsBlock, violationInSteps, violatorGoesLast, timersFireFirst = mode, false, false, false, false, false, false, false, false
	actors, follows, inside, violations, activeMonitor = nil, nil, nil, nil, nil
	stage, nextStep, numSteps, reachedViolation, firstViolator, delaysReported = free, 0, 0, 0, 0, 0
	parked, controlled = nil, nil
	waiting, earlySteps = map[int]*goroutine{}, map[int]bool{}
	verdictFD = -1
	runtime.Written, runtime.Woken, runtime.Stack, runtime.Waits = "", nil, nil, map[unsafe.Pointer]int64{}
	runtime.Park = func() { t.Fatal("the running goroutine blocks for ever") }
	childFirst, seed, byRanks = false, 0, false
	rewind()
	if mode == modeReplay {
		actors, follows, inside = map[string]*actor{}, map[string]bool{"TestT": true}, map[int]*insideStep{}
		verdictFD, stage = 1, following
	}
	t.Cleanup(func() { Mode, runtime.Self, hot = 0, nil, notHot })
}

// run makes a goroutine of the test TestT, which has begun, the running one.
func run(path string) *goroutine {
	g := newGoroutine()
	g.test, g.begun = "TestT", true
	g.account = &account{test: "TestT", forked: true}
	g.setPath(path)
	g.define()
	resume(g)
	g.chance.G = runtime.PredictG()
	return g
}

// blocks makes g the running goroutine, calls do, and reports whether g blocks in it, for ever.
func blocks(g *goroutine, do func()) (is bool) {
	type parked struct{}
	runtime.Park = func() { panic(parked{}) }
	defer func() {
		if x := recover(); x != nil {
			if _, is = x.(parked); !is {
				panic(x)
			}
		}
	}()
	resume(g)
	do()
	return false
}

// resume makes g the running goroutine.
func resume(g *goroutine) { runtime.Self, hot = unsafe.Pointer(g), notHot }

// plan gives a goroutine a part in the schedule.
func plan(path string) *actor {
	a := &actor{name: "TestT:" + path}
	actors[a.name] = a
	return a
}

// add adds what the schedule wants of an occurrence, from 1, of events at a site of the rewriter.
func (a *actor) add(kind uint8, site uint32, it item) {
	if a.wants[kind] == nil {
		a.wants[kind] = map[uint64]*want{}
	}
	w := a.wants[kind][keyFor(site)]
	if w == nil {
		w = &want{}
		a.wants[kind][keyFor(site)] = w
	}
	if it.role == roleStep {
		it.step = numSteps
		a.steps = append(a.steps, numSteps)
		numSteps++
	}
	if it.role == roleViolate {
		violations = append(violations, a)
	}
	w.items = append(w.items, it)
}

// siteA and the others are sites of the rewriter.
const (
	siteA uint32 = 1<<31 + iota
	siteB
	siteC
)

// logged returns the kinds of the events in the slot, in order.
func logged() string {
	var kinds []string
	for from := uintptr(unsafe.Pointer(&slotNow().words)); from < at; {
		head := *(*uint64)(unsafe.Pointer(from))
		if kind := head & (1<<formShift - 1); uint32(head) != 0 && kind < uint64(len(words)) {
			kinds = append(kinds, words[kind])
		}
		if uint32(head) == 0 {
			from += 8
		} else {
			from += 8 * uintptr(head>>formShift&3+1)
		}
	}
	return strings.Join(kinds, " ")
}
