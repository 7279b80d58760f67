package predictrt

import (
	"internal/runtime/atomic"
	"runtime"
	"unsafe"
)

// Events and definitions are gathered in slots, which a thread of its own
// writes to the file, in order, while the program goes on in the next one. The
// program waits for a slot if the file is slower than it is: the memory is
// bounded whatever the length of the run.

// slot is what becomes one chunk of events, and the definitions before it. It
// is static memory, so that it can be written out on any stack and in any
// state of the program.
type slot struct {
	definitions [len(definitionKinds)]definitions

	eventBytes int // of the events in bytes
	words      [chunkWords]uint64
}

// The definitions, in the order in which they are written.
const (
	// testDefs are the names of tests, by their numbers.
	testDefinitions = iota
	// siteDefs are the places of events that the standard library's hooks log: the
	// rewriter's own are known without the trace.
	siteDefinitions
	// goDefs are the names of goroutines, with their parents and go statements.
	goroutineDefinitions
	// metaDefs are lines of text about the run.
	metaDefinitions
	// defKinds are the chunks' types, as recorder/trace has them.
	definitionKinds = "NSGM"
)

var (
	slots [numSlots]slot
	// slots that are full, handed to the writer; the current one is the next
	filledSlots uint32
	// as filled, once the current slot is empty and can be filled
	emptiedSlots uint32
	// handing is 1 while the current slot is neither here nor there, and ending
	// from the moment on at which the process ends.
	isFlushing, isEnding uint32

	// The place of the next event, the last one where a hook finds room, and the
	// last one where an event fits.
	nextEvent, hookLimit, eventLimit uintptr
	// turn is the goroutine of the last event in the slot.
	lastGoroutine uint32 = noGoroutine
	// lastTurn is its record, or nil.
	lastRecord *goroutine
	// turnsTaken is how often the events of another goroutine than before have begun.
	goroutineSwitches uint
	// hot is the record of the goroutine whose accesses can be logged without
	// further ado: the last event is its own, it has begun, is not muted and
	// has no part in the schedule.
	fastRecord uintptr = noFastRecord
)

const (
	noGoroutine = 1<<32 - 1
	// no record, and no g without a record either
	noFastRecord = 1
)

// slotNow is the slot that is being filled.
func currentSlot() *slot { return &slots[filledSlots%numSlots] }

// rewind makes the current slot empty.
func emptySlot() {
	s := currentSlot()
	for i := range s.definitions {
		s.definitions[i].committed = 0
	}
	nextEvent = uintptr(unsafe.Pointer(&s.words))
	hookLimit = nextEvent + (chunkWords-freedWords-roomWords)*8
	eventLimit = nextEvent + (chunkWords-5)*8
	lastGoroutine, fastRecord, accountStart = noGoroutine, noFastRecord, nextEvent
	emptiedSlots = filledSlots
}

// seal notes how far the current slot is filled.
func measureSlot() *slot {
	s := currentSlot()
	s.eventBytes = int(nextEvent - uintptr(unsafe.Pointer(&s.words)))
	return s
}

// flush hands the current slot over and goes on in the next one.
func flush() {
	runtime.PredictPin()
	atomic.Store(&isFlushing, 1)
	stopIfEnding()
	if isRecording {
		chargeAccount()
		measureSlot()
		filledSlots++
		runtime.PredictHand(filledSlots)
		if totalLogged >= logLimit {
			stopRecording()
		} else if filledSlots >= numSlots {
			runtime.PredictAwait(filledSlots - numSlots + 1)
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

// stopAtEnd stops the program for good if the handler of a signal, on another
// thread, is about to write what there is.
func stopIfEnding() {
	for atomic.Load(&isEnding) != 0 {
		atomic.Store(&isFlushing, 0)
		runtime.PredictPause()
	}
}

// room makes sure that the events of one hook fit into the slot.
func makeRoom() {
	for nextEvent > hookLimit {
		flush()
	}
}

// takeTurn says that the events that follow are g's.
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

// An event takes one to four words in a slot. The first one holds, from the low
// bits up, the kind, the form, the flags, 16 bits of the form's choice and the
// site. One whose lower half is zero is no event: its upper half is the
// goroutine of the events that follow.
const (
	// formBare is that of an event without an object; the 16 bits are the value.
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
	objBits = 48
	// Objects outside of these bounds are looked at more closely.
	minObj = 4096
	maxObj = 1 << objBits
)

// log appends an event, unless the test's share of the trace is used up. room
// has made place for it.
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
	g.hasPassedGate = false
}

// append is log for what is to be in the trace.
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
	case obj >= maxObj || size >= wideSize:
		w[0], w[1], w[2], w[3] = head|formWide, obj, val, uint64(size)
		nextEvent += 4 * 8
	case val < 1<<16:
		w[0], w[1] = head|formShort|uint64(size)<<16, obj|val<<objBits
		nextEvent += 2 * 8
	default:
		w[0], w[1], w[2] = head|formLong|uint64(size)<<16, obj|val<<objBits, val>>(64-objBits)
		nextEvent += 3 * 8
	}
}
