package predictrt

import (
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file describes goroutines that are blocked: in which operation, and whether that is a
// deadlock, a leak, or only a wait.

// A blockingOperation is an operation in which a goroutine may block.
type blockingOperation struct {
	obj       uint64 // as in the operation's event
	site      uint32
	kind      uint8
	startTime int64 // when it began, by runtime.PredictClockNow
}

// blocks reports whether a goroutine whose wait reason in the runtime is reason is blocked in op.
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

// The states of blocked goroutines, as the trace names them.
const (
	// stuckDeadlock is blocked for ever, as no goroutine of the program can run any more.
	stuckDeadlock = "deadlock"
	// stuckLeak is blocked for ever, as no goroutine that can run can reach what it waits for.
	stuckLeak = "leak"
	// stuckLingering may still be woken: no bug is proven.
	stuckLingering = "lingering"
)

// recordBlocked writes into the trace that g is blocked, in which operation, for how long, its
// stack, and the program's call that led to its start.
func (g *goroutine) recordBlocked(what string) {
	reason, n := runtime.PredictBlocked(g.inRuntime.G, framePCs[:])
	op := g.blockingOp
	if !isRecording || !op.blocks(reason) || waitsForTests(framePCs[:n]) {
		return
	}
	runtime.PredictPin()
	defer runtime.PredictUnpin()
	writeMeta("stuck", what+" "+itoa(uint64(g.id))+" "+itoa(uint64(op.kind))+" "+itoa(uint64(op.site))+" "+
		hex(op.obj)+" "+itoa(uint64(max(0, runtime.PredictClockNow()-op.startTime))))
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
	if g.turns.isEndless {
		writeMeta("turns", "timers")
	}
}

// waitsForTests reports whether a stack is that of package testing, which waits for a test to end
// or to get its turn.
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

// writeMeta adds a line of words about the run to the trace, separated by spaces.
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

// blockedLine returns the verdict's line about the operation in which g is blocked for ever; "" if
// it is in none. reason is the runtime's wait reason.
func (g *goroutine) blockedLine(reason string) string {
	op := g.blockingOp
	if !op.blocks(reason) {
		return ""
	}
	return "stuck " + g.fullName() + " " + itoa(uint64(op.kind)) + " " + itoa(keyFor(op.site)) + " " + hex(op.obj) + "\n"
}

// PrintBeforeDeath is called before a program is ended in which no goroutine can run. It prints
// what tests have logged that have not ended; subtests come after their parents. Package testing
// sets it.
var PrintBeforeDeath func(tests []unsafe.Pointer)

// runningTests counts the goroutines that run a test.
var runningTests int

// RunsTest notes that the running goroutine runs a test.
func RunsTest(test unsafe.Pointer) {
	if Mode == 0 {
		return
	}
	if g := current(); g != nil {
		g.runningTest = uintptr(test)
		runningTests++
	}
}

// eachWaitingTest calls visit for each goroutine that runs a test and waits.
func eachWaitingTest(visit func(g *goroutine)) {
	runtime.PredictEachWaiting(func(rec unsafe.Pointer) {
		if g := (*goroutine)(rec); g.runningTest != 0 {
			visit(g)
		}
	})
}

// endDeadlocked ends the program, in which no goroutine can run any more.
func endDeadlocked() {
	if verdictFD >= 0 {
		writeVerdict("deadlock\n" + blockedReport(true))
	}
	var tests []unsafe.Pointer
	runtime.PredictEachWaiting(func(rec unsafe.Pointer) {
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
