package predictrt

import "runtime"

// This file is about loops that wait by running: with runtime.Gosched, or by looking at the
// clock. In a replay one may wait for a goroutine that the gate holds, and would do so for
// ever.

// What runtime.Gosched and the clock are called among the things to look at.
const (
	goschedLook = 1 + iota
	clockLook
)

// looksAtClock is called before the program looks at the clock.
func countClockLook() {
	if g := current(); g != nil {
		g.countLook(clockLook, false)
	}
}

// looped is how many calls there were in a row since the schedule has moved.
var goschedCalls int

// gosched is called before a goroutine gives way of its own will. A loop that
// does so waits for something that others do, and while the gate holds those it
// would never end.
func gosched() {
	g := current()
	if g == nil {
		return
	}
	g.countLook(goschedLook, false)
	if !gateHolds() {
		return
	}
	g.hasCalledGosched = true
	goschedCalls++
	if goschedCalls%goschedLimit != 0 || !nothingChanged() && goschedCalls%(changingFactor*goschedLimit) != 0 || !runtime.PredictCanPark() {
		return
	}
	runtime.PredictPin()
	look := runtime.PredictLook()
	if look.Outside || look.Timer >= 0 && look.Timer <= maxTimerWait {
		runtime.PredictUnpin()
		g.sleep(pollTime) // watch decides
		return
	}
	if stage == stageOthersRun {
		enterStage(stageFree)
		runtime.PredictUnpin()
		return
	}
	blocked := blockedReport(false)
	leaveSchedule("no goroutine can go on but in loops" + missingEvent())
	writeVerdict(blocked)
	runtime.PredictUnpin()
}

// resetLoopCount is called when g has done many operations since it gave way last.
func (p *pace) resetLoopCount() {
	if !p.hasCalledGosched {
		goschedCalls = 0
	}
	p.hasCalledGosched = false
}

// sleep suspends g for ns nanoseconds, which nothing in the program asks for.
func (p *pace) sleep(ns int64) {
	p.sleepsForLibrary = true
	runtime.PredictSleep(ns)
	p.sleepsForLibrary = false
}

// holding reports whether the gate holds goroutines until others have come to somewhere, or
// as far as they can: these may loop until then, and would do so for ever.
func gateHolds() bool {
	return (stage == stageFollowing || stage == stageOthersRun) && len(parkedGoroutines) > 0
}

// letOthersRun lets others run. While the gate holds some, a goroutine that does nothing
// but look whether something has changed sleeps: then watch is called once all do
// so or wait, and decides whether that can still come.
func (p *pace) letOthersRun() {
	if gateHolds() && nothingChanged() {
		p.sleep(pollTime)
	} else {
		runtime.PredictGiveWay()
	}
}

// changesSeen is the number of changes when nothingChanged was called last.
var seenChangeCount uint

// nothingChanged reports whether the events since it was called last, of all goroutines, have
// left everything as it was: reads, attempts that have failed, and critical sections in which
// there are no others.
func nothingChanged() bool {
	if lastRecord != nil {
		lastRecord.polling.countChange()
	}
	same := changeCount == seenChangeCount
	seenChangeCount = changeCount
	return same
}

// alters reports whether an event could be what another goroutine waits for. Its
// value counts for RecvDone only.
//
//go:nosplit
func changesState(kind, flags uint8, val uint64) bool {
	switch kind {
	case KindRead, KindAtomicLoad, KindAcquire, KindRAcquire, KindRelease, KindRRelease, KindRegionBegin, KindRegionEnd,
		KindBranch, KindAssert, KindOperand, KindCall, KindSelect, KindSelectSend, KindSelectRecv, KindSelectDone, kindInitialValue:
		return false
	case KindAtomicRMW:
		return flags&flagFailed == 0
	case KindRecvDone: // 0 stands for a channel that is closed
		return val != 0
	}
	return true
}
