package predictrt

import (
	"runtime"
	"unsafe"
)

// This file decides what happens when no goroutine can run: for which of them time passes, whether
// the schedule can still go on, and whether the program waits for ever.

var (
	replayStart     int64 // when the replay began, by waitingTime
	lastAdvance     int64 // when the schedule has advanced last
	patience        int64 // how long the schedule may stand still from there on; 0: not known yet
	asleepCount     int   // looks in a row that found that nothing can happen
	lastTimersFired int   // timers that have fired before the goroutine that goes last
	testDeadline    int64 // when the tests' time is over, by PredictTimerNow; 0: unknown
	// isShortRun says that this run repeats another one: time passes at once in it.
	isShortRun bool
	// testsTime is the time that the tests of that run have, in nanoseconds; 0: as this one's.
	testsTime int64
	framePCs  [64]uintptr
)

// watch is called when no goroutine can run. It decides for what time passes, and leaves the
// schedule if nothing can happen any more. For its results see runtime.PredictWatch.
//
// While goroutines wait at the gate, time passes for those that do nothing but sleep: first the
// one that the schedule needs next, then all others. A time-out, which ends the wait for something
// else, gets time only if that does not help: in an ordinary run it would have been stopped by
// then, or have been far away. Time passes at once, unless the program may wait for another
// process.
func watch() (wait int64, still bool) {
	look := runtime.PredictExamine()
	if stage == stageFree {
		return watchUnscheduled(look), false
	}
	if look.Runnable {
		return 0, false
	}
	alone := !look.AwaitsOthers && !look.AwaitsSignals && runtime.PredictAlone()
	if len(parkedGoroutines) == 0 && (look.AwaitsOthers || isTimerBeforeDeadline(look)) {
		// The program waits by itself. The goroutine that its next timer wakes may reach
		// the gate.
		switch {
		case look.NextTimer < 0:
			return watchInterval, false
		case !alone:
			return min(watchInterval, max(look.NextTimer, 1)), false
		}
		return passToNextTimer(look, true), false
	}
	switch stage {
	case stageFirstAccess:
		// The first access is done, and its goroutine blocks where there is no hook.
		enterStage(stageSecondAccess)
		return 0, false
	case stageSecondAccess:
		enterStage(stageFree)
		return 0, false
	case stageBlocking:
		letNextBlock()
		return 0, false
	case stageOthersRun:
		due := !look.AwaitsOthers && look.NextTimer >= 0 && look.NextTimer <= maxTimerWait
		if due && timersFireFirst && lastTimersFired < maxLastTimers {
			lastTimersFired++
			return passToNextTimer(look, runtime.PredictAlone()), false
		}
		if due {
			writeVerdict("due\n")
		}
		enterStage(stageFree)
		return 0, false
	}
	delayed, left := nextDelayed()
	why := "no goroutine can go on"
	spent := stoodStillFor()
	limit := patience
	if alone {
		limit = 2*limit + extraPatience
	}
	switch {
	case delayed != nil && left <= maxTimerWait && (spent < limit/2 || spent < limit && !alone && isNeeded(delayed)):
		switch {
		case !delayed.sleepsForLibrary && beforeTimer(delayed, left):
		case promptReplay:
			return passToNextTimer(look, alone), false
		default:
			passTimeFor(delayed, left, alone)
		}
		return 0, false
	case look.AwaitsOthers && (spent < patience || look.AwaitsChild && spent < maxPatience):
		return watchInterval, true
	case look.NextTimer >= 0 && look.NextTimer <= maxTimerWait && (spent < limit || look.AwaitsOthers && spent < 2*patience):
		if beforeTimer(timerWaiter(look.NextTimer), look.NextTimer) {
			return 0, false
		}
		return passToNextTimer(look, alone), false
	case look.AwaitsOthers:
		why = "no goroutine can go on but by what comes from outside"
	case look.NextTimer >= 0 && look.NextTimer <= maxTimerWait:
		why = "no goroutine can go on but by its timers"
	}
	if skipInside() {
		return 0, false
	}
	blocked := blockedReport(false)
	leaveSchedule(why + missingEvent())
	writeVerdict(blocked)
	return 0, false
}

// skipInside skips the step that the schedule waits for if it is an access of the standard
// library, and reports whether it did.
func skipInside() bool {
	if insideSteps[nextStep] == nil {
		return false
	}
	for _, a := range actors {
		if a.isNext(nextStep) {
			return a.skipTo(a.nextStep + 1)
		}
	}
	return false
}

// passTimeFor lets left nanoseconds pass for a delayed goroutine. If time can pass at once, and
// the schedule does not need that goroutine next, they pass for all that sleep.
func passTimeFor(delayed *goroutine, left int64, alone bool) {
	if !alone {
		runtime.PredictPassOnlyFor(delayed.inRuntime.G)
		return
	}
	runtime.PredictPass(left, true)
	for _, g := range controlledGoroutines {
		if _, ok := g.sleepLeft(); g == delayed || ok && !isNeeded(delayed) {
			runtime.PredictHastenTimer(g.inRuntime.G, left)
		}
	}
}

// passToNextTimer lets time pass for all timers, until the next one fires. For the result see
// runtime.PredictWatch.
func passToNextTimer(look runtime.PredictState, alone bool) (wait int64) {
	if !alone {
		return untilTimer(look)
	}
	runtime.PredictPass(max(look.NextTimer, 1), false)
	return 0
}

// stoodStillFor returns for how long the schedule has stood still, and sets patience.
func stoodStillFor() int64 {
	if patience == 0 {
		patience = min(max(minPatience, lastAdvance-replayStart, longestDelay()+minPatience/2), maxPatience)
	}
	return waitingTime() - lastAdvance
}

// waitingTime returns the program's clock, so that load makes no wait shorter, plus the time for
// which the whole program has waited for system calls.
func waitingTime() int64 { return runtime.PredictClockNow() + runtime.PredictSyscallTime() }

// scheduleAdvanced is called when the schedule has advanced.
func scheduleAdvanced() { lastAdvance, patience, goschedCalls = waitingTime(), 0, 0 }

// isNeeded reports whether the schedule can only go on with an event of g.
func isNeeded(g *goroutine) bool {
	if nextStep < numSteps {
		return g.actor != nil && g.actor.isNext(nextStep)
	}
	return g.actor != nil && g.actor.isViolator() && !g.actor.pending.isReached
}

// nextDelayed returns the goroutine that time is to pass for, and for how long; nil if there is
// none. If the goroutine that the schedule needs waits for a time-out that comes before all sleeps
// of others, it is that one: otherwise they would find that it has not come.
func nextDelayed() (next *goroutine, left int64) {
	for _, g := range controlledGoroutines {
		d, ok := g.sleepLeft()
		if ok && (next == nil || isNeeded(g) && !isNeeded(next) || isNeeded(g) == isNeeded(next) && d < left) {
			next, left = g, d
		}
	}
	if next == nil {
		return nil, 0
	}
	for _, g := range controlledGoroutines {
		if d, ok := g.timeoutLeft(); ok && isNeeded(g) && d < left {
			next, left = g, d
		}
	}
	return next, left
}

// longestDelay returns the longest time that a goroutine sleeps.
func longestDelay() (d int64) {
	for _, g := range controlledGoroutines {
		if left, ok := g.sleepLeft(); ok && left <= maxTimerWait {
			d = max(d, left)
		}
	}
	return d
}

// sleepLeft returns for how many nanoseconds g sleeps; false if it does not, or waits at the gate.
func (g *goroutine) sleepLeft() (left int64, ok bool) {
	return waitLeft(g, runtime.PredictSleepLeft)
}

// timeoutLeft returns after how many nanoseconds g stops to wait for whatever it waits for; false
// if it never does, or waits at the gate.
func (g *goroutine) timeoutLeft() (left int64, ok bool) {
	return waitLeft(g, runtime.PredictTimeoutLeft)
}

// waitLeft returns one of these times, unless g waits at the gate: it waits for its turn then, not
// for time.
func waitLeft(g *goroutine, of func(unsafe.Pointer) (int64, bool)) (left int64, ok bool) {
	if g.inRuntime.G == nil || g.waitReason != "" {
		return 0, false
	}
	return of(g.inRuntime.G)
}

// missingEvent says what the schedule waits for.
func missingEvent() string {
	if nextStep < numSteps {
		for _, a := range actors {
			if a.isNext(nextStep) {
				return ", the schedule waits for " + a.name + " at " + stepName(nextStep)
			}
		}
	}
	for _, a := range violators {
		if !a.pending.isReached {
			return ", the schedule waits for " + a.name + " at its violating access"
		}
	}
	return ""
}

// watchUnscheduled watches a program that has no schedule, or whose schedule is over. It ends the
// program if nothing can happen before the tests' time is over, which would end it anyway. A timer
// that is due before then, a system call, a child process, I/O, or a signal that the program waits
// for may make something happen. Now and then it checks whether these can reach what the tests
// wait for. A recording whose periodic timers lead nowhere ends with the tests' time, as it would
// under go test, see tellHang; but that time passes at once.
func watchUnscheduled(look runtime.PredictState) int64 {
	moves := look.AwaitsOthers || isTimerBeforeDeadline(look) || !isShortRun && look.NextTimer >= 0 && mayRepeatBeforeDeadline()
	switch {
	case look.Runnable:
		asleepCount = 0
		return 0
	case moves && runtime.PredictSearchDue() && findBlockedTests(true):
		endDeadlocked()
		return -1
	case moves:
		asleepCount = 0
		switch {
		case look.AwaitsOthers:
			return 10 * watchInterval
		case !look.AwaitsSignals && runtime.PredictAlone() && (isShortRun || awaitsOnlyTime()):
			noteTimerRound()
			return passToNextTimer(look, true)
		}
		return untilTimer(look)
	}
	if asleepCount++; asleepCount < asleepLimit {
		return watchInterval / 5
	}
	if look.AwaitsSignals && runtime.PredictAwaitsSignal() && (asleepCount > asleepLimit || !findBlockedTests(false)) {
		return 10 * watchInterval
	}
	endDeadlocked()
	return -1
}

// isTimerBeforeDeadline reports whether a timer is due before the tests' time is over.
func isTimerBeforeDeadline(look runtime.PredictState) bool {
	return look.NextTimer >= 0 && (testDeadline == 0 || runtime.PredictTimerNow()+look.NextTimer < testDeadline)
}

// mayRepeatBeforeDeadline reports whether the first timer after the end of the tests' time is due so
// soon after it that it may be a periodic one.
func mayRepeatBeforeDeadline() bool {
	next := runtime.PredictTimerAfter(testDeadline)
	return next >= 0 && next < testDeadline-runtime.PredictTimerNow()+runtime.PredictElapsed()
}

// watchRun is watch for a recording. In a run that repeats another one, time passes at once, as in
// a replay.
func watchRun() (wait int64, still bool) {
	look := runtime.PredictExamine()
	wait = watchUnscheduled(look)
	if !isShortRun && asleepCount == 0 && !look.AwaitsThread && (look.NextTimer < 0 || isTimerBeforeDeadline(look)) {
		wait = 0 // until nothing can run the next time
	}
	return wait, false
}

// untilTimer returns for how long nothing can happen except by the next timer.
func untilTimer(look runtime.PredictState) int64 {
	const least = 1_000_000
	return min(max(look.NextTimer, least), maxTimerWait)
}

// blockedReport says where the goroutines of the replayed tests wait. With forEver, it also says
// in which operations those are that are blocked for ever.
func blockedReport(forEver bool) string {
	report := ""
	for i, g := range controlledGoroutines {
		if i == maxBlockedShown {
			break
		}
		reason, n := "", 0
		if g.inRuntime.G != nil {
			reason, n = runtime.PredictBlocked(g.inRuntime.G, framePCs[:])
		}
		if n == 0 {
			continue
		}
		proof := ""
		if forEver && (!hasBlockedTests || g.isBlockedForEver) {
			proof = g.blockedLine(reason)
		}
		if g.waitReason != "" {
			reason = "waits for its " + g.waitReason
		}
		at := callerFrame(framePCs[:n])
		if at.fn == "?" { // it has not begun yet
			at = callSites[g.goSite]
		}
		report += "blocked " + g.fullName() + " " + underscored(reason) + " " + at.fn + " " + at.file + ":" + itoa(uint64(at.line)) + "\n" + proof
	}
	return report
}

// underscored makes s one field of a line.
func underscored(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] == ' ' {
			b[i] = '_'
		}
	}
	return string(b)
}
