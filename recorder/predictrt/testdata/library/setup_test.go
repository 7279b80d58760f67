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
	Mode, isRecording, isShortRun, promptReplay, holdWhenDone, violatorsBlock, violationInSteps, violatorGoesLast, timersFireFirst = mode, false, false, false, false, false, false, false, false
	actors, controlledTests, insideSteps, violators, activeMonitor = nil, nil, nil, nil, nil
	stage, nextStep, numSteps, violatorsWaiting, firstViolator, delaysReported = stageFree, 0, 0, 0, 0, 0
	parkedGoroutines, controlledGoroutines = nil, nil
	waitingForStep, earlySteps = map[int]*goroutine{}, map[int]bool{}
	verdictFD = -1
	runtime.Written, runtime.Woken, runtime.Stack, runtime.Waits = "", nil, nil, map[unsafe.Pointer]int64{}
	runtime.Park = func() { t.Fatal("the running goroutine blocks for ever") }
	childFirst, randomSeed, hasRanks = false, 0, false
	emptySlot()
	if mode == modeReplay {
		actors, controlledTests, insideSteps = map[string]*actor{}, map[string]bool{"TestT": true}, map[int]*insideStep{}
		verdictFD, stage = 1, stageFollowing
	}
	t.Cleanup(func() { Mode, runtime.Self, fastRecord = 0, nil, noFastRecord })
}

// run makes a goroutine of the test TestT, which has begun, the running one.
func run(path string) *goroutine {
	g := newGoroutine()
	g.test, g.hasBegun = "TestT", true
	g.account = &account{test: "TestT", hasForked: true}
	g.setPath(path)
	g.define()
	resume(g)
	g.inRuntime.G = runtime.PredictG()
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
func resume(g *goroutine) { runtime.Self, fastRecord = unsafe.Pointer(g), noFastRecord }

// plan gives a goroutine a part in the schedule.
func plan(path string) *actor {
	a := &actor{name: "TestT:" + path}
	actors[a.name] = a
	return a
}

// add adds what the schedule wants of an occurrence, from 1, of events at a site of the rewriter.
func (a *actor) add(kind uint8, site uint32, it plannedEvent) {
	if a.counters[kind] == nil {
		a.counters[kind] = map[uint64]*eventCounter{}
	}
	w := a.counters[kind][keyFor(site)]
	if w == nil {
		w = &eventCounter{}
		a.counters[kind][keyFor(site)] = w
	}
	if it.role == roleStep {
		it.step = numSteps
		a.steps = append(a.steps, numSteps)
		numSteps++
	}
	if it.role == roleViolate {
		violators = append(violators, a)
	}
	w.planned = append(w.planned, it)
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
	for from := uintptr(unsafe.Pointer(&currentSlot().words)); from < nextEvent; {
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
