package predictrt

import "runtime"

// This file decides what happens when no goroutine can run: for whom time passes, whether the
// schedule can still go on, and whether the program waits for ever.

var (
	// when the replay began, as waited tells
	replayStart int64
	// when the schedule came where it is
	lastAdvance int64
	// how long it may take from there on; 0: not known yet
	patience int64
	// looks in a row that found the program asleep
	asleepCount int
	// timers that have fired before the goroutine that goes last
	lastTimersFired int
	// when the tests' time is over; 0 if unknown
	testDeadline int64
	// this run is a repetition, and that is sooner than in the first one
	isShortRun bool
	framePCs   [64]uintptr
)

// watch is called when no goroutine can run. It decides what time passes for,
// and leaves the schedule if nothing can come any more; for its results see
// runtime.PredictWatch.
//
// While goroutines are held, time passes for those that do nothing but wait
// for it: first the one that the schedule needs next, then all others. A time-out,
// which ends the waiting for something else, has its time only if that does not
// help: in an ordinary run it would have been stopped by then, or have been far
// away. The time passes at once, also while none is held, unless another process
// could be what the program waits for.
func watch() (wait int64, still bool) {
	look := runtime.PredictLook()
	if stage == stageFree {
		return watchUnscheduled(look), false
	}
	if look.Runnable {
		return 0, false
	}
	alone := !look.Outside && !look.Signals && runtime.PredictAlone()
	if len(parkedGoroutines) == 0 && (look.Outside || dueBeforeAlarm(look)) {
		// The program waits for something of its own; it is not our doing. Whom its next
		// timer wakes may come to the gate.
		switch {
		case look.Timer < 0:
			return watchInterval, false
		case !alone:
			return min(watchInterval, max(look.Timer, 1)), false
		}
		return passToNextTimer(look, true), false
	}
	switch stage {
	case stageFirstAccess:
		// Its access is done, and it blocks where there is no hook.
		enterStage(stageSecondAccess)
		return 0, false
	case stageSecondAccess:
		enterStage(stageFree)
		return 0, false
	case stageOthersRun:
		due := !look.Outside && look.Timer >= 0 && look.Timer <= maxTimerWait
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
	case look.Others && (spent < patience || look.Child && spent < maxPatience):
		return watchInterval, true
	case look.Timer >= 0 && look.Timer <= maxTimerWait && (spent < limit || look.Others && spent < 2*patience):
		if beforeTimer(timerWaiter(look.Timer), look.Timer) {
			return 0, false
		}
		return passToNextTimer(look, alone), false
	case look.Others:
		why = "no goroutine can go on but by what comes from outside"
	case look.Timer >= 0 && look.Timer <= maxTimerWait:
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

// skipInside skips the step that the schedule waits for if that is an access of the
// standard library's, and reports whether it did.
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

// passTimeFor lets time pass for a goroutine that waits for it, so long; and for all
// that do so, if it is not the one that the schedule needs next and the program is
// alone: time then passes at once.
func passTimeFor(delayed *goroutine, left int64, alone bool) {
	if !alone {
		runtime.PredictOnly(delayed.inRuntime.G)
		return
	}
	runtime.PredictPass(left, true)
	for _, g := range controlledGoroutines {
		if _, ok := g.sleepLeft(); g == delayed || ok && !isNeeded(delayed) {
			runtime.PredictBring(g.inRuntime.G, left)
		}
	}
}

// passToNextTimer lets time pass for all timers, until the next one fires; for the result see
// runtime.PredictWatch.
func passToNextTimer(look runtime.PredictState, alone bool) (wait int64) {
	if !alone {
		return untilTimer(look)
	}
	runtime.PredictPass(max(look.Timer, 1), false)
	return 0
}

// stoodStillFor returns for how long the schedule has stood still, and sets for how long
// it may.
func stoodStillFor() int64 {
	if patience == 0 {
		patience = min(max(minPatience, lastAdvance-replayStart, longestDelay()+minPatience/2), maxPatience)
	}
	return waitingTime() - lastAdvance
}

// waited is the program's clock, so that load shortens no wait, together with the
// time for which the whole program has waited for system calls.
func waitingTime() int64 { return runtime.PredictClockNow() + runtime.PredictCalls() }

// scheduleAdvanced is called when the schedule has come further.
func scheduleAdvanced() { lastAdvance, patience, goschedCalls = waitingTime(), 0, 0 }

// isNeeded reports whether the schedule can do nothing without a move of g.
func isNeeded(g *goroutine) bool {
	if nextStep < numSteps {
		return g.actor != nil && g.actor.isNext(nextStep)
	}
	return g.actor != nil && g.actor.isViolator() && !g.actor.pending.isReached
}

// nextDelayed returns the goroutine that time is to pass for, or nil, and how long. If the
// one that the schedule needs waits for a time-out that comes before all that others
// sleep for, it is that one: else they would find that it has not come.
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

// longestDelay is the longest time that a goroutine waits for.
func longestDelay() (d int64) {
	for _, g := range controlledGoroutines {
		if left, ok := g.sleepLeft(); ok && left <= maxTimerWait {
			d = max(d, left)
		}
	}
	return d
}

// delay returns for how long g sleeps, in nanoseconds; false if it does not, or waits at
// the gate.
func (g *goroutine) sleepLeft() (left int64, ok bool) {
	if g.inRuntime.G == nil || g.waitReason != "" {
		return 0, false
	}
	return runtime.PredictDelay(g.inRuntime.G)
}

// timeout returns after how long g stops to wait, in nanoseconds, for whatever it waits;
// false if never.
func (g *goroutine) timeoutLeft() (left int64, ok bool) {
	if g.inRuntime.G == nil || g.waitReason != "" {
		return 0, false
	}
	return runtime.PredictTimeout(g.inRuntime.G)
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

// watchUnscheduled watches a program that has no schedule, or whose schedule is over. It ends the program if
// nothing in it can happen any more before the tests' time is over: that would
// end it just so, only later. A timer that is due before then, a system call, a
// child process, I/O, or signals that it waits for could make it go on; but not where what
// they reach is not what a test waits for, which is looked at now and then. In a run that has less time
// than the tests, one that is due later could, too.
func watchUnscheduled(look runtime.PredictState) int64 {
	moves := look.Outside || dueBeforeAlarm(look) || look.Timer >= 0 && repeatsAfterAlarm()
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
		case look.Outside:
			return 10 * watchInterval
		case isShortRun && !look.Signals && runtime.PredictAlone():
			return passToNextTimer(look, true)
		}
		return untilTimer(look)
	}
	if asleepCount++; asleepCount < asleepLimit {
		return watchInterval / 5
	}
	if look.Signals && runtime.PredictAwaitsSignal() && (asleepCount > asleepLimit || !findBlockedTests(false)) {
		return 10 * watchInterval
	}
	if isShortRun && testDeadline != 0 && runtime.PredictTimerAfter(testDeadline) >= 0 && !findBlockedTests(false) {
		endTimedOut()
	} else {
		endDeadlocked()
	}
	return -1
}

// dueBeforeAlarm reports whether a timer is due before the tests' time is over.
func dueBeforeAlarm(look runtime.PredictState) bool {
	return look.Timer >= 0 && (testDeadline == 0 || runtime.PredictTimerNow()+look.Timer < testDeadline)
}

// repeatsAfterAlarm reports whether the program does something again and again that comes next when
// the tests' time is over: until then it could have made a test go on.
func repeatsAfterAlarm() bool {
	next := runtime.PredictTimerAfter(testDeadline)
	return next >= 0 && next < testDeadline-runtime.PredictTimerNow()+runtime.PredictElapsed()
}

// watchRun is watch for a program that is recorded. In a run that is a repetition time passes at
// once, as in a replay.
func watchRun() (wait int64, still bool) {
	look := runtime.PredictLook()
	wait = watchUnscheduled(look)
	if !isShortRun && asleepCount == 0 && (look.Timer < 0 || dueBeforeAlarm(look)) {
		wait = 0 // until nothing can run the next time
	}
	return wait, false
}

// untilTimer is how long nothing can happen but by the timer that is due next.
func untilTimer(look runtime.PredictState) int64 {
	const least = 1_000_000
	return min(max(look.Timer, least), maxTimerWait)
}

// stuckReport says where the goroutines of the tests under control wait, and if that
// is proven to be for ever, in which of their operations.
func blockedReport(forEver bool) string {
	report := ""
	for i, g := range controlledGoroutines {
		if i == maxShown {
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
		if at.fn == "?" { // it is about to begin
			at = callSites[g.goSite]
		}
		report += "blocked " + g.fullName() + " " + underscored(reason) + " " + at.fn + " " + at.file + ":" + itoa(uint64(at.line)) + "\n" + proof
	}
	return report
}

// underscored makes one field of s.
func underscored(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] == ' ' {
			b[i] = '_'
		}
	}
	return string(b)
}
