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
	following = iota
	// firstGoes is when the violation stands, and its first goroutine goes on: it does its
	// access, and reaches its next hook.
	firstGoes
	// otherGoes is when it has come there, and the other goroutine does its access.
	otherGoes
	// othersGo is when the violation stands that consists in a goroutine which goes last:
	// all others go on as far as they can.
	othersGo
	// free is afterwards, and where there is no schedule: goroutines go on as they like.
	free
)

var (
	stage = free
	// index of the first step that is not done
	nextStep int
	waiting  map[int]*goroutine // by step
	// all that wait at the gate
	parked []*goroutine
	// all goroutines of the tests that are replayed
	controlled       []*goroutine
	reachedViolation int
	// how long the program stops when the violation stands, in nanoseconds
	holdTime int64
)

// pendingAccess is the access that a goroutine stands before.
type pendingAccess struct {
	here     bool
	kind     uint8
	obj      uint64
	size     uint32
	val      uint64
	hasValue bool
	// of the goroutine's atomic regions, from 1; 0: none
	region int
}

// startReplay reads the schedule, opens the verdict, and closes the gate.
func startReplay(plan, verdict string) {
	loadPlan(plan)
	startVerdict(verdict)
	waiting, earlySteps = map[int]*goroutine{}, map[int]bool{}
	stage = following
	begun = waited()
	scheduleAdvanced()
	runtime.PredictInMaps(inMap)
}

// bind finds the actor of the schedule that g's name gives it.
func (g *goroutine) bind() {
	if actors == nil {
		return
	}
	test := g.test
	if follows[test] || actors[g.fullName()] != nil {
		controlled = append(controlled, g)
	}
	g.actor = actors[g.fullName()]
	hot = notHot
	if g.actor != nil {
		g.actor.g = g
	}
}

// exit is called at the goroutine's end.
func (g *goroutine) exit() {
	if actors == nil {
		return
	}
	runtime.PredictPin()
	for i, c := range controlled {
		if c == g {
			controlled = append(controlled[:i:i], controlled[i+1:]...)
			break
		}
	}
	if a := g.actor; a != nil && stage == following {
		if !a.skipTo(len(a.steps)) {
			giveUp(g.fullName() + " has ended, the schedule expects it at " + stepName(a.steps[a.nextStep]) + inputs[g.chance.Outside].reason)
		} else if a.violates() {
			giveUp(g.fullName() + " has ended without the access at which the schedule expects it" + inputs[g.chance.Outside].reason)
		}
	}
	runtime.PredictUnpin()
}

// violates reports whether a is one of the goroutines whose accesses are the violation.
func (a *actor) violates() bool {
	for _, v := range violations {
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
	if a != nil && stage != free {
		a.passGate(kind, site, obj, size, val)
	}
}

// passGate is pass for a goroutine that has a part in a schedule which is not over.
func (a *actor) passGate(kind uint8, site uint32, obj uint64, size uint32, val unsafe.Pointer) {
	a.yieldViolation(kind)
	a.meet(kind)
	if kind == KindPanic && a.isDone() {
		// Its crash belongs after the violation, which it may be an effect of.
		a.wait(item{role: roleHold}, kind, site)
	}
	switch kind {
	case KindSend, KindRecv, KindClose, KindCondSignal, KindCondBroadcast:
		a.holdIfDone(kind, site)
	}
	w := a.want(kind, site)
	a.passed = w
	if w == nil {
		return
	}
	if it, ok := w.next(); ok && !a.ahead(it) {
		if isInside(kind, keyFor(site)) && stage == following && it.role != roleHold && !a.reaches(it) {
			a.passed = nil // one more than the recorded call has made
			return
		}
		a.g.letGo = true
		if (it.role == roleViolate || it.show) && stage == following {
			s := pendingAccess{here: it.role == roleViolate, kind: kind, obj: obj, size: size, region: a.region()}
			if val != nil {
				s.val, s.hasValue = valueAt(val, uintptr(size)), true
			}
			a.pending = s
		}
		a.wait(it, kind, site)
		if it.role == roleStep && stage == following {
			if it.show {
				verdictStand(a)
			}
			a.stepDone(it.step)
		}
		a.g.chance.Asks = it.asks
	}
	w.count++
}

// await blocks like pass but does not count the event, which may turn out not
// to happen: at a violation, a goroutine stands before it takes a lock. It reports
// whether the schedule expects the event now.
func (a *actor) await(kind uint8, site uint32, obj uint64) bool {
	return a != nil && stage != free && a.awaitGate(kind, site, obj)
}

// awaitGate is await for a goroutine that has a part in a schedule which is not over.
func (a *actor) awaitGate(kind uint8, site uint32, obj uint64) bool {
	a.yieldViolation(kind)
	if kind == KindAcquire || kind == KindRAcquire {
		a.holdIfDone(kind, site)
	}
	w := a.want(kind, site)
	if w == nil {
		return false
	}
	it, ok := w.next()
	if !ok || it.role != roleHold && !a.reaches(it) {
		return false
	}
	if it.role == roleViolate && stage == following {
		a.pending = pendingAccess{here: true, kind: kind, obj: obj, region: a.region()}
	}
	a.wait(it, kind, site)
	return true
}

// holdIfDone holds a goroutine that has done all its steps before an operation that others could notice:
// the recorded run was over before it.
func (a *actor) holdIfDone(kind uint8, site uint32) {
	if holdWhenDone && stage == following && a.isDone() {
		a.wait(item{role: roleHold}, kind, site)
	}
}

// isDone reports whether all that the schedule wants of a has happened.
func (a *actor) isDone() bool { return len(a.steps) > 0 && a.nextStep == len(a.steps) && !a.violates() }

// Admits reports whether a parallel test begins now, however many do already: the schedule goes on
// with it.
func Admits() bool {
	if stage != following || actors == nil {
		return false
	}
	g := current()
	return g != nil && g.actor != nil && (g.actor.nextStep < len(g.actor.steps) || g.actor.violates())
}

// isNext reports whether step is the first of a's that is not done.
func (a *actor) isNext(step int) bool {
	return a.nextStep < len(a.steps) && a.steps[a.nextStep] == step
}

// reaches reports whether a has nothing left to do before an item, a step or an access
// of the violation.
func (a *actor) reaches(it item) bool {
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
		if inside[step] == nil {
			return false
		}
	}
	if a.nextStep == i {
		return true
	}
	runtime.PredictPin()
	for ; a.nextStep < i; a.nextStep++ {
		s := inside[a.steps[a.nextStep]]
		s.want.count, s.skipped = max(s.want.count, s.occ), true
	}
	releaseNext()
	runtime.PredictUnpin()
	return true
}

// releaseNext lets the next step go that is not skipped.
func releaseNext() {
	for s := inside[nextStep]; earlySteps[nextStep] || s != nil && s.skipped; s = inside[nextStep] {
		nextStep++
		scheduleAdvanced()
	}
	if w := waiting[nextStep]; w != nil {
		delete(waiting, nextStep)
		runtime.PredictWake(&w.gateSema)
	}
	judge()
}

// missed leaves the schedule if it expects an attempt that has failed.
func (a *actor) missed(kind uint8, site uint32) {
	if a == nil || stage != following {
		return
	}
	w := a.want(kind, site)
	if w == nil {
		return
	}
	if it, ok := w.next(); ok && it.role == roleStep {
		runtime.PredictPin()
		giveUp(a.g.fullName() + " could not do " + stepName(it.step) + " at " + position(kind, site) + inputs[a.g.chance.Outside].reason)
		runtime.PredictUnpin()
	}
}

// yieldViolation lets the other goroutine of the violation go once this one
// has done its access.
func (a *actor) yieldViolation(kind uint8) {
	if stage == firstGoes && a == violations[firstViolator] {
		if a.pending.kind == KindSelectSend && (kind == KindSelectSend || kind == KindSelect) {
			return // its select, one of whose cases this was, is still to come
		}
		if len(violations) == 1 {
			setStage(free)
			return
		}
		setStage(otherGoes)
		for stage == otherGoes {
			a.g.park("the other access of the violation")
		}
	} else if stage == otherGoes && a.violates() && a != violations[firstViolator] {
		setStage(free)
	}
}

// wait blocks until it is the turn of an item of the schedule.
func (a *actor) wait(it item, kind uint8, site uint32) {
	a.g.heldBy, a.g.heldAt = it, kind
	switch it.role {
	case roleStep:
		if stage != following {
			return
		}
		if !a.reaches(it) {
			a.diverge(kind, site)
			return
		}
		for stage == following && nextStep != it.step && !earlySteps[it.step] {
			waiting[it.step] = a.g
			a.g.park("turn")
		}
	case roleHold:
		for stage != free && stage != othersGo && !a.g.releasedEarly {
			a.g.park("hold")
		}
	case roleViolate:
		if stage != following {
			return
		}
		if !a.reaches(it) {
			a.diverge(kind, site)
			return
		}
		runtime.PredictPin()
		if !violationInSteps {
			verdictStand(a)
		}
		reachedViolation++
		scheduleAdvanced()
		judge()
		runtime.PredictUnpin()
		for !a.mayGo() {
			a.g.park("violation")
		}
		runtime.PredictFresh()
	}
}

// inMap is called while the map m is being written. Where the goroutine of the violation
// that goes first has its access there, the other one comes now, as it can on another
// processor: the runtime sees that both are in the map, and ends the program.
func inMap(m unsafe.Pointer) {
	if stage != firstGoes || len(violations) != 2 || violations[firstViolator].pending.obj != uint64(uintptr(m)) {
		return
	}
	if g := current(); g != nil && g == violations[firstViolator].g {
		g.actor.yieldViolation(KindWrite)
	}
}

// mayGo reports whether a goroutine that stands may do its access.
func (a *actor) mayGo() bool {
	switch stage {
	case free:
		return true
	case firstGoes:
		return a == violations[firstViolator]
	case otherGoes:
		return a != violations[firstViolator]
	}
	return false
}

// stepDone marks a step and lets the next one go.
func (a *actor) stepDone(step int) {
	runtime.PredictPin()
	a.g.chance.Outside = 0
	a.nextStep++
	if !earlySteps[step] {
		nextStep++
	}
	scheduleAdvanced()
	releaseNext()
	runtime.PredictUnpin()
}

// judge looks whether the violation has been reached.
func judge() {
	if stage != following || nextStep < numSteps {
		return
	}
	if len(violations) == 0 && !violatorsBlock {
		release(free)
		return
	}
	if reachedViolation < len(violations) {
		return
	}
	if violatorsBlock {
		verdictSteps()
		verdict("confirmed\n")
		release(free)
		return
	}
	if violatorGoesLast {
		verdictSteps()
		verdict("confirmed\n")
		release(othersGo)
		return
	}
	if len(violations) == 2 && !collide(violations[0].pending, violations[1].pending) {
		giveUp("the two accesses do not collide: they touch different memory, or both read")
		return
	}
	if violationInSteps {
		verdictStand(violations[0])
	}
	verdictSteps()
	verdict("confirmed\n")
	if holdTime > 0 {
		runtime.PredictStand(holdTime)
	}
	if firstViolator >= len(violations) {
		firstViolator = 0
	}
	release(firstGoes)
}

// collide reports whether two goroutines that stand so are a violation.
func collide(a, b pendingAccess) bool {
	switch {
	case a.kind == KindClose || b.kind == KindClose:
		return a.obj == b.obj && isChannel(a.kind) && isChannel(b.kind)
	case a.kind == KindWaitGroupAdd && b.kind == KindWaitGroupWait, b.kind == KindWaitGroupAdd && a.kind == KindWaitGroupWait:
		return a.obj == b.obj && groupCount(a.obj) == 0
	case isChannel(a.kind) || isChannel(b.kind):
		return false
	}
	return a.obj < b.obj+uint64(max(b.size, 1)) && b.obj < a.obj+uint64(max(a.size, 1)) &&
		(isWrite(a.kind) || isWrite(b.kind) || isSync(a.kind) || isSync(b.kind))
}

// setStage is release by a goroutine that runs.
func setStage(s int) {
	runtime.PredictPin()
	release(s)
	runtime.PredictUnpin()
}

// release enters another stage. All that wait look for themselves whether
// they may go.
func release(s int) {
	stage = s
	for _, g := range parked {
		runtime.PredictWake(&g.gateSema)
	}
}

// giveUp gives the schedule up.
func giveUp(why string) {
	if stage != following {
		return
	}
	verdictSteps()
	verdict("left " + why + "\n")
	release(free)
}

// diverge leaves the schedule as g has skipped one of its steps.
func (a *actor) diverge(kind uint8, site uint32) {
	w := a.want(kind, site)
	runtime.PredictPin()
	giveUp(a.g.fullName() + " is at " + position(kind, site) + " (" + ordinal(w.count+1) + " time), the schedule expects it at " + stepName(a.steps[a.nextStep]) + inputs[a.g.chance.Outside].reason)
	runtime.PredictUnpin()
}

// park blocks the running goroutine until a release or its turn.
func (g *goroutine) park(why string) {
	if !runtime.PredictCanPark() {
		runtime.PredictPin()
		giveUp(g.fullName() + " cannot wait for its " + why + " here, in the middle of an operation of the runtime")
		runtime.PredictUnpin()
		return
	}
	g.waitsFor = why
	parked = append(parked, g)
	runtime.PredictPark(&g.gateSema)
	for i, p := range parked {
		if p == g {
			parked = append(parked[:i:i], parked[i+1:]...)
			break
		}
	}
	g.waitsFor = ""
}

// groupCount is the counter of the WaitGroup at an address: the upper half of its state,
// which is its first word. A group whose counter is not zero may be added to while others
// wait for it.
func groupCount(group uint64) int32 {
	return int32(*(*uint64)(unsafe.Pointer(uintptr(group))) >> 32)
}
