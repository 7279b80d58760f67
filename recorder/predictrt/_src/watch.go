package predictrt

import "runtime"

// This file decides what happens when no goroutine can run: for whom time passes, whether the
// schedule can still go on, and whether the program waits for ever.

var (
	// when the replay began, as waited tells
	begun int64
	// when the schedule came where it is
	stillSince int64
	// how long it may take from there on; 0: not known yet
	allowance int64
	// looks in a row that found the program asleep
	asleepInARow int
	// timers that have fired before the goroutine that goes last
	waitsOver int
	// when the tests' time is over; 0 if unknown
	alarm int64
	// this run is a repetition, and that is sooner than in the first one
	brief    bool
	framePCs [64]uintptr
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
	if stage == free {
		return watchUnscheduled(look), false
	}
	if look.Runnable {
		return 0, false
	}
	alone := !look.Outside && !look.Signals && runtime.PredictAlone()
	if len(parked) == 0 && (look.Outside || dueBeforeAlarm(look)) {
		// The program waits for something of its own; it is not our doing. Whom its next
		// timer wakes may come to the gate.
		switch {
		case look.Timer < 0:
			return lookTime, false
		case !alone:
			return min(lookTime, max(look.Timer, 1)), false
		}
		return passToNextTimer(look, true), false
	}
	switch stage {
	case firstGoes:
		// Its access is done, and it blocks where there is no hook.
		release(otherGoes)
		return 0, false
	case otherGoes:
		release(free)
		return 0, false
	case othersGo:
		due := !look.Outside && look.Timer >= 0 && look.Timer <= maxTimerWait
		if due && timersFireFirst && waitsOver < maxWaitsOver {
			waitsOver++
			return passToNextTimer(look, runtime.PredictAlone()), false
		}
		if due {
			verdict("due\n")
		}
		release(free)
		return 0, false
	}
	delayed, left := nextDelayed()
	why := "no goroutine can go on"
	spent := stoodStillFor()
	limit := allowance
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
	case look.Others && (spent < allowance || look.Child && spent < maxPatience):
		return lookTime, true
	case look.Timer >= 0 && look.Timer <= maxTimerWait && (spent < limit || look.Others && spent < 2*allowance):
		if beforeTimer(timedOut(look.Timer), look.Timer) {
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
	blocked := stuckReport(false)
	giveUp(why + missingEvent())
	verdict(blocked)
	return 0, false
}

// skipInside skips the step that the schedule waits for if that is an access of the
// standard library's, and reports whether it did.
func skipInside() bool {
	if inside[nextStep] == nil {
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
		runtime.PredictOnly(delayed.chance.G)
		return
	}
	runtime.PredictPass(left, true)
	for _, g := range controlled {
		if _, ok := g.delay(); g == delayed || ok && !isNeeded(delayed) {
			runtime.PredictBring(g.chance.G, left)
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
	if allowance == 0 {
		allowance = min(max(minPatience, stillSince-begun, longestDelay()+minPatience/2), maxPatience)
	}
	return waited() - stillSince
}

// waited is the program's clock, so that load shortens no wait, together with the
// time for which the whole program has waited for system calls.
func waited() int64 { return runtime.PredictClockNow() + runtime.PredictCalls() }

// scheduleAdvanced is called when the schedule has come further.
func scheduleAdvanced() { stillSince, allowance, looped = waited(), 0, 0 }

// isNeeded reports whether the schedule can do nothing without a move of g.
func isNeeded(g *goroutine) bool {
	if nextStep < numSteps {
		return g.actor != nil && g.actor.isNext(nextStep)
	}
	return g.actor != nil && g.actor.violates() && !g.actor.pending.here
}

// nextDelayed returns the goroutine that time is to pass for, or nil, and how long. If the
// one that the schedule needs waits for a time-out that comes before all that others
// sleep for, it is that one: else they would find that it has not come.
func nextDelayed() (next *goroutine, left int64) {
	for _, g := range controlled {
		d, ok := g.delay()
		if ok && (next == nil || isNeeded(g) && !isNeeded(next) || isNeeded(g) == isNeeded(next) && d < left) {
			next, left = g, d
		}
	}
	if next == nil {
		return nil, 0
	}
	for _, g := range controlled {
		if d, ok := g.timeout(); ok && isNeeded(g) && d < left {
			next, left = g, d
		}
	}
	return next, left
}

// longestDelay is the longest time that a goroutine waits for.
func longestDelay() (d int64) {
	for _, g := range controlled {
		if left, ok := g.delay(); ok && left <= maxTimerWait {
			d = max(d, left)
		}
	}
	return d
}

// delay returns for how long g sleeps, in nanoseconds; false if it does not, or waits at
// the gate.
func (g *goroutine) delay() (left int64, ok bool) {
	if g.chance.G == nil || g.waitsFor != "" {
		return 0, false
	}
	return runtime.PredictDelay(g.chance.G)
}

// timeout returns after how long g stops to wait, in nanoseconds, for whatever it waits;
// false if never.
func (g *goroutine) timeout() (left int64, ok bool) {
	if g.chance.G == nil || g.waitsFor != "" {
		return 0, false
	}
	return runtime.PredictTimeout(g.chance.G)
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
	for _, a := range violations {
		if !a.pending.here {
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
		asleepInARow = 0
		return 0
	case moves && runtime.PredictSearchDue() && testStuck(true):
		deadlocked()
		return -1
	case moves:
		asleepInARow = 0
		switch {
		case look.Outside:
			return 10 * lookTime
		case brief && !look.Signals && runtime.PredictAlone():
			return passToNextTimer(look, true)
		}
		return untilTimer(look)
	}
	if asleepInARow++; asleepInARow < asleepLooks {
		return lookTime / 5
	}
	if look.Signals && runtime.PredictAwaitsSignal() && (asleepInARow > asleepLooks || !testStuck(false)) {
		return 10 * lookTime
	}
	if brief && alarm != 0 && runtime.PredictTimerAfter(alarm) >= 0 && !testStuck(false) {
		timeIsOver()
	} else {
		deadlocked()
	}
	return -1
}

// dueBeforeAlarm reports whether a timer is due before the tests' time is over.
func dueBeforeAlarm(look runtime.PredictState) bool {
	return look.Timer >= 0 && (alarm == 0 || runtime.PredictTimerNow()+look.Timer < alarm)
}

// repeatsAfterAlarm reports whether the program does something again and again that comes next when
// the tests' time is over: until then it could have made a test go on.
func repeatsAfterAlarm() bool {
	next := runtime.PredictTimerAfter(alarm)
	return next >= 0 && next < alarm-runtime.PredictTimerNow()+runtime.PredictElapsed()
}

// watchRun is watch for a program that is recorded. In a run that is a repetition time passes at
// once, as in a replay.
func watchRun() (wait int64, still bool) {
	look := runtime.PredictLook()
	wait = watchUnscheduled(look)
	if !brief && asleepInARow == 0 && (look.Timer < 0 || dueBeforeAlarm(look)) {
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
func stuckReport(forEver bool) string {
	report := ""
	for i, g := range controlled {
		if i == maxShown {
			break
		}
		reason, n := "", 0
		if g.chance.G != nil {
			reason, n = runtime.PredictBlocked(g.chance.G, framePCs[:])
		}
		if n == 0 {
			continue
		}
		proof := ""
		if forEver && (!endsPartly || g.blockedForEver) {
			proof = g.stuckIn(reason)
		}
		if g.waitsFor != "" {
			reason = "waits for its " + g.waitsFor
		}
		at := callerFrame(framePCs[:n])
		if at.fn == "?" { // it is about to begin
			at = callSites[g.site]
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
