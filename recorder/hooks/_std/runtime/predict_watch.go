package runtime

import "unsafe"

// The watcher is the goroutine that checks a replay when nothing else can run.
var (
	predictWatcher  *g
	predictWatching bool // the watcher is parked
	predictIdleOnly bool // it need not check while a timer or a socket is waited for
)

// PredictSkipsTime says that the check of PredictWatch lets time pass at once, so that it is
// called where only a timer is waited for, too.
var PredictSkipsTime bool

// PredictWatch starts a system goroutine that calls check whenever no goroutine can run. check
// returns the nanoseconds after which it is to be called again, 0 to wait for the next time that
// nothing can run, or a negative number to end. If still is set, time stands still for the program
// meanwhile. With idle set, check is called once in predictLookInterval where a timer is due before
// the tests' time is over, or where the program waits for something from outside: programs that
// sleep a lot are not to pay for it.
func PredictWatch(check func() (wait int64, still bool), idle bool) {
	predictIdleOnly = idle
	go func() {
		predictWatcher = getg()
		for {
			gopark(predictWatchCommit, nil, waitReasonZero, traceBlockForever, 1)
			for {
				// No other goroutine may run while check examines them.
				mp := acquirem()
				d, still := check()
				if still && d > 0 {
					// Ends at d after now, when timeSleep has set it.
					predictClock.onlyTimer, predictClock.passed = predictPauseTimer(predictWatcher), 0
					predictClock.onlyTimer.when = predictTimerNow(0) + d
				}
				releasem(mp)
				if d < 0 {
					return
				}
				if d == 0 {
					break
				}
				timeSleep(d)
			}
		}
	}()
}

func predictWatchCommit(gp *g, _ unsafe.Pointer) bool {
	predictWatching = true
	return true
}

// predictIdleWatcher is called by the scheduler, with a P, when it has found nothing to run. It
// returns the watcher if that is to check now.
func predictIdleWatcher() *g {
	if !predictWatching || predictClock.onlyTimer != nil || predictIdleOnly && predictHasWakers() {
		return nil
	}
	predictWatching = false
	gp := predictWatcher
	trace := traceAcquire()
	casgstatus(gp, _Gwaiting, _Grunnable)
	if trace.ok() {
		trace.GoUnpark(gp, 0)
		traceRelease(trace)
	}
	return gp
}

// predictHasWakers reports whether a timer or the network poller can wake a goroutine, and no check
// is due in spite of that.
func predictHasWakers() bool {
	if predictClock.now >= predictNextLook {
		predictNextLook = predictClock.now + predictLookInterval
		return false
	}
	next := getg().m.p.ptr().timers.wakeTime()
	if PredictSkipsTime && PredictAlone() {
		next = 0
	}
	return next != 0 && (predictClock.deadline == 0 || next < predictClock.deadline) ||
		netpollAnyWaiters() && predictAwaitsInput()
}

// predictAwaitsInput reports whether a goroutine waits for I/O that others than the program itself
// can end.
func predictAwaitsInput() (any bool) {
	forEachGRace(func(gp *g) {
		any = any || readgstatus(gp) == _Gwaiting && gp.waitreason == waitReasonIOWait && !gp.predictIsSilent()
	})
	return any
}

// predictIsSilent reports whether only the program itself can end gp's wait for I/O.
func (gp *g) predictIsSilent() bool {
	return gp.predictFD != 0 && PredictIsSilent != nil && PredictIsSilent(gp.predictFD-1, gp.predictWrites)
}

// predictNextLook is when to check next although something can happen, by the program's clock, and
// predictNextSearch when to search next for tests that are blocked for ever. A search may take long:
// there is one when the program has run for a second, for two, four, and so on.
var predictNextLook, predictNextSearch int64

const predictLookInterval = 1_000_000_000

// PredictSearchDue reports whether such a search is due, and sets when the next one is.
func PredictSearchDue() bool {
	if predictClock.now < predictNextSearch {
		return false
	}
	predictNextSearch = predictClock.now + max(predictLookInterval, PredictElapsed())
	return true
}

// PredictSyscalls returns how many system calls goroutines have made that may wait.
func PredictSyscalls() uint32 { return getg().m.p.ptr().syscalltick }

// PredictEachWaiting calls visit with the record of each goroutine that waits.
func PredictEachWaiting(visit func(rec unsafe.Pointer)) {
	forEachGRace(func(gp *g) {
		if gp.predict != nil && readgstatus(gp) == _Gwaiting {
			visit(gp.predict)
		}
	})
}

// PredictAnyRunnable reports whether a goroutine can run for whose record want reports true.
func PredictAnyRunnable(want func(rec unsafe.Pointer) bool) (any bool) {
	forEachGRace(func(gp *g) {
		any = any || gp.predict != nil && readgstatus(gp)&^_Gscan == _Grunnable && want(gp.predict)
	})
	return any
}

// A PredictState says what could still make a goroutine run.
type PredictState struct {
	Runnable      bool  // a goroutine other than the caller can run
	AwaitsOthers  bool  // a goroutine is in a system call, or waits for the garbage collector, or for I/O that others can end; or a thread of C
	AwaitsThread  bool  // C has threads of its own, which may call back into Go
	AwaitsChild   bool  // a goroutine waits for another process, which may be running
	AwaitsSignals bool  // the program receives signals, which anyone can send, see PredictAwaitsSignal
	NextTimer     int64 // nanoseconds until the next timer; negative if there is none
}

// PredictExamine examines all goroutines.
func PredictExamine() PredictState {
	s := PredictState{NextTimer: -1, AwaitsChild: predictHasBusyChild(), AwaitsThread: predictRanC && predictHasForeignThread()}
	s.AwaitsOthers = s.AwaitsThread
	self := getg()
	forEachGRace(func(gp *g) {
		if gp == self || isSystemGoroutine(gp, false) {
			return
		}
		switch readgstatus(gp) &^ _Gscan {
		case _Grunnable, _Grunning, _Gcopystack, _Gpreempted:
			s.Runnable = true
		case _Gsyscall:
			// The goroutine of os/signal sits in a system call for ever.
			if funcname(findfunc(gp.startpc)) == "os/signal.loop" {
				s.AwaitsSignals = true
			} else {
				s.AwaitsOthers = true
			}
		case _Gwaiting:
			switch gp.waitreason {
			case waitReasonIOWait:
				s.AwaitsOthers = s.AwaitsOthers || !gp.predictIsSilent()
			case waitReasonGCAssistWait, waitReasonGarbageCollection, waitReasonStoppingTheWorld:
				s.AwaitsOthers = true
			}
		}
	})
	if when := timeSleepUntil(); when < maxWhen {
		s.NextTimer = max(when-predictTimerNow(0), 0)
	}
	return s
}

// predictPollWait is called when the running goroutine is about to wait for a descriptor.
func predictPollWait(pd *pollDesc, mode int) {
	gp := getg()
	gp.predictFD, gp.predictWrites = pd.fd+1, mode == 'w'
}

// PredictIsSilent reports whether nothing is on the way to a goroutine that waits for a
// descriptor, and only the program itself can send something there or, if the goroutine writes,
// read it. It is nil if there are no such descriptors.
var PredictIsSilent func(fd uintptr, writes bool) bool

// PredictIsNotified reports whether signals are sent to a channel; nil if they are sent to none.
var PredictIsNotified func(ch unsafe.Pointer) bool

// PredictAwaitsSignal reports whether a goroutine waits for a signal's channel. No other goroutine
// may run meanwhile.
func PredictAwaitsSignal() (any bool) {
	if PredictIsNotified == nil {
		return false
	}
	forEachGRace(func(gp *g) {
		if readgstatus(gp) != _Gwaiting {
			return
		}
		for sg := gp.waiting; sg != nil; sg = sg.waitlink {
			c := sg.c.get()
			any = any || c != nil && PredictIsNotified(unsafe.Pointer(c))
		}
	})
	return any
}

// PredictDie ends the process as the runtime does in a deadlock.
func PredictDie(msg string) {
	predictOn = false
	print(msg)
	exit(2)
}

// PredictBlocked returns why the goroutine with identity id does not go on, and stores the return
// addresses of its logical frames in pcs. The reason is that of the runtime, "system call", or
// "calls runtime.Gosched" for one that could run.
func PredictBlocked(id unsafe.Pointer, pcs []uintptr) (reason string, n int) {
	gp := (*g)(id)
	switch readgstatus(gp) {
	case _Gwaiting:
		reason = gp.waitreason.String()
	case _Gsyscall:
		reason = "system call"
		if funcname(findfunc(gp.startpc)) == "os/signal.loop" {
			reason = "waits for a signal"
		}
	case _Grunnable:
		reason = "calls runtime.Gosched"
	case _Grunning:
		if gp != getg() {
			return "", 0
		}
		return "calls runtime.Gosched", Callers(1, pcs)
	default:
		return "", 0
	}
	systemstack(func() { n = gcallers(gp, 0, pcs) })
	return reason, n
}
