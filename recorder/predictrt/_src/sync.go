package predictrt

import (
	"runtime"
	"unsafe"
)

// This file has the hooks of package sync, and of timers. An operation passes the gate where it
// begins (Begin), and its event is logged when it is done.

// An Op is an operation of package sync that has begun.
type Op struct {
	g    *goroutine // nil: nothing is logged
	obj  uint64
	site uint32
	kind uint8
}

// Begin is called before an operation on the object at p whose event comes after it. It waits for
// the operation's turn in the schedule.
func Begin(kind uint8, p unsafe.Pointer, pc uintptr) Op {
	if Mode == 0 {
		return Op{}
	}
	g := current()
	if g == nil {
		return Op{}
	}
	site := siteOf(pc)
	g.beforeOperation(kind, site, uint64(uintptr(p)))
	g.actor.awaitTurn(kind, site, uint64(uintptr(p)))
	return g.beginOperation(kind, p, site)
}

// Try is Begin for an operation that may fail: to try it is no progress.
func Try(kind uint8, p unsafe.Pointer, pc uintptr) Op {
	if Mode == 0 {
		return Op{}
	}
	g := current()
	if g == nil {
		return Op{}
	}
	site := siteOf(pc)
	if g.loopTurns.isOver(kind, site) {
		g.yieldToAll()
	}
	g.actor.awaitTurn(kind, site, uint64(uintptr(p)))
	return g.beginOperation(kind, p, site)
}

// beginOperation notes that the goroutine may block in an operation, whose event comes when it is
// done.
func (g *goroutine) beginOperation(kind uint8, p unsafe.Pointer, site uint32) Op {
	g.prepareOperation()
	g.blockingOp = blockingOperation{uint64(uintptr(p)), site, kind, runtime.PredictClockNow()}
	return Op{g, uint64(uintptr(p)), site, kind}
}

// BeginOnce is Begin for Once.Do, which may or may not call the function.
func BeginOnce(p unsafe.Pointer, pc uintptr) Op {
	g := current()
	if g == nil {
		return Op{}
	}
	site := siteOf(pc)
	g.beforeOperation(KindOnceBegin, site, 0)
	if !g.actor.awaitTurn(KindOnceBegin, site, uint64(uintptr(p))) {
		g.actor.awaitTurn(KindOnceDone, site, uint64(uintptr(p)))
	}
	return g.beginOperation(KindOnceBegin, p, site)
}

// Log logs the operation's event.
func (op Op) Log(val uint64) { op.LogNext(op.kind, val) }

// LogNext logs a further event of the operation.
func (op Op) LogNext(kind uint8, val uint64) { op.logEvent(kind, 0, val) }

// logEvent logs an event of the operation, with flags.
func (op Op) logEvent(kind, flags uint8, val uint64) {
	g := op.g
	if g == nil {
		return
	}
	g.actor.pass(kind, op.site, op.obj, 0, nil)
	g.prepareOperation()
	g.loopTurns.countLock(kind)
	g.log(kind, flags, op.site, 0, op.obj, val)
}

// An OwnRandom has the random state that a goroutine gets back after SeedBySite.
type OwnRandom struct {
	g     *goroutine
	state runtime.PredictGoroutine
}

// SeedBySite gives the goroutine random numbers that depend on the operation's site only, until
// Restore. Which goroutine is the first to call Once.Do must not change what it draws later.
func (op Op) SeedBySite() OwnRandom {
	if op.g == nil {
		return OwnRandom{}
	}
	a := OwnRandom{op.g, op.g.inRuntime}
	op.g.inRuntime.Seed(keyFor(op.site))
	return a
}

// Restore gives the goroutine its own random numbers back.
func (a OwnRandom) Restore() {
	if a.g != nil {
		a.state.LastInput = a.g.inRuntime.LastInput
		a.g.inRuntime = a.state
	}
}

// LogTried logs the event if the operation has succeeded.
func (op Op) LogTried(ok bool) {
	switch {
	case op.g == nil:
	case ok:
		op.g.lastReadObject = 0
		op.logEvent(op.kind, flagTry, 0)
	default:
		op.g.countLook(op.obj, true)
		op.g.actor.noteFailedAttempt(op.kind, op.site)
	}
}

// Log logs an operation on the object at p that is about to happen.
func Log(kind uint8, p unsafe.Pointer, val uint64, pc uintptr) {
	if Mode == 0 {
		return
	}
	obj := uint64(uintptr(p))
	if g, site := enterAt(kind, obj, pc); g != nil {
		g.loopTurns.countLock(kind)
		g.log(kind, 0, site, 0, obj, val)
	}
}

// Signal logs Cond.Signal. The two counters are the condition's next ticket, and the next ticket
// to be woken.
func Signal(p unsafe.Pointer, wait, notify *uint32, pc uintptr) {
	if Mode == 0 {
		return
	}
	obj := uint64(uintptr(p))
	if g, site := enterAt(KindCondSignal, obj, pc); g != nil {
		var val uint64
		if *wait != *notify {
			val = uint64(*notify) + 1
		}
		g.log(KindCondSignal, 0, site, 0, obj, val)
	}
}

// Broadcast logs Cond.Broadcast.
func Broadcast(p unsafe.Pointer, wait, notify *uint32, pc uintptr) {
	if Mode == 0 {
		return
	}
	obj := uint64(uintptr(p))
	if g, site := enterAt(KindCondBroadcast, obj, pc); g != nil {
		g.log(KindCondBroadcast, 0, site, *wait-*notify, obj, uint64(*notify))
	}
}

// A MuteState is a goroutine's state before Mute or Unmute.
type MuteState struct {
	g     *goroutine
	depth int
}

// Mute drops the running goroutine's events until Restore.
func Mute() MuteState {
	g := (*goroutine)(runtime.PredictRecord())
	if g == nil {
		if g = adoptGoroutine(); g == nil {
			return MuteState{}
		}
	}
	m := MuteState{g, g.muteDepth}
	g.muteDepth++
	fastRecord = noFastRecord
	return m
}

// BeginMuted is Begin for an operation that is muted inside, until LogMuted.
func BeginMuted(kind uint8, p unsafe.Pointer, pc uintptr) Op {
	op := Begin(kind, p, pc)
	Mute()
	return op
}

// LogMuted ends what BeginMuted has begun, and logs the operation's event.
func (op Op) LogMuted() {
	if g := (*goroutine)(runtime.PredictRecord()); g != nil {
		g.muteDepth--
	}
	op.Log(0)
}

// Unmute lets the events of a function of the program through that an operation calls, until
// Restore.
func Unmute() MuteState {
	if Mode == 0 {
		return MuteState{}
	}
	g := (*goroutine)(runtime.PredictRecord())
	if g == nil {
		return MuteState{}
	}
	m := MuteState{g, g.muteDepth}
	if g != &runtimeGoroutines && g.muteDepth > 0 {
		g.muteDepth--
	}
	return m
}

// Restore ends what Mute or Unmute has begun.
func Restore(m MuteState) {
	if m.g != nil {
		m.g.muteDepth = m.depth
	}
}
