package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file searches for leaks at the end of a test: goroutines that the test has started, and
// that are blocked for ever. A goroutine is blocked for ever if no goroutine that can run can
// reach what it waits for. The garbage collector finds what is not reachable in the same way.

// TestEnded is called at the end of a test in its goroutine, after its subtests and cleanups. It
// records which goroutines that the test has started are blocked, and which of them for ever.
func TestEnded() {
	if Mode == 0 {
		return
	}
	endTimerRounds()
	g := current()
	if g == nil || !g.account.hasForked || g.path != "0" && runtime.PredictVisited() > subtestSearchLimit {
		return
	}
	if stage == stageOthersRun || stage == stageBlocking { // those that go last may go now
		enterStage(stageFree)
	}
	g.letStartedRun()
	if isShortRun && g.path == "0" && stage == stageFree {
		// Where goroutines block when their timers have fired, nobody waits any more.
		g.passTime(maxLastTestTimers, func(*goroutine) bool { return true })
		g.recordTurning()
	}
	runtime.PredictPin()
	runtime.PredictBlockedForEver(g.hasLeft, func(rec unsafe.Pointer) { (*goroutine)(rec).recordLeak() })
	if g.path == "0" {
		runtime.PredictEachWaiting(func(rec unsafe.Pointer) {
			if g.hasLeft(rec) {
				(*goroutine)(rec).recordBlocked(stuckLingering)
			}
		})
	}
	runtime.PredictUnpin()
}

// passTime lets time pass, until up to n timers have fired that goroutines wait for which g has started
// and for which waits is true. It is for runs in which time passes at once.
func (g *goroutine) passTime(n int, waits func(*goroutine) bool) {
	for passed := int64(0); n > 0 && runtime.PredictCanPark(); n-- {
		left := int64(-1)
		runtime.PredictEachWaiting(func(rec unsafe.Pointer) {
			h := (*goroutine)(rec)
			if d, ok := h.timeoutLeft(); ok && g.hasLeft(rec) && waits(h) && (left < 0 || d < left) {
				left = d
			}
		})
		if passed += left; left < 0 || passed > maxTimerWait {
			return
		}
		g.sleep(left + 1)
		g.letStartedRun()
	}
}

// letStartedRun lets the goroutines run that g has started, for a bounded time.
func (g *goroutine) letStartedRun() {
	const lookEach = 8 // to read the processor time is a system call
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

// recordTurning records as leaks the goroutines that g has started and that turn round for ever: only
// timers of their own wake them, in a select whose other channels nothing else can reach. Before that,
// time passes for them, at once, so that those which make a few attempts more come to their end.
func (g *goroutine) recordTurning() {
	abandoned := 0
	runtime.PredictPin()
	runtime.PredictAbandoned(g.hasLeft, func(rec unsafe.Pointer) {
		(*goroutine)(rec).turns.isAbandoned = true
		abandoned++
	})
	runtime.PredictUnpin()
	if abandoned == 0 || !runtime.PredictAlone() {
		return
	}
	g.passTime(lastTestTurns, func(h *goroutine) bool {
		if !h.turns.isAbandoned {
			return false
		}
		h.turns.count(h.blockingOp)
		return h.turns.n < minTurns
	})
	runtime.PredictPin()
	runtime.PredictAbandoned(func(rec unsafe.Pointer) bool {
		h := (*goroutine)(rec)
		return g.hasLeft(rec) && h.turns.n >= minTurns && h.turns.at.site == h.blockingOp.site
	}, func(rec unsafe.Pointer) {
		h := (*goroutine)(rec)
		h.turns.isEndless = true
		h.recordLeak()
	})
	runtime.PredictUnpin()
}

// turns counts how often in a row a goroutine has come to the same select.
type turns struct {
	n           int
	at          blockingOperation // the last time
	isAbandoned bool              // only timers, and what it reaches itself, can end its waits
	isEndless   bool              // and it has come back often enough
}

// count counts op, in which the goroutine waits, unless it has waited there before.
func (t *turns) count(op blockingOperation) {
	switch {
	case op == t.at:
		return
	case op.site != t.at.site:
		t.n = 0
	}
	t.n, t.at = t.n+1, op
}

// hasBlockedTests is set where the program is ended because tests are blocked for ever, although a
// signal or a timer might let other goroutines run. Goroutines that are blocked for ever have
// isBlockedForEver then.
var hasBlockedTests bool

// findBlockedTests reports whether a goroutine that runs a test is blocked for ever; with all,
// whether each of them is. It is for when no goroutine can run, and what may come, a signal or a
// timer, does not reach them. Then it sets isBlockedForEver of all goroutines that are blocked for
// ever.
func findBlockedTests(all bool) bool {
	if runtime.PredictVisited() > subtestSearchLimit {
		return false
	}
	stuck := 0
	runtime.PredictBlockedForEver(func(rec unsafe.Pointer) bool { return (*goroutine)(rec).runningTest != 0 }, func(rec unsafe.Pointer) { stuck++ })
	if hasBlockedTests = stuck > 0 && (stuck == runningTests || !all); hasBlockedTests {
		runtime.PredictBlockedForEver(func(rec unsafe.Pointer) bool { return (*goroutine)(rec) != &runtimeGoroutines }, func(rec unsafe.Pointer) {
			(*goroutine)(rec).isBlockedForEver = true
		})
	}
	return hasBlockedTests
}

// hasLeft reports whether the goroutine with a record was started by g or a descendant of g, and
// is not known as a leak.
func (g *goroutine) hasLeft(rec unsafe.Pointer) bool {
	h := (*goroutine)(rec)
	return h != &runtimeGoroutines && h != g && h.test == g.test && !h.isKnownLeak &&
		len(h.path) > len(g.path) && stringslite.HasPrefix(h.path, g.path) && h.path[len(g.path)] == '.'
}

// recordLeak records that g is blocked for ever.
func (g *goroutine) recordLeak() {
	g.isKnownLeak = true
	g.recordBlocked(stuckLeak)
	if verdictFD >= 0 {
		reason, _ := runtime.PredictBlocked(g.inRuntime.G, framePCs[:])
		writeVerdict(g.blockedLine(reason))
	}
}
