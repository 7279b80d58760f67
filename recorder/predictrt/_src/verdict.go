package predictrt

import (
	"internal/strconv"
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file writes the verdict, from which the replayer judges the replay: how far the schedule
// was followed, where and why the run has left it, and whether the violation was reached.

var verdictFD = -1 // file descriptor; -1 if there is no replay

// startVerdict opens the file of the verdict.
func startVerdict(path string) {
	verdictFD = runtime.PredictFile(path + "\x00")
	if verdictFD < 0 {
		runtime.PredictFatal("cannot create the verdict " + path)
	}
}

// writeVerdict writes a line to the verdict, at once: the process may be killed at any time.
func writeVerdict(line string) {
	runtime.PredictWrite(verdictFD, unsafe.Pointer(unsafe.StringData(line)), len(line))
}

// writeSteps writes how far the schedule was followed.
func writeSteps() {
	writeVerdict("steps " + itoa(uint64(nextStep)) + " " + itoa(uint64(numSteps)) + "\n")
}

// writeStand writes which access of the violation a is about to do, with its value and atomic
// region. From these the replayer shows what conflicts, and checks that accesses of an atomicity
// violation are in one region.
func writeStand(a *actor) {
	s := a.pending
	val := "-"
	if s.hasValue {
		val = itoa(s.value)
	}
	writeSteps()
	writeVerdict("stand " + a.g.fullName() + " " + hex(s.object) + " " + itoa(uint64(s.size)) + " " + itoa(uint64(s.kind)) + " " + val + " " + itoa(uint64(s.region)) + "\n")
}

// writeMisused writes that the operation of the violation is a misuse, which the running goroutine
// finds out inside, where package sync is muted. A later misuse is not the violation's.
func writeMisused() {
	g := (*goroutine)(runtime.PredictRecord())
	if g != nil && g.actor != nil && stage == stageFirstAccess && g.actor.isViolator() && verdictFD >= 0 {
		writeVerdict("misused " + g.fullName() + "\n")
	}
}

// finishVerdict is called at the end of the process, maybe on a stack where nothing can be
// allocated.
func finishVerdict(orderly bool) {
	if verdictFD < 0 || !orderly {
		return
	}
	if stage == stageFollowing {
		writeSteps()
	}
	writeVerdict("end\n")
	verdictFD = -1
}

// describeEvent describes the event that the running goroutine is about to do.
func describeEvent(kind uint8, site uint32) string {
	if site == 0 {
		return "its " + words[kind]
	}
	at := callSite{}
	if site&(1<<31) == 0 {
		at = callSites[site]
	} else {
		var pcs [32]uintptr
		n := runtime.Callers(1, pcs[:])
		at = userFrame(pcs[:n])
	}
	return words[kind] + " " + base(at.file) + ":" + itoa(uint64(at.line))
}

// callerFrame returns the first frame that is neither of the machinery nor of the packages that
// most blocking calls go through. If there is none, it returns the first frame that is not of the
// machinery.
func callerFrame(pcs []uintptr) callSite {
	for i := range pcs {
		if at := userFrame(pcs[i : i+1]); at.fn != "?" && !waitsForOthers(at.fn) {
			return at
		}
	}
	return userFrame(pcs)
}

// waitsForOthers reports whether a function belongs to a package that waits on behalf of its
// callers.
func waitsForOthers(fn string) bool {
	for _, p := range [...]string{"internal/", "syscall.", "os.", "os/", "io.", "net.", "net/", "bufio.", "context.", "time."} {
		if stringslite.HasPrefix(fn, p) {
			return true
		}
	}
	return false
}

// userFrame returns the first frame that is not of the machinery.
func userFrame(pcs []uintptr) callSite {
	var at callSite
	for _, pc := range pcs {
		runtime.PredictFrames(pc, true, func(fn, file string, line int) bool {
			if !isMachinery(fn, file) {
				at = callSite{fn: fn, file: file, line: line}
			}
			return false
		})
		if at.fn != "" {
			return at
		}
	}
	return callSite{fn: "?", file: "?"}
}

// stepName returns what reasons call a step of the plan: its number, from 1.
func stepName(step int) string { return "step " + itoa(uint64(step+1)) }

// ordinal returns "1st", "2nd" and so on, for reasons.
func ordinal(n uint32) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return itoa(uint64(n)) + suffix
}

// hex returns n in hexadecimal.
func hex(n uint64) string { return strconv.FormatUint(n, 16) }
