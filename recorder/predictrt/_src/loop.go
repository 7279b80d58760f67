package predictrt

import (
	"runtime"
	"unsafe"
)

// loops is how often in a row goroutines may call runtime.Gosched, while none
// computes, until they are taken to wait for what does not come; and so many times
// as often if they do change something meanwhile.
const (
	loops    = 2000
	changing = 5
)

// looped is how many calls there were in a row since the schedule has moved.
var looped int

// gosched is called before a goroutine gives way of its own will. A loop that
// does so waits for something that others do, and while the gate holds those it
// would never end.
func gosched() {
	if stage != following || len(parked) == 0 {
		return
	}
	g := current()
	if g == nil {
		return
	}
	g.gosched = true
	looped++
	if looped%loops != 0 || !nothingChanged() && looped%(changing*loops) != 0 || !runtime.PredictCanPark() {
		return
	}
	runtime.PredictPin()
	look := runtime.PredictLook()
	if look.Outside || look.Timer >= 0 && look.Timer <= soon {
		runtime.PredictUnpin()
		runtime.PredictSleep(pollTime) // watch decides
		return
	}
	blocked := stuckReport()
	leave("no goroutine can go on but in loops" + missing())
	verdict(blocked)
	runtime.PredictUnpin()
}

// computes is called when g has done many operations since it gave way last.
func (g *goroutine) computes() {
	if !g.gosched {
		looped = 0
	}
	g.gosched = false
}

// rest lets others run. While the gate holds some, a goroutine that does nothing
// but look whether something has changed sleeps: then watch is called once all do
// so or wait, and decides whether that can still come.
func rest() {
	if stage == following && len(parked) > 0 && nothingChanged() {
		runtime.PredictSleep(pollTime)
	} else {
		runtime.PredictGosched()
	}
}

// pollTime is how long, in nanoseconds: the schedule may stand still for a hundred
// rests and more, so that reading much is not taken for polling.
const pollTime = 5_000_000

// The events that nothingChanged has seen: up to this place in the slot, when it
// was filled for this time.
var (
	seen    uintptr
	seenLap uint32
)

// nothingChanged reports whether the events since it was called last, of all
// goroutines, have left everything as it was: reads, attempts that have failed, and
// critical sections in which there are no others. Of those before the current slot
// it knows nothing.
//
//go:nocheckptr
func nothingChanged() bool {
	from := uintptr(unsafe.Pointer(&slotNow().words))
	if seenLap == laps {
		from = seen
	}
	seen, seenLap = at, laps
	for from < seen {
		head := *(*uint64)(unsafe.Pointer(from))
		if kind := uint8(head & (1<<formShift - 1)); kind != None && changes(kind, uint8(head>>8), from) {
			return false
		}
		from += 8 * uintptr(head>>formShift&3+1)
	}
	return true
}

// changes reports whether the event at a place in the slot could be what another
// goroutine waits for.
//
//go:nocheckptr
func changes(kind, flags uint8, event uintptr) bool {
	switch kind {
	case Read, AtomicLoad, Acquire, RAcquire, Release, RRelease, RegionBegin, RegionEnd,
		Branch_, Assert_, Operand_, Select, SelectSend, freedKind, heldKind:
		return false
	case AtomicRMW:
		return flags&flagFailed == 0
	case SelectDone: // 0 stands for the default
		return *(*uint64)(unsafe.Pointer(event))>>16&(1<<16-1) != 0
	}
	return true
}
