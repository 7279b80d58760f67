package predictrt

import "runtime"

// A replay shows a bug only if the program can do the same without the gate. Mostly that is
// so: who is held could be slow. But where time decides the order, being slow is a bug of
// another kind, which users judge otherwise, and so the verdict has to tell the two apart.
//
// A schedule may hold a goroutine that could go on until a timer has fired, or have a
// timer fire before another one that is due earlier: what follows rests on a goroutine
// being late. The verdict tells of it, as a replay of the same schedule can show what comes
// if none is late: in a prompt one those that are held go on, one after the other, wherever
// time would have to pass else, and it passes for all timers.
var (
	promptReplay bool
	// the steps that go before their turn, as the replay is prompt
	earlySteps map[int]bool
	// how often a goroutine was late, or would have been
	delaysReported int
)

// beforeTimer is called before a timer fires, in left nanoseconds, that by waits for; by is
// nil if no goroutine does. The verdict tells who is delayed then. A prompt replay lets one
// go that the gate holds; beforeTimer reports whether it has.
func beforeTimer(by *goroutine, left int64) bool {
	if stage != stageFollowing {
		return false
	}
	g := firstHeld()
	if g != nil && !g.wouldWait() {
		reportDelay(g, left, by)
	}
	for _, g := range controlledGoroutines {
		if d, ok := g.timeoutLeft(); ok && g != by && !g.sleepsForLibrary && d < left {
			reportDelay(g, left-d, by)
		}
	}
	if promptReplay && g != nil {
		g.releaseEarly()
		return true
	}
	return false
}

// firesAtOnce is called where a timer that is due in ns nanoseconds is to fire before the running
// goroutine goes on, which is delayed then. In a prompt replay it is not.
func mayFireAtOnce(ns int64) bool {
	g := current()
	if g == nil || stage != stageFollowing {
		return true
	}
	reportDelay(g, ns, nil)
	return !promptReplay
}

// reportDelay says that g is delayed by ns nanoseconds, for a timer that by waits for.
func reportDelay(g *goroutine, ns int64, by *goroutine) {
	if delaysReported++; delaysReported <= maxDelays {
		writeVerdict("late " + g.fullName() + " " + itoa(uint64(max(ns, 0))) + " " + describeWait(by) + "\n")
	}
}

// firstHeld returns the goroutine at the gate whose turn comes first, of those that may
// block only if there are no others; nil if there is none.
func firstHeld() (first *goroutine) {
	for _, g := range parkedGoroutines {
		if g.waitReason == "" {
			continue
		}
		if first == nil || first.wouldWait() && !g.wouldWait() ||
			first.wouldWait() == g.wouldWait() && g.heldItem.rank() < first.heldItem.rank() {
			first = g
		}
	}
	return first
}

// mayBlock reports whether what g is held before does nothing to others, or waits for
// them: the gate delays nobody then.
func (g *goroutine) wouldWait() bool {
	switch g.heldEventKind {
	case KindWaitGroupWait, KindCondWait, KindEnd:
		return true
	case KindRecv:
		return !g.inRuntime.Ready()
	case KindSelect:
		return !g.selectHasDefault && !g.inRuntime.Ready()
	}
	return false
}

// turn orders what goroutines are held by: the steps, the violation, what comes after it.
func (it plannedEvent) rank() int {
	switch it.role {
	case roleStep:
		return it.step
	case roleViolate:
		return numSteps
	}
	return numSteps + 1
}

// releaseEarly lets g go, which waits at the gate.
func (g *goroutine) releaseEarly() {
	switch g.heldItem.role {
	case roleStep:
		earlySteps[g.heldItem.step] = true
		delete(waitingForStep, g.heldItem.step)
	case roleViolate: // the steps that are left make no difference to it any more
		nextStep = numSteps
		if checkViolation(); stage == stageFollowing { // the other one of the violation comes only if g is late
			leaveSchedule(g.fullName() + " stands at its access, and nothing but a timer brings the other one")
		}
		return
	case roleHold:
		g.isReleasedEarly = true
	}
	scheduleAdvanced()
	runtime.PredictWake(&g.gateSema)
}

// waitsWhere says which goroutine waits for a timer, how and where: "0.1 sleep p.f x.go:3".
func describeWait(g *goroutine) string {
	if g == nil {
		return "- - - -"
	}
	reason, n := runtime.PredictBlocked(g.inRuntime.G, framePCs[:])
	at := callerFrame(framePCs[:n])
	return g.fullName() + " " + underscored(reason) + " " + at.fn + " " + at.file + ":" + itoa(uint64(at.line))
}

// timedOut returns a goroutine that waits for a timer, whatever else it waits for, which
// is due in left nanoseconds; nil if there is none.
func timerWaiter(left int64) *goroutine {
	for _, g := range controlledGoroutines {
		if d, ok := g.timeoutLeft(); ok && d <= left && !g.sleepsForLibrary {
			return g
		}
	}
	return nil
}
