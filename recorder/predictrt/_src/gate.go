package predictrt

import (
	"runtime"
	"unsafe"
)

// This file is the gate of a replay. Each event of a goroutine that has a part in the schedule
// passes the gate first, and blocks there until its turn. When a run leaves the schedule, all
// goroutines go on freely, and the verdict says why.

// The stages of a replay.
const (
	// stageFollowing lasts until the violation is reached: goroutines pass in the order of the
	// schedule.
	stageFollowing = iota
	// stageFirstAccess is when all goroutines of the violation are about to do their accesses: the
	// first one does its access, and goes on to its next hook.
	stageFirstAccess
	// stageSecondAccess is when it has reached that hook: the other goroutine does its access.
	stageSecondAccess
	// stageBlocking is when all goroutines of a deadlock are about to do the operations in which
	// they block: each goes on when no other goroutine can run. So they block in the order of the
	// violation: a reader has to come after the writer that shuts it out.
	stageBlocking
	// stageOthersRun is when a violation is reached that consists in a goroutine going last: all
	// others go on as far as they can.
	stageOthersRun
	// stageFree is after that, and where there is no schedule: goroutines go on freely.
	stageFree
)

var (
	stage = stageFree
	// nextStep is the index of the first step that is not done.
	nextStep int
	// waitingForStep has the goroutine that waits for its turn, by step.
	waitingForStep map[int]*goroutine
	// parkedGoroutines are those that wait at the gate.
	parkedGoroutines []*goroutine
	// controlledGoroutines are all goroutines of the tests that are replayed.
	controlledGoroutines []*goroutine
	// violatorsWaiting counts the goroutines that are about to do their accesses of the violation.
	violatorsWaiting int
	// violatorsBlocking counts the goroutines that have gone on in stageBlocking.
	violatorsBlocking int
	// holdTime is how long the whole program stops when the violation is reached (unit:
	// nanoseconds).
	holdTime int64
)

// A pendingAccess is the access of the violation that a goroutine is about to do.
type pendingAccess struct {
	isReached bool // the goroutine waits before the access
	kind      uint8
	object    uint64 // an address, or the number of a channel
	size      uint32
	value     uint64
	hasValue  bool
	// region is the number of the goroutine's atomic region, from 1; 0 means none.
	region int
}

// startReplay reads the schedule, opens the verdict, and starts to hold goroutines at the gate.
func startReplay(plan, verdict string) {
	loadPlan(plan)
	startVerdict(verdict)
	waitingForStep, earlySteps = map[int]*goroutine{}, map[int]bool{}
	stage = stageFollowing
	replayStart = waitingTime()
	scheduleAdvanced()
	runtime.PredictOnMapWrites(duringMapWrite)
}

// bindActor gives g the part in the schedule that its name has.
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

// exitSchedule is called when g ends. The schedule may still expect events of it.
func (g *goroutine) exitSchedule() {
	if actors == nil {
		return
	}
	runtime.PredictHold()
	controlledGoroutines = without(controlledGoroutines, g) // copies: too much for memory that is never freed
	runtime.PredictRelease()
	runtime.PredictPin()
	if a := g.actor; a != nil && stage == stageFollowing {
		if !a.skipTo(len(a.steps)) {
			leaveSchedule(g.fullName() + " has ended, the schedule expects it at " + stepName(a.steps[a.nextStep]) + inputs[g.inRuntime.LastInput].reason)
		} else if a.isViolator() {
			leaveSchedule(g.fullName() + " has ended without the access at which the schedule expects it" + inputs[g.inRuntime.LastInput].reason)
		}
	}
	runtime.PredictUnpin()
}

// isViolator reports whether an access of a is part of the violation.
func (a *actor) isViolator() bool {
	for _, v := range violators {
		if v == a {
			return true
		}
	}
	return false
}

// pass is the gate: it blocks the running goroutine, whose part in the schedule is a, until the
// event that it is about to do has its turn, and counts the event. If val is not nil, the value of
// an access is there. pass is inlined, as a is nil for most goroutines.
func (a *actor) pass(kind uint8, site uint32, obj uint64, size uint32, val unsafe.Pointer) {
	if a != nil && stage != stageFree {
		a.passGate(kind, site, obj, size, val)
	}
}

// passGate is pass for a goroutine with a part in a schedule that is not over.
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
		a.g.isComingEventPlanned = true
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
		a.g.inRuntime.SelectCase = it.selectCase
	}
	// The event counts only once it has passed: meanwhile the count is that of earlier occurrences.
	w.count++
}

// awaitTurn blocks like pass, but does not count the event, which may turn out not to happen: in a
// violation, a goroutine waits before it takes a lock. It reports whether the schedule expects the
// event now.
func (a *actor) awaitTurn(kind uint8, site uint32, obj uint64) bool {
	return a != nil && stage != stageFree && a.awaitTurnAtGate(kind, site, obj)
}

// awaitTurnAtGate is awaitTurn for a goroutine with a part in a schedule that is not over.
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

// holdIfDone holds a goroutine that has done all its steps before an operation that others could
// notice: the recorded run was over before that.
func (a *actor) holdIfDone(kind uint8, site uint32) {
	if holdWhenDone && stage == stageFollowing && a.isDone() {
		a.wait(plannedEvent{role: roleHold}, kind, site)
	}
}

// isDone reports whether a has done all that the schedule expects of it.
func (a *actor) isDone() bool {
	return len(a.steps) > 0 && a.nextStep == len(a.steps) && !a.isViolator()
}

// StartsParallelTest reports whether a parallel test begins now, however many run already, because
// the schedule goes on with it.
func StartsParallelTest() bool {
	if stage != stageFollowing || actors == nil {
		return false
	}
	g := current()
	return g != nil && g.actor != nil && (g.actor.nextStep < len(g.actor.steps) || g.actor.isViolator())
}

// isNext reports whether step is the first one of a that is not done.
func (a *actor) isNext(step int) bool {
	return a.nextStep < len(a.steps) && a.steps[a.nextStep] == step
}

// reaches reports whether a has no other step to do before a planned event.
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

// skipTo reports whether the i-th step of a is its next one or, if i is their number, whether all
// are done. Steps before that which are accesses of the standard library may be missing in this
// run: they are skipped, and counted.
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

// releaseNext lets the goroutine go on whose step is the next one that is not skipped.
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

// noteFailedAttempt leaves the schedule if it expects that an attempt succeeds which has failed.
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
		leaveSchedule(a.g.fullName() + " could not do " + stepName(it.step) + " at " + describeEvent(kind, site) + inputs[a.g.inRuntime.LastInput].reason)
		runtime.PredictUnpin()
	}
}

// yieldToOtherViolator is called when a is about to do an event. Once the first goroutine of the
// violation has done its access, it lets the other one go.
func (a *actor) yieldToOtherViolator(kind uint8) {
	if stage == stageFirstAccess && a == violators[firstViolator] {
		if a.pending.kind == KindSelectSend && (kind == KindSelectSend || kind == KindSelect) {
			return // the select that has this case is still to come
		}
		if len(violators) == 1 {
			enterStage(stageFree)
			return
		}
		enterStage(stageSecondAccess)
		for stage == stageSecondAccess {
			a.g.park("the other access of the violation")
		}
	} else if stage == stageSecondAccess && a.isViolator() && a != violators[firstViolator] {
		enterStage(stageFree)
	}
}

// wait blocks until it is the turn of a planned event.
func (a *actor) wait(it plannedEvent, kind uint8, site uint32) {
	a.g.heldItem, a.g.heldEventKind = it, kind
	if it.role != roleHold {
		if stage != stageFollowing {
			return
		}
		if !a.reaches(it) {
			a.reportDivergence(kind, site)
			return
		}
	}
	switch it.role {
	case roleStep:
		for stage == stageFollowing && nextStep != it.step && !earlySteps[it.step] {
			waitingForStep[it.step] = a.g
			a.g.park("turn")
		}
	case roleHold:
		// enterStage wakes all that are parked. While violators do their accesses, others park again.
		for stage != stageFree && stage != stageOthersRun && !a.g.isReleasedEarly {
			a.g.park("hold")
		}
	case roleViolate:
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
		runtime.PredictNewSlice()
	}
}

// duringMapWrite is called in the middle of a write to the map m. If that is the first access of
// the violation, the other goroutine goes on now, as it could on another processor. Then the
// runtime sees that both are in the map, and ends the program.
func duringMapWrite(m unsafe.Pointer) {
	if stage != stageFirstAccess || len(violators) != 2 || violators[firstViolator].pending.object != uint64(uintptr(m)) {
		return
	}
	if g := current(); g != nil && g == violators[firstViolator].g {
		g.actor.yieldToOtherViolator(KindWrite)
	}
}

// mayAccess reports whether a may do its access of the violation.
func (a *actor) mayAccess() bool {
	switch stage {
	case stageFree:
		return true
	case stageFirstAccess:
		return a == violators[firstViolator]
	case stageSecondAccess:
		return a != violators[firstViolator]
	case stageBlocking:
		for _, v := range violators[:violatorsBlocking] {
			if v == a {
				return true
			}
		}
	}
	return false
}

// letNextBlock lets the next goroutine of a deadlock go on, or all others if there is none.
func letNextBlock() {
	if violatorsBlocking == len(violators) {
		enterStage(stageFree)
		return
	}
	violatorsBlocking++
	enterStage(stageBlocking)
}

// stepDone counts a step as done, and lets the next one go.
func (a *actor) stepDone(step int) {
	runtime.PredictPin()
	a.g.inRuntime.LastInput = 0
	a.nextStep++
	// releaseNext passes over an early step, so that it must not count twice.
	if !earlySteps[step] {
		nextStep++
	}
	scheduleAdvanced()
	releaseNext()
	runtime.PredictUnpin()
}

// checkViolation confirms the violation once it is reached.
func checkViolation() {
	if stage != stageFollowing || nextStep < numSteps {
		return
	}
	if len(violators) == 0 && !violatorsBlock {
		enterStage(stageFree)
		return
	}
	// Each violator that arrives asks again, so that the last one finds all others here.
	if violatorsWaiting < len(violators) {
		return
	}
	next := stageFirstAccess
	switch {
	case violatorsBlock:
		next = stageBlocking
	case violatorGoesLast:
		next = stageOthersRun
	case len(violators) == 2 && !conflict(violators[0].pending, violators[1].pending):
		leaveSchedule("the two accesses do not collide: they touch different memory, or both read")
		return
	case violationInSteps:
		writeStand(violators[0])
	}
	writeSteps()
	writeVerdict("confirmed\n")
	if next == stageFirstAccess {
		if holdTime > 0 {
			runtime.PredictStopProgram(holdTime)
		}
		if firstViolator >= len(violators) {
			firstViolator = 0
		}
	}
	if next == stageBlocking {
		letNextBlock()
		return
	}
	enterStage(next)
}

// conflict reports whether two accesses that goroutines are about to do are a violation.
func conflict(a, b pendingAccess) bool {
	switch {
	case a.kind == KindClose || b.kind == KindClose:
		return a.object == b.object && isChannel(a.kind) && isChannel(b.kind)
	case a.kind == KindWaitGroupAdd && b.kind == KindWaitGroupWait, b.kind == KindWaitGroupAdd && a.kind == KindWaitGroupWait:
		return a.object == b.object && waitGroupCounter(a.object) == 0
	case isChannel(a.kind) || isChannel(b.kind):
		return false
	}
	// The memory overlaps. An operation without a size counts as one byte.
	return a.object < b.object+uint64(max(b.size, 1)) && b.object < a.object+uint64(max(a.size, 1)) &&
		(isWrite(a.kind) || isWrite(b.kind) || isSync(a.kind) || isSync(b.kind))
}

// enterStage begins another stage. All goroutines at the gate check whether they may go on.
func enterStage(s int) {
	runtime.PredictPin()
	stage = s
	for _, g := range parkedGoroutines {
		runtime.PredictWake(&g.gateSema)
	}
	runtime.PredictUnpin()
}

// leaveSchedule gives the schedule up, as the run has left it.
func leaveSchedule(why string) {
	if stage != stageFollowing {
		return
	}
	writeSteps()
	writeVerdict("left " + why + "\n")
	enterStage(stageFree)
}

// reportDivergence leaves the schedule, as a has skipped one of its steps.
func (a *actor) reportDivergence(kind uint8, site uint32) {
	w := a.counterOf(kind, site)
	runtime.PredictPin()
	leaveSchedule(a.g.fullName() + " is at " + describeEvent(kind, site) + " (" + ordinal(w.count+1) + " time), the schedule expects it at " + stepName(a.steps[a.nextStep]) + inputs[a.g.inRuntime.LastInput].reason)
	runtime.PredictUnpin()
}

// park blocks the running goroutine until its turn or the next stage.
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
	parkedGoroutines = without(parkedGoroutines, g)
	g.waitReason = ""
}

// without returns a list without g. It copies the list, as a loop over the old one may go on: a
// goroutine that is woken leaves the list.
func without(list []*goroutine, g *goroutine) []*goroutine {
	for i, other := range list {
		if other == g {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}

// waitGroupCounter returns the counter of the WaitGroup at an address: the upper half of its first
// word. Others may call Add while goroutines wait, unless the counter is zero.
func waitGroupCounter(group uint64) int32 {
	return int32(*(*uint64)(unsafe.Pointer(uintptr(group))) >> 32)
}
