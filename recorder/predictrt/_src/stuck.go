package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file says of a goroutine that is blocked in which operation it is, and by that whether
// it is a deadlock, a leak, or merely waits.

// blocking is an operation in which a goroutine may block.
type blockingOperation struct {
	// as in the operation's event
	obj  uint64
	site uint32
	kind uint8
	// when it began, as runtime.PredictClockNow tells
	since int64
}

// blocks reports whether a goroutine that waits for a reason of the runtime's waits in op.
func (op blockingOperation) blocks(reason string) bool {
	switch reason {
	case "chan receive", "chan receive (nil chan)":
		return op.kind == KindRecv
	case "chan send", "chan send (nil chan)":
		return op.kind == KindSend
	case "select", "select (no cases)":
		return op.kind == KindSelect
	case "sync.Cond.Wait":
		return op.kind == KindCondWait
	case "sync.WaitGroup.Wait":
		return op.kind == KindWaitGroupWait
	case "sync.Mutex.Lock", "sync.RWMutex.Lock":
		return op.kind == KindAcquire || op.kind == KindOnceBegin
	case "sync.RWMutex.RLock":
		return op.kind == KindRAcquire
	}
	return false
}

// What is known of a goroutine that is blocked, as the trace names it.
const (
	// stuckDeadlock is for ever, as nothing in the program can move any more.
	stuckDeadlock = "deadlock"
	// stuckLeak is for ever, as nobody who can move can reach what the goroutine waits for.
	stuckLeak = "leak"
	// stuckLingering is of a goroutine that somebody may wake yet: it is no bug that is proven.
	stuckLingering = "lingering"
)

// recordBlocked writes to the trace that g is blocked, in which operation, for how long, its
// stack, and which call of the program's own led to its start elsewhere.
func (g *goroutine) recordBlocked(what string) {
	reason, n := runtime.PredictBlocked(g.inRuntime.G, framePCs[:])
	op := g.blockingOp
	if !isRecording || !op.blocks(reason) || waitsForTests(framePCs[:n]) {
		return
	}
	writeMeta("stuck", what+" "+itoa(uint64(g.id))+" "+itoa(uint64(op.kind))+" "+itoa(uint64(op.site))+" "+
		hex(op.obj)+" "+itoa(uint64(max(0, runtime.PredictClockNow()-op.since))))
	told := 0
	for _, pc := range framePCs[:n] {
		runtime.PredictFrames(pc, true, func(fn, file string, line int) bool {
			if !isMachinery(fn, file) && told < maxFrames {
				writeMeta("frame", clip(fn)+"\t"+clip(file)+"\t"+itoa(uint64(line)))
				told++
			}
			return false
		})
	}
	if g.requestSite != 0 {
		s := &callSites[g.requestSite]
		writeMeta("asked", clip(s.fn)+"\t"+clip(s.file)+"\t"+itoa(uint64(s.line)))
	}
}

// waitsForTests reports whether a stack is that of package testing, which waits for a
// test to end, or to be its turn.
func waitsForTests(pcs []uintptr) bool {
	inside := false
	for _, pc := range pcs {
		own := false
		runtime.PredictFrames(pc, true, func(fn, _ string, _ int) bool {
			own, inside = stringslite.HasPrefix(fn, "runtime.") || stringslite.HasPrefix(fn, "sync.") || stringslite.HasPrefix(fn, "internal/"), stringslite.HasPrefix(fn, "testing.")
			return false
		})
		if !own {
			return inside
		}
	}
	return false
}

// writeMeta adds a line to what the trace says of the run: words, with a space between
// each two.
func writeMeta(words ...string) {
	size := len(words)
	for _, w := range words {
		size += len(w)
	}
	d := startDefinition(metaDefinitions, size)
	for i, w := range words {
		if i > 0 {
			d.text(" ")
		}
		d.text(w)
	}
	d.text("\n")
	d.commit()
}

// stuckIn is the verdict's line that tells in which operation of its own g is blocked
// for ever; "" if it is in none. reason is the runtime's.
func (g *goroutine) blockedLine(reason string) string {
	op := g.blockingOp
	if !op.blocks(reason) {
		return ""
	}
	return "stuck " + g.fullName() + " " + itoa(uint64(op.kind)) + " " + itoa(keyFor(op.site)) + " " + hex(op.obj) + "\n"
}

// Dying is called before a program is ended in which nothing can move, with the tests
// that have not ended, subtests after their parents: it prints what they have logged.
var PrintBeforeDeath func(tests []unsafe.Pointer)

// runningTests is how many goroutines run a test.
var runningTests int

// Runs says that the running goroutine runs a test.
func RunsTest(test unsafe.Pointer) {
	if Mode == 0 {
		return
	}
	if g := current(); g != nil {
		g.runningTest = uintptr(test)
		runningTests++
	}
}

// deadlocked ends the program, in which nothing can move any more.
func endDeadlocked() {
	if verdictFD >= 0 {
		writeVerdict("deadlock\n" + blockedReport(true))
	}
	var tests []unsafe.Pointer
	runtime.PredictBlockedOnes(func(rec unsafe.Pointer) {
		g := (*goroutine)(rec)
		if g == &runtimeGoroutines {
			return
		}
		if hasBlockedTests && !g.isBlockedForEver {
			g.recordBlocked(stuckLingering)
		} else {
			g.recordBlocked(stuckDeadlock)
		}
		if g.runningTest != 0 {
			tests = append(tests, *(*unsafe.Pointer)(unsafe.Pointer(&g.runningTest)))
		}
	})
	if PrintBeforeDeath != nil {
		PrintBeforeDeath(tests)
	}
	finish(false)
	runtime.PredictDie("fatal error: all goroutines are asleep - deadlock!\n")
}

// timeIsOver ends the program, in which nothing can move before its time is over, as that would.
func endTimedOut() {
	finish(false)
	runtime.PredictDie("panic: test timed out after less time than the tests have\n")
}
