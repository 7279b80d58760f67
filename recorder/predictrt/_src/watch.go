package predictrt

import "runtime"

const (
	soon     = 1_000_000_000 // a timer that is due later moves nothing
	patience = 2_000_000_000 // for timers and I/O that move nothing we control
	lookTime = 10_000_000
	asleep   = 10 // looks in a row at a program that can do nothing more
	maxShown = 32
)

var (
	seenHappenings uint64
	quietSince     int64
	sleepy         int   // looks in a row that found the program asleep
	alarm          int64 // when the tests' time is over; 0 if unknown
	framePCs       [64]uintptr
)

// watch is called when no goroutine can run. It leaves the schedule if
// nothing can come any more; for its result see runtime.PredictWatch.
func watch() int64 {
	look := runtime.PredictLook()
	if stage == free {
		return afterwards(look)
	}
	if look.Runnable {
		return 0
	}
	now := runtime.PredictNow()
	if quietSince == 0 || happenings != seenHappenings {
		seenHappenings, quietSince = happenings, now
	}
	timer := look.Timer >= 0 && look.Timer <= soon
	if now-quietSince < patience {
		if look.Outside {
			return lookTime
		}
		if timer {
			return untilTimer(look)
		}
	}
	if len(parked) == 0 && (look.Outside || look.Timer >= 0) {
		// The program waits for something of its own; it is not our doing.
		return lookTime
	}
	switch stage {
	case firstGoes:
		// Its access is done, and it blocks where there is no hook.
		release(otherGoes)
		return 0
	case otherGoes:
		release(free)
		return 0
	}
	blocked := stuckReport()
	leave("no goroutine can go on")
	verdict(blocked)
	return 0
}

// afterwards watches a program whose schedule is over. It ends the program if
// nothing in it can happen any more before the tests' time is over: that would
// end it just so, only later. A timer that is due before then, a system call, a
// child process, I/O, or signals that it waits for could make it go on.
func afterwards(look runtime.PredictState) int64 {
	if look.Runnable || look.Outside || look.Signals {
		sleepy = 0
		if look.Runnable {
			return 0
		}
		return 10 * lookTime
	}
	if look.Timer >= 0 && (alarm == 0 || runtime.PredictTimerNow()+look.Timer < alarm) {
		sleepy = 0
		return untilTimer(look)
	}
	if sleepy++; sleepy < asleep {
		return lookTime
	}
	verdict("deadlock\n" + stuckReport())
	finish(false)
	runtime.PredictDie("fatal error: all goroutines are asleep - deadlock!\n")
	return -1
}

// untilTimer is how long nothing can happen but by the timer that is due next.
func untilTimer(look runtime.PredictState) int64 {
	const least, most = 1_000_000, soon
	return min(max(look.Timer, least), most)
}

// stuckReport says where the goroutines of the tests under control wait.
func stuckReport() string {
	report := ""
	for i, g := range cast {
		if i == maxShown {
			break
		}
		reason, n := "", 0
		if g.handle != nil {
			reason, n = runtime.PredictBlocked(g.handle, framePCs[:])
		}
		if n == 0 {
			continue
		}
		if g.waits != "" {
			reason = "waits for its " + g.waits
		}
		at := userFrame(framePCs[:n])
		report += "blocked " + g.name() + " " + underscored(reason) + " " + at.fn + " " + at.file + ":" + itoa(uint64(at.line)) + "\n"
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
