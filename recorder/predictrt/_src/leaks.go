package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file looks at the end of a test for goroutines that it has left. One is a leak
// if nobody who can move can reach what it waits for (as the garbage collector finds what
// cannot be reached).

// Ended is called at the end of a test in its goroutine, after its subtests and cleanups.
// It tells which of the goroutines that the test has started, and that are left, are blocked,
// and whether for ever.
func TestEnded() {
	if Mode == 0 {
		return
	}
	g := current()
	if g == nil || !g.account.hasForked || g.path != "0" && runtime.PredictLookedInto() > subtestSearchLimit {
		return
	}
	if stage == stageOthersRun { // nobody waits for the one that goes last any more
		enterStagePinned(stageFree)
	}
	g.letStartedRun()
	runtime.PredictPin()
	runtime.PredictUnreachable(g.hasLeft, func(rec unsafe.Pointer) { (*goroutine)(rec).recordLeak() })
	if g.path == "0" {
		runtime.PredictBlockedOnes(func(rec unsafe.Pointer) {
			if g.hasLeft(rec) {
				(*goroutine)(rec).recordBlocked(stuckLingering)
			}
		})
	}
	runtime.PredictUnpin()
}

// letStartedRun lets those go on that g has started, at the end of its test.
func (g *goroutine) letStartedRun() {
	const lookEach = 8 // asking for the processor time takes some
	var turns uint32
	var time int64
	for n := 0; runtime.PredictAnyRunnable(g.hasLeft) && runtime.PredictCanPark(); n++ {
		switch {
		case n == 0:
			turns, time = runtime.PredictTurns(), runtime.PredictCPU()
		case runtime.PredictTurns()-turns >= lastTestTurns, n%lookEach == 0 && runtime.PredictCPU()-time >= lastTestTime:
			return
		}
		runtime.PredictGosched()
	}
}

// endsPartly is set where a program is ended although a signal may move some of it; those who
// wait for ever all the same are marked.
var hasBlockedTests bool

// testStuck reports whether a goroutine that runs a test waits for ever whatever may come, a
// signal or a timer, where no goroutine can run; with all, whether each of them does. Others
// that do so are marked then.
func findBlockedTests(all bool) bool {
	if runtime.PredictLookedInto() > subtestSearchLimit {
		return false
	}
	stuck := 0
	runtime.PredictUnreachable(func(rec unsafe.Pointer) bool { return (*goroutine)(rec).runningTest != 0 }, func(rec unsafe.Pointer) { stuck++ })
	if hasBlockedTests = stuck > 0 && (stuck == runningTests || !all); hasBlockedTests {
		runtime.PredictUnreachable(func(rec unsafe.Pointer) bool { return (*goroutine)(rec) != &runtimeGoroutines }, func(rec unsafe.Pointer) {
			(*goroutine)(rec).isBlockedForEver = true
		})
	}
	return hasBlockedTests
}

// isLeftBy reports whether a goroutine is one that g has started, or one of these, and is not
// known to be blocked for ever.
func (g *goroutine) hasLeft(rec unsafe.Pointer) bool {
	h := (*goroutine)(rec)
	return h != &runtimeGoroutines && h != g && h.test == g.test && !h.isKnownLeak &&
		len(h.path) > len(g.path) && stringslite.HasPrefix(h.path, g.path) && h.path[len(g.path)] == '.'
}

// recordLeak tells that g is blocked for ever.
func (g *goroutine) recordLeak() {
	g.isKnownLeak = true
	g.recordBlocked(stuckLeak)
	if verdictFD >= 0 {
		reason, _ := runtime.PredictBlocked(g.inRuntime.G, framePCs[:])
		writeVerdict(g.blockedLine(reason))
	}
}
