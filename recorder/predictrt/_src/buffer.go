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
	defs [len(defKinds)]defs

	size  int // of the events in bytes
	words [chunkWords]uint64
}

// The definitions, in the order in which they are written.
const (
	// testDefs are the names of tests, by their numbers.
	testDefs = iota
	// siteDefs are the places of events that the standard library's hooks log: the
	// rewriter's own are known without the trace.
	siteDefs
	// goDefs are the names of goroutines, with their parents and go statements.
	goDefs
	// metaDefs are lines of text about the run.
	metaDefs
	// defKinds are the chunks' types, as recorder/trace has them.
	defKinds = "NSGM"
)

var (
	slots [numSlots]slot
	// slots that are full, handed to the writer; the current one is the next
	filled uint32
	// as filled, once the current slot is empty and can be filled
	filling uint32
	// handing is 1 while the current slot is neither here nor there, and ending
	// from the moment on at which the process ends.
	handing, ending uint32

	// The place of the next event, the last one where a hook finds room, and the
	// last one where an event fits.
	at, limit, full uintptr
	// turn is the goroutine of the last event in the slot.
	turn uint32 = nobody
	// lastTurn is its record, or nil.
	lastTurn *goroutine
	// turnsTaken is how often the events of another goroutine than before have begun.
	turnsTaken uint
	// hot is the record of the goroutine whose accesses can be logged without
	// further ado: the last event is its own, it has begun, is not muted and
	// has no part in the schedule.
	hot uintptr = notHot
)

const (
	nobody = 1<<32 - 1
	// no record, and no g without a record either
	notHot = 1
)

// slotNow is the slot that is being filled.
func slotNow() *slot { return &slots[filled%numSlots] }

// rewind makes the current slot empty.
func rewind() {
	s := slotNow()
	for i := range s.defs {
		s.defs[i].n = 0
	}
	at = uintptr(unsafe.Pointer(&s.words))
	limit = at + (chunkWords-freedWords-roomWords)*8
	full = at + (chunkWords-5)*8
	turn, hot, since = nobody, notHot, at
	filling = filled
}

// seal notes how far the current slot is filled.
func seal() *slot {
	s := slotNow()
	s.size = int(at - uintptr(unsafe.Pointer(&s.words)))
	return s
}

// flush hands the current slot over and goes on in the next one.
func flush() {
	runtime.PredictPin()
	atomic.Store(&handing, 1)
	stopAtEnd()
	if recording {
		settleAccount()
		seal()
		filled++
		runtime.PredictHand(filled)
		if spent >= budget {
			stopRecording()
		} else if filled >= numSlots {
			runtime.PredictAwait(filled - numSlots + 1)
		}
	}
	rewind()
	stopAtEnd()
	atomic.Store(&handing, 0)
	if recording {
		payer.weigh()
	}
	runtime.PredictUnpin()
}

// stopAtEnd stops the program for good if the handler of a signal, on another
// thread, is about to write what there is.
func stopAtEnd() {
	for atomic.Load(&ending) != 0 {
		atomic.Store(&handing, 0)
		runtime.PredictPause()
	}
}

// room makes sure that the events of one hook fit into the slot.
func room() {
	for at > limit {
		flush()
	}
}

// takeTurn says that the events that follow are g's.
//
//go:nosplit
//go:nocheckptr
func (g *goroutine) takeTurn() {
	if turn != g.id {
		settleAccount()
		if payer != g.account {
			payer = g.account
			payers++
		}
		if lastTurn != nil {
			lastTurn.polling.settle()
		}
		turn, lastTurn = g.id, g
		turnsTaken++
		*(*uint64)(unsafe.Pointer(at)) = uint64(g.id) << 32
		at += 8
	}
	hot = notHot // else the one that was would go on logging, now as g
	if g.begun && g.mute == 0 && g.actor == nil && g.account.cut == cutNothing && !g.forked && seed == 0 &&
		g.polling.stage == logsRounds {
		hot = uintptr(unsafe.Pointer(g))
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
	if alters(kind, flags, val) {
		g.polling.changed = true
	} else {
		g.polling.fold(obj ^ val<<8 ^ uint64(kind))
	}
	if g.polling.stage == logsRounds || !g.isRepeated(event{kind, flags, site, size, obj, val, g.actor.counter()}) {
		g.append(kind, flags, site, size, obj, val)
	}
	g.letGo = false
}

// append is log for what is to be in the trace.
//
//go:nosplit
//go:nocheckptr
func (g *goroutine) append(kind, flags uint8, site, size uint32, obj, val uint64) {
	if uintptr(unsafe.Pointer(g)) != hot {
		if g.account.drops(kind) {
			return
		}
		g.takeTurn()
	}
	if at > full {
		runtime.PredictFatal("a hook has logged more events than it had room for")
	}
	w := (*[4]uint64)(unsafe.Pointer(at))
	head := uint64(kind) | uint64(flags)<<8 | uint64(site)<<32
	switch {
	case obj == 0 && size == 0 && val < 1<<16:
		w[0] = head | formBare | val<<16
		at += 1 * 8
	case obj >= maxObj || size >= wideSize:
		w[0], w[1], w[2], w[3] = head|formWide, obj, val, uint64(size)
		at += 4 * 8
	case val < 1<<16:
		w[0], w[1] = head|formShort|uint64(size)<<16, obj|val<<objBits
		at += 2 * 8
	default:
		w[0], w[1], w[2] = head|formLong|uint64(size)<<16, obj|val<<objBits, val>>(64-objBits)
		at += 3 * 8
	}
}
