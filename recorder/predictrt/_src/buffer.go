package predictrt

import (
	"internal/runtime/atomic"
	"runtime"
	"unsafe"
)

// This file has the buffers of events. Hooks write events and definitions into slots. A thread of
// its own writes full slots to the file, in order, while the program fills the next one. The
// program waits for an empty slot if the file is slower than it is, so that memory stays bounded
// however long the run.

// A slot becomes one chunk of definitions of each sort and one chunk of events. It is static
// memory, so that it can be written out on any stack and in any state of the program.
type slot struct {
	definitions [len(definitionKinds)]definitions

	eventBytes int // set when the slot is full
	words      [chunkWords]uint64
}

// The sorts of definitions, in the order in which they are written.
const (
	// testDefinitions are the names of tests, by their numbers.
	testDefinitions = iota
	// siteDefinitions are the sites of events that hooks in the standard library log. Those of the
	// rewriter are known without the trace.
	siteDefinitions
	// goroutineDefinitions are the names of goroutines, with their parents and go statements.
	goroutineDefinitions
	// metaDefinitions are lines of text about the run.
	metaDefinitions
	// definitionKinds are the types of the chunks in the file, see recorder/trace.
	definitionKinds = "NSGM"
)

var (
	slots [numSlots]slot
	// filledSlots counts the slots handed to the writer; the current slot is the next one.
	filledSlots uint32
	// emptiedSlots is equal to filledSlots once the current slot is empty.
	emptiedSlots uint32
	// isFlushing is 1 while flush replaces the current slot, and isEnding from the moment on at
	// which the process ends. Both are read by other threads.
	isFlushing, isEnding uint32

	// nextEvent is the address of the next event. Up to hookLimit there is room for all events of
	// a hook, up to eventLimit for one event.
	nextEvent, hookLimit, eventLimit uintptr
	// lastGoroutine is the number of the goroutine of the last event in the slot.
	lastGoroutine uint32 = noGoroutine
	// lastRecord is the record of that goroutine; nil at first.
	lastRecord *goroutine
	// goroutineSwitches is how often an event was of another goroutine than the one before.
	goroutineSwitches uint
	// fastRecord is the address of the record whose accesses can be logged without further checks:
	// the last event is of this goroutine, which has begun, is not muted and has no part in the
	// schedule.
	fastRecord uintptr = noFastRecord
)

const (
	// noGoroutine is no goroutine's number.
	noGoroutine = 1<<32 - 1
	// noFastRecord is the address of no record, and differs from that of a goroutine without a
	// record, 0.
	noFastRecord = 1
)

// currentSlot returns the slot that is being filled.
func currentSlot() *slot { return &slots[filledSlots%numSlots] }

// emptySlot makes the current slot empty. No goroutine has the turn in it, so that the next event
// names its goroutine: each chunk can be read by itself.
func emptySlot() {
	s := currentSlot()
	for i := range s.definitions {
		s.definitions[i].committed = 0
	}
	nextEvent = uintptr(unsafe.Pointer(&s.words))
	hookLimit = nextEvent + (chunkWords-freedWords-hookWords)*8
	eventLimit = nextEvent + (chunkWords-5)*8
	lastGoroutine, fastRecord, accountStart = noGoroutine, noFastRecord, nextEvent
	emptiedSlots = filledSlots
}

// measureSlot notes how far the current slot is filled, and returns it.
func measureSlot() *slot {
	s := currentSlot()
	s.eventBytes = int(nextEvent - uintptr(unsafe.Pointer(&s.words)))
	return s
}

// flush hands the current slot to the writer, and goes on in the next one.
func flush() {
	runtime.PredictPin()
	atomic.Store(&isFlushing, 1)
	stopIfEnding()
	if isRecording {
		chargeAccount()
		measureSlot()
		filledSlots++
		runtime.PredictHandOver(filledSlots)
		if totalLogged >= logLimit {
			stopRecording()
		} else if filledSlots >= numSlots {
			// The next slot was filled numSlots slots ago, and must be in the file before it is reused.
			runtime.PredictAwaitWritten(filledSlots - numSlots + 1)
		}
	}
	emptySlot()
	stopIfEnding()
	atomic.Store(&isFlushing, 0)
	if isRecording {
		currentAccount.updateDropLevel()
	}
	runtime.PredictUnpin()
}

// stopIfEnding stops the program for good if the handler of a signal, on another thread, is about
// to write the last slot.
func stopIfEnding() {
	for atomic.Load(&isEnding) != 0 {
		atomic.Store(&isFlushing, 0)
		runtime.PredictPause()
	}
}

// makeRoom makes sure that all events of a hook fit into the slot.
func makeRoom() {
	for nextEvent > hookLimit {
		flush()
	}
}

// beginEvents makes the events that follow those of g.
//
//go:nosplit
//go:nocheckptr
func (g *goroutine) beginEvents() {
	if lastGoroutine != g.id {
		chargeAccount()
		if currentAccount != g.account {
			currentAccount = g.account
			accountSwitches++
		}
		if lastRecord != nil {
			lastRecord.polling.countChange()
		}
		lastGoroutine, lastRecord = g.id, g
		goroutineSwitches++
		*(*uint64)(unsafe.Pointer(nextEvent)) = uint64(g.id) << 32
		nextEvent += 8
	}
	fastRecord = noFastRecord // else the one that was would go on logging, now as g
	if g.hasBegun && g.muteDepth == 0 && g.actor == nil && g.account.dropLevel == dropNothing && !g.yieldsToChild && randomSeed == 0 &&
		g.polling.stage == logsRounds {
		fastRecord = uintptr(unsafe.Pointer(g))
	}
}

// An event takes one to four words in a slot. The first word holds, from the low bits up, the
// kind, the form, the flags, 16 bits whose meaning depends on the form, and the site. A word whose
// lower half is zero is no event: its upper half is the number of the goroutine of the events that
// follow.
const (
	// formBare is the form of an event without an object; the 16 bits are the value.
	formBare uint64 = iota << formShift
	// formShort has object and value in one word; the 16 bits are the size.
	formShort
	// formLong has object and value in two words.
	formLong
	// formWide has object, value and size in a word each.
	formWide
	formShift = 6
)

const (
	objectBits = 48
	// Other objects are not logged by the fast path.
	minFastObject = 4096
	maxFastObject = 1 << objectBits
)

// log logs an event, unless it repeats a round of polling or the test's share of the trace is used
// up. makeRoom has made room for it. log is nosplit, so that no other goroutine runs before the
// operation that follows.
//
//go:nosplit
//go:nocheckptr
func (g *goroutine) log(kind, flags uint8, site, size uint32, obj, val uint64) {
	if changesState(kind, flags, val) {
		g.polling.hasChanged = true
	} else {
		g.polling.hashIn(obj ^ val<<8 ^ uint64(kind))
	}
	if g.polling.stage == logsRounds || !g.isRepeated(event{kind, flags, site, size, obj, val, g.actor.takeCounter()}) {
		g.appendEvent(kind, flags, site, size, obj, val)
	}
	g.isComingEventPlanned = false
}

// appendEvent writes an event into the slot, unless the test's share of the trace is used up.
//
//go:nosplit
//go:nocheckptr
func (g *goroutine) appendEvent(kind, flags uint8, site, size uint32, obj, val uint64) {
	if uintptr(unsafe.Pointer(g)) != fastRecord {
		if g.account.drops(kind) {
			return
		}
		g.beginEvents()
	}
	if nextEvent > eventLimit {
		runtime.PredictFatal("a hook has logged more events than it had room for")
	}
	w := (*[4]uint64)(unsafe.Pointer(nextEvent))
	head := uint64(kind) | uint64(flags)<<8 | uint64(site)<<32
	switch {
	case obj == 0 && size == 0 && val < 1<<16:
		w[0] = head | formBare | val<<16
		nextEvent += 1 * 8
	// An object of 2^48 or more, as newObject returns, leaves no room for a value in its word.
	case obj >= maxFastObject || size >= wideSize:
		w[0], w[1], w[2], w[3] = head|formWide, obj, val, uint64(size)
		nextEvent += 4 * 8
	case val < 1<<16:
		w[0], w[1] = head|formShort|uint64(size)<<16, obj|val<<objectBits
		nextEvent += 2 * 8
	default:
		w[0], w[1], w[2] = head|formLong|uint64(size)<<16, obj|val<<objectBits, val>>(64-objectBits)
		nextEvent += 3 * 8
	}
}
