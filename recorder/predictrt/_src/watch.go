package predictrt

import "runtime"

const (
	soon     = 1_000_000_000 // a timer that is due later moves nothing
	patience = 2_000_000_000 // for timers and I/O that move nothing we control
	lookTime = 10_000_000
	maxShown = 32
)

var (
	seenHappenings uint64
	quietSince     int64
	framePCs       [64]uintptr
)

// watch is called when no goroutine can run. It leaves the schedule if
// nothing can come any more; for its result see runtime.PredictWatch.
func watch() int64 {
	if stage == free {
		return -1
	}
	look := runtime.PredictLook()
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
			return 0
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
		return -1
	}
	blocked := stuckReport()
	leave("no goroutine can go on")
	verdict(blocked)
	return -1
}

// stuckReport says where the goroutines of the schedule wait.
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
