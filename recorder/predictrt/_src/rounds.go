package predictrt

import (
	"runtime"
	"unsafe"
)

// This file notices programs in which only timers let something happen, while all tests wait for
// it: a worker that is woken by its ticker, finds nothing to do and waits again, until the tests'
// time is over. That makes the same events over and over.

var (
	// timerRounds is how often in a row a timer was all that let the program go on, while all tests
	// have waited for others since roundsStart.
	timerRounds int
	roundsStart int64
	// In a run that repeats no other one, tests have waited for others since waitStart, and the
	// program has made syscallsThen system calls until then, see awaitsOnlyTime.
	waitStart    int64
	syscallsThen uint32
)

// awaitsOnlyTime reports whether nothing but time can end the waits of the tests, so that it may pass
// at once: they all have waited for minHang, and no goroutine has done more meanwhile than to wait
// for timers, and to compute. A system call may bring what others have done, as a file.
func awaitsOnlyTime() bool {
	now, calls := runtime.PredictClockNow(), runtime.PredictSyscalls()
	if runningTests == 0 || calls != syscallsThen || !testsWaitSince(waitStart) {
		waitStart, syscallsThen = now, calls
	}
	runtime.PredictSkipsTime = now-waitStart >= minHang
	return runtime.PredictSkipsTime
}

// noteTimerRound is called where only a timer lets the program go on. After maxTimerRounds, the
// tests' events are not logged any more.
func noteTimerRound() {
	if !testsWaitSince(roundsStart) {
		endTimerRounds()
		roundsStart = runtime.PredictClockNow()
		return
	}
	if timerRounds++; timerRounds == maxTimerRounds {
		eachWaitingTest(func(g *goroutine) {
			if a := g.account; a.dropLevel != dropSync {
				a.dropLevel, a.isQuiet = dropSync, true
			}
		})
		fastRecord = noFastRecord
	}
}

// endTimerRounds is called where a test goes on. If its events were not logged any more, the trace
// says so: it has a gap.
func endTimerRounds() {
	if timerRounds >= maxTimerRounds {
		eachWaitingTest(func(g *goroutine) { g.account.endQuiet() })
		if g := (*goroutine)(runtime.PredictRecord()); g != nil {
			g.account.endQuiet()
		}
	}
	timerRounds = 0
}

// endQuiet says in the trace that the test's events are not logged any more. It is called where an
// event comes after those that were not.
func (a *account) endQuiet() {
	if a.isQuiet {
		runtime.PredictPin()
		a.isQuiet = false
		writeMeta("cut", "sync", clip(a.test))
		runtime.PredictUnpin()
	}
}

// testsWaitSince reports whether all goroutines that run a test have waited for others since then,
// without a timer of their own.
func testsWaitSince(then int64) bool {
	n := 0
	eachWaitingTest(func(g *goroutine) {
		if _, ok := g.timeoutLeft(); !ok && g.blockingOp.startTime <= then {
			n++
		}
	})
	return n == runningTests
}

// tellHang is called when the tests' time is over in a recording, before package testing ends it. If
// only timers have let something happen, and they have not ended the waits of the tests, the trace
// says that these are blocked for ever.
func tellHang() {
	runtime.PredictPin()
	if look := runtime.PredictExamine(); !isShortRun && !look.Runnable && !look.AwaitsOthers && !look.AwaitsSignals && testsWaitSince(runtime.PredictClockNow()-minHang) {
		runtime.PredictEachWaiting(func(rec unsafe.Pointer) {
			if g := (*goroutine)(rec); g != &runtimeGoroutines {
				g.recordBlocked(stuckDeadlock)
			}
		})
	}
	runtime.PredictUnpin()
}
