package predictrt

import (
	"runtime"
	"unsafe"
)

// This file is the gate of a replay. Each event of a goroutine that has a part in the schedule
// comes here first (pass), and blocks until it is its turn. A schedule that the run has left
// is given up: all goroutines go on, and the verdict says why.

// The stages of a replay.
const (
	// following is from the beginning until the violation is reached: goroutines pass in the
	// order of the schedule.
	stageFollowing = iota
	// firstGoes is when the violation stands, and its first goroutine goes on: it does its
	// access, and reaches its next hook.
	stageFirstAccess
	// otherGoes is when it has come there, and the other goroutine does its access.
	stageSecondAccess
	// othersGo is when the violation stands that consists in a goroutine which goes last:
	// all others go on as far as they can.
	stageOthersRun
	// free is afterwards, and where there is no schedule: goroutines go on as they like.
	stageFree
)

var (
	stage = stageFree
	// index of the first step that is not done
	nextStep       int
	waitingForStep map[int]*goroutine // by step
	// all that wait at the gate
	parkedGoroutines []*goroutine
	// all goroutines of the tests that are replayed
	controlledGoroutines []*goroutine
	violatorsWaiting     int
	// how long the program stops when the violation stands, in nanoseconds
	holdTime int64
)

// pendingAccess is the access that a goroutine stands before.
type pendingAccess struct {
	isReached bool
	kind      uint8
	object    uint64
	size      uint32
	value     uint64
	hasValue  bool
	// of the goroutine's atomic regions, from 1; 0: none
	region int
}

// startReplay reads the schedule, opens the verdict, and closes the gate.
func startReplay(plan, verdict string) {
	loadPlan(plan)
	startVerdict(verdict)
	waitingForStep, earlySteps = map[int]*goroutine{}, map[int]bool{}
	stage = stageFollowing
	replayStart = waitingTime()
	scheduleAdvanced()
	runtime.PredictInMaps(duringMapWrite)
}

// bind finds the actor of the schedule that g's name gives it.
func (g *goroutine) bindActor() {
	if actors == nil {
		return
	}
	test := g.test
	if controlledTests[test] || actors[g.fullName()] != nil {
		controlledGoroutines = append(controlledGoroutines, g)
	}
	g.actor = actors[g.fullName()]
	fastRecord = noFastRecord
	if g.actor != nil {
		g.actor.g = g
	}
}

// exit is called at the goroutine's end.
func (g *goroutine) exitSchedule() {
	if actors == nil {
		return
	}
	runtime.PredictPin()
	for i, c := range controlledGoroutines {
		if c == g {
			controlledGoroutines = append(controlledGoroutines[:i:i], controlledGoroutines[i+1:]...)
			break
		}
	}
	if a := g.actor; a != nil && stage == stageFollowing {
		if !a.skipTo(len(a.steps)) {
			leaveSchedule(g.fullName() + " has ended, the schedule expects it at " + stepName(a.steps[a.nextStep]) + inputs[g.inRuntime.Outside].reason)
		} else if a.isViolator() {
			leaveSchedule(g.fullName() + " has ended without the access at which the schedule expects it" + inputs[g.inRuntime.Outside].reason)
		}
	}
	runtime.PredictUnpin()
}

// violates reports whether a is one of the goroutines whose accesses are the violation.
func (a *actor) isViolator() bool {
	for _, v := range violators {
		if v == a {
			return true
		}
	}
	return false
}

// pass is the gate: it blocks the running goroutine, whose part in the schedule a is, until
// the event that it is about to do has its turn, and counts the event. val, if not nil, is
// where the value of an access lies. It is inlined, as most goroutines have no part: a is nil.
func (a *actor) pass(kind uint8, site uint32, obj uint64, size uint32, val unsafe.Pointer) {
	if a != nil && stage != stageFree {
		a.passGate(kind, site, obj, size, val)
	}
}

// passGate is pass for a goroutine that has a part in a schedule which is not over.
func (a *actor) passGate(kind uint8, site uint32, obj uint64, size uint32, val unsafe.Pointer) {
	a.yieldToOtherViolator(kind)
	a.observe(kind)
	if kind == KindPanic && a.isDone() {
		// Its crash belongs after the violation, which it may be an effect of.
		a.wait(plannedEvent{role: roleHold}, kind, site)
	}
	switch kind {
	case KindSend, KindRecv, KindClose, KindCondSignal, KindCondBroadcast:
		a.holdIfDone(kind, site)
	}
	w := a.counterOf(kind, site)
	a.lastCounter = w
	if w == nil {
		return
	}
	if it, ok := w.nextPlanned(); ok && !a.isAhead(it) {
		if isInside(kind, keyFor(site)) && stage == stageFollowing && it.role != roleHold && !a.reaches(it) {
			a.lastCounter = nil // one more than the recorded call has made
			return
		}
		a.g.hasPassedGate = true
		if (it.role == roleViolate || it.isViolatingAccess) && stage == stageFollowing {
			s := pendingAccess{isReached: it.role == roleViolate, kind: kind, object: obj, size: size, region: a.region()}
			if val != nil {
				s.value, s.hasValue = readValue(val, uintptr(size)), true
			}
			a.pending = s
		}
		a.wait(it, kind, site)
		if it.role == roleStep && stage == stageFollowing {
			if it.isViolatingAccess {
				writeStand(a)
			}
			a.stepDone(it.step)
		}
		a.g.inRuntime.Asks = it.selectCase
	}
	w.count++
}

// await blocks like pass but does not count the event, which may turn out not
// to happen: at a violation, a goroutine stands before it takes a lock. It reports
// whether the schedule expects the event now.
func (a *actor) awaitTurn(kind uint8, site uint32, obj uint64) bool {
	return a != nil && stage != stageFree && a.awaitTurnAtGate(kind, site, obj)
}

// awaitGate is await for a goroutine that has a part in a schedule which is not over.
func (a *actor) awaitTurnAtGate(kind uint8, site uint32, obj uint64) bool {
	a.yieldToOtherViolator(kind)
	if kind == KindAcquire || kind == KindRAcquire {
		a.holdIfDone(kind, site)
	}
	w := a.counterOf(kind, site)
	if w == nil {
		return false
	}
	it, ok := w.nextPlanned()
	if !ok || it.role != roleHold && !a.reaches(it) {
		return false
	}
	if it.role == roleViolate && stage == stageFollowing {
		a.pending = pendingAccess{isReached: true, kind: kind, object: obj, region: a.region()}
	}
	a.wait(it, kind, site)
	return true
}

// holdIfDone holds a goroutine that has done all its steps before an operation that others could notice:
// the recorded run was over before it.
func (a *actor) holdIfDone(kind uint8, site uint32) {
	if holdWhenDone && stage == stageFollowing && a.isDone() {
		a.wait(plannedEvent{role: roleHold}, kind, site)
	}
}

// isDone reports whether all that the schedule wants of a has happened.
func (a *actor) isDone() bool {
	return len(a.steps) > 0 && a.nextStep == len(a.steps) && !a.isViolator()
}

// Admits reports whether a parallel test begins now, however many do already: the schedule goes on
// with it.
func StartsParallelTest() bool {
	if stage != stageFollowing || actors == nil {
		return false
	}
	g := current()
	return g != nil && g.actor != nil && (g.actor.nextStep < len(g.actor.steps) || g.actor.isViolator())
}

// isNext reports whether step is the first of a's that is not done.
func (a *actor) isNext(step int) bool {
	return a.nextStep < len(a.steps) && a.steps[a.nextStep] == step
}

// reaches reports whether a has nothing left to do before an item, a step or an access
// of the violation.
func (a *actor) reaches(it plannedEvent) bool {
	if it.role == roleViolate {
		return a.skipTo(len(a.steps))
	}
	for i := a.nextStep; i < len(a.steps); i++ {
		if a.steps[i] == it.step {
			return a.skipTo(i)
		}
	}
	return false
}

// skipTo reports whether the i-th of a's steps is the next one, or, if that is their
// number, whether all are done. Accesses of the standard library's before that, which
// it has not made, are skipped, and their counters skip them, too.
func (a *actor) skipTo(i int) bool {
	for _, step := range a.steps[a.nextStep:i] {
		if insideSteps[step] == nil {
			return false
		}
	}
	if a.nextStep == i {
		return true
	}
	runtime.PredictPin()
	for ; a.nextStep < i; a.nextStep++ {
		s := insideSteps[a.steps[a.nextStep]]
		s.counter.count, s.isSkipped = max(s.counter.count, s.occurrence), true
	}
	releaseNext()
	runtime.PredictUnpin()
	return true
}

// releaseNext lets the next step go that is not skipped.
func releaseNext() {
	for s := insideSteps[nextStep]; earlySteps[nextStep] || s != nil && s.isSkipped; s = insideSteps[nextStep] {
		nextStep++
		scheduleAdvanced()
	}
	if w := waitingForStep[nextStep]; w != nil {
		delete(waitingForStep, nextStep)
		runtime.PredictWake(&w.gateSema)
	}
	checkViolation()
}

// missed leaves the schedule if it expects an attempt that has failed.
func (a *actor) noteFailedAttempt(kind uint8, site uint32) {
	if a == nil || stage != stageFollowing {
		return
	}
	w := a.counterOf(kind, site)
	if w == nil {
		return
	}
	if it, ok := w.nextPlanned(); ok && it.role == roleStep {
		runtime.PredictPin()
		leaveSchedule(a.g.fullName() + " could not do " + stepName(it.step) + " at " + describeEvent(kind, site) + inputs[a.g.inRuntime.Outside].reason)
		runtime.PredictUnpin()
	}
}

// yieldViolation lets the other goroutine of the violation go once this one
// has done its access.
func (a *actor) yieldToOtherViolator(kind uint8) {
	if stage == stageFirstAccess && a == violators[firstViolator] {
		if a.pending.kind == KindSelectSend && (kind == KindSelectSend || kind == KindSelect) {
			return // its select, one of whose cases this was, is still to come
		}
		if len(violators) == 1 {
			enterStagePinned(stageFree)
			return
		}
		enterStagePinned(stageSecondAccess)
		for stage == stageSecondAccess {
			a.g.park("the other access of the violation")
		}
	} else if stage == stageSecondAccess && a.isViolator() && a != violators[firstViolator] {
		enterStagePinned(stageFree)
	}
}

// wait blocks until it is the turn of an item of the schedule.
func (a *actor) wait(it plannedEvent, kind uint8, site uint32) {
	a.g.heldItem, a.g.heldEventKind = it, kind
	switch it.role {
	case roleStep:
		if stage != stageFollowing {
			return
		}
		if !a.reaches(it) {
			a.reportDivergence(kind, site)
			return
		}
		for stage == stageFollowing && nextStep != it.step && !earlySteps[it.step] {
			waitingForStep[it.step] = a.g
			a.g.park("turn")
		}
	case roleHold:
		for stage != stageFree && stage != stageOthersRun && !a.g.isReleasedEarly {
			a.g.park("hold")
		}
	case roleViolate:
		if stage != stageFollowing {
			return
		}
		if !a.reaches(it) {
			a.reportDivergence(kind, site)
			return
		}
		runtime.PredictPin()
		if !violationInSteps {
			writeStand(a)
		}
		violatorsWaiting++
		scheduleAdvanced()
		checkViolation()
		runtime.PredictUnpin()
		for !a.mayAccess() {
			a.g.park("violation")
		}
		runtime.PredictFresh()
	}
}

// inMap is called while the map m is being written. Where the goroutine of the violation
// that goes first has its access there, the other one comes now, as it can on another
// processor: the runtime sees that both are in the map, and ends the program.
func duringMapWrite(m unsafe.Pointer) {
	if stage != stageFirstAccess || len(violators) != 2 || violators[firstViolator].pending.object != uint64(uintptr(m)) {
		return
	}
	if g := current(); g != nil && g == violators[firstViolator].g {
		g.actor.yieldToOtherViolator(KindWrite)
	}
}

// mayGo reports whether a goroutine that stands may do its access.
func (a *actor) mayAccess() bool {
	switch stage {
	case stageFree:
		return true
	case stageFirstAccess:
		return a == violators[firstViolator]
	case stageSecondAccess:
		return a != violators[firstViolator]
	}
	return false
}

// stepDone marks a step and lets the next one go.
func (a *actor) stepDone(step int) {
	runtime.PredictPin()
	a.g.inRuntime.Outside = 0
	a.nextStep++
	if !earlySteps[step] {
		nextStep++
	}
	scheduleAdvanced()
	releaseNext()
	runtime.PredictUnpin()
}

// judge looks whether the violation has been reached.
func checkViolation() {
	if stage != stageFollowing || nextStep < numSteps {
		return
	}
	if len(violators) == 0 && !violatorsBlock {
		enterStage(stageFree)
		return
	}
	if violatorsWaiting < len(violators) {
		return
	}
	if violatorsBlock {
		writeSteps()
		writeVerdict("confirmed\n")
		enterStage(stageFree)
		return
	}
	if violatorGoesLast {
		writeSteps()
		writeVerdict("confirmed\n")
		enterStage(stageOthersRun)
		return
	}
	if len(violators) == 2 && !conflict(violators[0].pending, violators[1].pending) {
		leaveSchedule("the two accesses do not collide: they touch different memory, or both read")
		return
	}
	if violationInSteps {
		writeStand(violators[0])
	}
	writeSteps()
	writeVerdict("confirmed\n")
	if holdTime > 0 {
		runtime.PredictStand(holdTime)
	}
	if firstViolator >= len(violators) {
		firstViolator = 0
	}
	enterStage(stageFirstAccess)
}

// collide reports whether two goroutines that stand so are a violation.
func conflict(a, b pendingAccess) bool {
	switch {
	case a.kind == KindClose || b.kind == KindClose:
		return a.object == b.object && isChannel(a.kind) && isChannel(b.kind)
	case a.kind == KindWaitGroupAdd && b.kind == KindWaitGroupWait, b.kind == KindWaitGroupAdd && a.kind == KindWaitGroupWait:
		return a.object == b.object && waitGroupCounter(a.object) == 0
	case isChannel(a.kind) || isChannel(b.kind):
		return false
	}
	return a.object < b.object+uint64(max(b.size, 1)) && b.object < a.object+uint64(max(a.size, 1)) &&
		(isWrite(a.kind) || isWrite(b.kind) || isSync(a.kind) || isSync(b.kind))
}

// setStage is release by a goroutine that runs.
func enterStagePinned(s int) {
	runtime.PredictPin()
	enterStage(s)
	runtime.PredictUnpin()
}

// release enters another stage. All that wait look for themselves whether
// they may go.
func enterStage(s int) {
	stage = s
	for _, g := range parkedGoroutines {
		runtime.PredictWake(&g.gateSema)
	}
}

// giveUp gives the schedule up.
func leaveSchedule(why string) {
	if stage != stageFollowing {
		return
	}
	writeSteps()
	writeVerdict("left " + why + "\n")
	enterStage(stageFree)
}

// diverge leaves the schedule as g has skipped one of its steps.
func (a *actor) reportDivergence(kind uint8, site uint32) {
	w := a.counterOf(kind, site)
	runtime.PredictPin()
	leaveSchedule(a.g.fullName() + " is at " + describeEvent(kind, site) + " (" + ordinal(w.count+1) + " time), the schedule expects it at " + stepName(a.steps[a.nextStep]) + inputs[a.g.inRuntime.Outside].reason)
	runtime.PredictUnpin()
}

// park blocks the running goroutine until a release or its turn.
func (g *goroutine) park(why string) {
	if !runtime.PredictCanPark() {
		runtime.PredictPin()
		leaveSchedule(g.fullName() + " cannot wait for its " + why + " here, in the middle of an operation of the runtime")
		runtime.PredictUnpin()
		return
	}
	g.waitReason = why
	parkedGoroutines = append(parkedGoroutines, g)
	runtime.PredictPark(&g.gateSema)
	for i, p := range parkedGoroutines {
		if p == g {
			parkedGoroutines = append(parkedGoroutines[:i:i], parkedGoroutines[i+1:]...)
			break
		}
	}
	g.waitReason = ""
}

// groupCount is the counter of the WaitGroup at an address: the upper half of its state,
// which is its first word. A group whose counter is not zero may be added to while others
// wait for it.
func waitGroupCounter(group uint64) int32 {
	return int32(*(*uint64)(unsafe.Pointer(uintptr(group))) >> 32)
}
