package predictrt

import (
	"runtime"
	"unsafe"
)

// patient is how often those that a test has started, and that can run, go before the
// test's end is judged: that they had no turn yet must not be taken for being stuck.
const patient = 64

// forSubtests is how many objects are looked into at the ends of all subtests together, which
// takes some three seconds. What they leave behind then is looked for at their test's end:
// what nobody can reach, nobody can reach later on.
const forSubtests = 1 << 26

// Ended is called at the end of a test in its goroutine, after its subtests and cleanups.
// It tells which of the goroutines that the test has started, and that are left, are blocked,
// and whether for ever.
func Ended() {
	if Mode == 0 {
		return
	}
	g := current()
	if g == nil || !g.account.forked || g.path != "0" && runtime.PredictLookedInto() > forSubtests {
		return
	}
	if stage == othersGo { // nobody waits for the one that goes last any more
		g.setStage(free)
	}
	for range patient {
		if !runtime.PredictAnyRunnable(g.left) || !runtime.PredictCanPark() {
			break
		}
		runtime.PredictGosched()
	}
	runtime.PredictPin()
	runtime.PredictUnreachable(g.left, func(rec unsafe.Pointer) { (*goroutine)(rec).leaks() })
	if g.path == "0" {
		runtime.PredictBlockedOnes(func(rec unsafe.Pointer) {
			if g.left(rec) {
				(*goroutine)(rec).tellStuck(stuckLingering)
			}
		})
	}
	runtime.PredictUnpin()
}

// partly is set where a program is ended although a signal may move some of it; those who
// wait for ever all the same are marked.
var partly bool

// mayGoOn reports whether a signal may let g go on, in a program that is ended.
func (g *goroutine) mayGoOn() bool { return partly && !g.forEver }

// testStuck reports whether a goroutine that runs a test waits for ever whatever signal may
// come, where nothing else can move the program.
func testStuck() bool {
	if runtime.PredictLookedInto() > forSubtests {
		return false
	}
	runtime.PredictUnreachable(func(rec unsafe.Pointer) bool { return (*goroutine)(rec) != &deaf }, func(rec unsafe.Pointer) {
		g := (*goroutine)(rec)
		g.forEver = true
		partly = partly || g.testing != 0
	})
	return partly
}

// left reports whether a goroutine is one that g has started, or one of these, and is not
// known to be blocked for ever.
func (g *goroutine) left(rec unsafe.Pointer) bool {
	h := (*goroutine)(rec)
	return h != &deaf && h != g && h.test == g.test && !h.leaked &&
		len(h.path) > len(g.path) && hasPrefix(h.path, g.path) && h.path[len(g.path)] == '.'
}

// leaks tells that g is blocked for ever.
func (g *goroutine) leaks() {
	g.leaked = true
	g.tellStuck(stuckLeak)
	if verdictFD >= 0 {
		reason, _ := runtime.PredictBlocked(g.chance.G, framePCs[:])
		verdict(g.stuckIn(reason))
	}
}
