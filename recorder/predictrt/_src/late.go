package predictrt

import "runtime"

// This file reports delays. A replay shows a bug only if the program can do the same without the
// gate. Mostly it can, because a goroutine at the gate could be slow. But where time decides the
// order, to be slow is a bug of another kind, which users judge differently. So the verdict tells
// the two apart.
//
// A schedule may hold a goroutine that could go on until a timer has fired, or let a timer fire
// before another one that is due earlier. What follows then depends on a goroutine being delayed,
// and the verdict says so. A prompt replay of the same schedule shows what happens without delays.
// Wherever time would have to pass, one goroutine after the other is released from the gate; only
// then does time pass, for all timers. A prompt replay may be so only where delays would be long, or
// in one wait, to show which delays are needed.
var (
	promptReplay   bool
	shortDelay     int64        // nanoseconds; shorter delays are no reason to release a goroutine
	promptWait     string       // the only wait, as describeWait has it, in which one is released; "": any
	earlySteps     map[int]bool // steps done before their turn in a prompt replay, by index
	delaysReported int          // number of delays so far, also those beyond maxDelays
)

// beforeTimer is called before a timer fires, in left nanoseconds, that the goroutine by waits
// for; by may be nil. It reports in the verdict which goroutines are delayed by that. In a prompt
// replay it releases a goroutine from the gate instead, if there is one, and returns true.
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
	if g != nil && isPromptIn(by, left) {
		g.releaseEarly()
		return true
	}
	return false
}

// mayFireAtOnce is called where a timer that is due in ns nanoseconds is about to fire before the
// running goroutine goes on. It reports whether the timer may: the goroutine is delayed then,
// which a prompt replay does not do.
func mayFireAtOnce(ns int64) bool {
	g := current()
	if g == nil || stage != stageFollowing {
		return true
	}
	reportDelay(g, ns, nil)
	return !isPromptIn(nil, ns)
}

// isPromptIn reports whether goroutines are released before a timer fires, in left nanoseconds, that
// the goroutine by waits for.
func isPromptIn(by *goroutine, left int64) bool {
	return promptReplay && left >= shortDelay && (promptWait == "" || promptWait == describeWait(by))
}

// reportDelay reports that g is delayed by ns nanoseconds, for a timer that the goroutine by waits
// for.
func reportDelay(g *goroutine, ns int64, by *goroutine) {
	if delaysReported++; delaysReported <= maxDelays {
		runtime.PredictPin()
		writeVerdict("late " + g.fullName() + " " + itoa(uint64(max(ns, 0))) + " " + describeWait(by) + "\n")
		runtime.PredictUnpin()
	}
}

// firstHeld returns the goroutine at the gate whose turn comes first; nil if there is none.
// Goroutines that would wait anyway come last.
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

// wouldWait reports whether the gate does not delay g: its next operation has no effect on others,
// or would wait for them.
func (g *goroutine) wouldWait() bool {
	switch g.heldEventKind {
	case KindWaitGroupWait, KindCondWait, KindEnd:
		return true
	case KindRecv:
		return !g.inRuntime.CanCommunicate()
	case KindSelect:
		return !g.selectHasDefault && !g.inRuntime.CanCommunicate()
	}
	return false
}

// rank orders planned events: the steps, the violation, what comes after it.
func (it plannedEvent) rank() int {
	switch it.role {
	case roleStep:
		return it.step
	case roleViolate:
		return numSteps
	}
	return numSteps + 1
}

// releaseEarly releases g from the gate.
func (g *goroutine) releaseEarly() {
	switch g.heldItem.role {
	case roleStep:
		earlySteps[g.heldItem.step] = true
		delete(waitingForStep, g.heldItem.step)
	case roleViolate: // the remaining steps have no effect on it any more
		nextStep = numSteps
		if checkViolation(); stage == stageFollowing { // the other violator gets there only if g is delayed
			leaveSchedule(g.fullName() + " stands at its access, and nothing but a timer brings the other one")
		}
		return
	case roleHold:
		g.isReleasedEarly = true
	}
	scheduleAdvanced()
	runtime.PredictWake(&g.gateSema)
}

// describeWait says which goroutine waits for a timer, how and where: "0.1 sleep p.f x.go:3".
func describeWait(g *goroutine) string {
	if g == nil {
		return "- - - -"
	}
	reason, n := runtime.PredictBlocked(g.inRuntime.G, framePCs[:])
	at := callerFrame(framePCs[:n])
	return g.fullName() + " " + underscored(reason) + " " + at.fn + " " + at.file + ":" + itoa(uint64(at.line))
}

// timerWaiter returns a goroutine that waits for a timer which is due in left nanoseconds; nil if
// there is none.
func timerWaiter(left int64) *goroutine {
	for _, g := range controlledGoroutines {
		if d, ok := g.timeoutLeft(); ok && d <= left && !g.sleepsForLibrary {
			return g
		}
	}
	return nil
}
