package predictrt

import "runtime"

// This file is about loops that wait by running: they call runtime.Gosched, or read the clock. In
// a replay such a loop may wait for a goroutine that the gate holds, and would not end.

// Numbers of what such loops look at, for countLook.
const (
	goschedLook = 1 + iota
	clockLook
)

// countClockLook is called before the program reads the clock.
func countClockLook() {
	if g := current(); g != nil {
		g.countLook(clockLook, false)
	}
}

// goschedCalls counts the calls of runtime.Gosched since the schedule has advanced.
var goschedCalls int

// gosched is called before a goroutine calls runtime.Gosched. A loop that does so waits for other
// goroutines. If the gate holds those, it would never end.
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
	look := runtime.PredictExamine()
	if look.AwaitsOthers || look.NextTimer >= 0 && look.NextTimer <= maxTimerWait {
		runtime.PredictUnpin()
		g.sleep(pollSleep) // watch decides then
		return
	}
	switch stage {
	case stageOthersRun:
		enterStage(stageFree)
		runtime.PredictUnpin()
		return
	case stageBlocking:
		letNextBlock()
		runtime.PredictUnpin()
		return
	}
	blocked := blockedReport(false)
	leaveSchedule("no goroutine can go on but in loops" + missingEvent())
	writeVerdict(blocked)
	runtime.PredictUnpin()
}

// resetLoopCount is called when a goroutine has done many operations since it let others run.
func (p *pace) resetLoopCount() {
	if !p.hasCalledGosched {
		goschedCalls = 0
	}
	p.hasCalledGosched = false
}

// sleep suspends the goroutine for ns nanoseconds, where the program does not ask for that.
func (p *pace) sleep(ns int64) {
	p.sleepsForLibrary = true
	runtime.PredictSleep(ns)
	p.sleepsForLibrary = false
}

// gateHolds reports whether goroutines wait at the gate until others have reached a place, or
// cannot go on.
func gateHolds() bool {
	return (stage == stageFollowing || stage == stageOthersRun || stage == stageBlocking) && len(parkedGoroutines) > 0
}

// letOthersRun lets others run. If goroutines wait at the gate, and the running one has done
// nothing but look for changes, it sleeps. Once all goroutines sleep or wait, watch is called, and
// decides whether a change can still come.
func (p *pace) letOthersRun() {
	if gateHolds() && nothingChanged() {
		p.sleep(pollSleep)
	} else {
		runtime.PredictYield()
	}
}

// seenChangeCount is changeCount when nothingChanged was called last.
var seenChangeCount uint

// nothingChanged reports whether no event of any goroutine since the last call has changed what
// others can see: there were only reads, failed attempts, and critical sections of these.
func nothingChanged() bool {
	if lastRecord != nil {
		lastRecord.polling.countChange()
	}
	same := changeCount == seenChangeCount
	seenChangeCount = changeCount
	return same
}

// changesState reports whether another goroutine may wait for an event. Of the value, only that of
// KindRecvDone counts.
//
//go:nosplit
func changesState(kind, flags uint8, val uint64) bool {
	switch kind {
	case KindRead, KindAtomicLoad, KindAcquire, KindRAcquire, KindRelease, KindRRelease, KindRegionBegin, KindRegionEnd,
		KindBranch, KindAssert, KindOperand, KindCall, KindSelect, KindSelectSend, KindSelectRecv, KindSelectDone, kindInitialValue:
		return false
	case KindAtomicRMW:
		return flags&flagFailed == 0
	case KindRecvDone: // 0 stands for a closed channel
		return val != 0
	}
	return true
}
