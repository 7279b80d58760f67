package predictrt

import (
	"runtime"
	"unsafe"
)

// A trace has a greatest size, and a test that computes all the time reaches it
// within seconds. So that the tests after it are recorded as well, each gets a
// share of what is left when it begins: after a quarter of that its plain
// accesses and branches, which are the bulk, are not logged any more; after
// half of it only the lives of goroutines and tests are.

// account is what one top-level test, with all its goroutines, has logged.
type account struct {
	test string // "" outside of tests
	used uint64 // bytes in slots
	cut  uint8
	// what it has looked at of which no event tells, bit by bit
	unseenNoted uint16
	logged      uint32 // bytes, see Logged
	// forked says that another goroutine of the test runs, or has run, beside one.
	forked bool
}

const (
	cutNothing = iota
	cutAccesses
	cutSync
)

var (
	outside = &account{}
	// whose account the events in the slot since then go to
	payer = outside
	// how often that has changed
	payers uint32
	since  uintptr

	// bytes in slots, of all accounts
	spent uint64
	// recording stops when it is spent
	budget uint64 = 1 << 62
)

// settleAccount books what has been logged.
//
//go:nosplit
func settleAccount() {
	n := uint64(at - since)
	payer.used += n
	spent += n
	since = at
}

// drops reports whether events of a kind are not logged any more.
//
//go:nosplit
func (a *account) drops(kind uint8) bool {
	switch {
	case a.cut == cutNothing || kind == KindFork || kind == KindBegin || kind == KindEnd || kind == KindTestBegin || kind == KindTestEnd:
		return false
	case kind == KindRead || kind == KindWrite || kind == KindBranch || kind == KindAssert || kind == KindOperand || kind == heldKind:
		return true
	}
	return a.cut == cutSync
}

// unlogged reports whether plain accesses, branches and what belongs to them are of no use
// in g by now: they are not logged any more, and nothing asks where g is.
//
//go:nosplit
func (g *goroutine) unlogged() bool {
	return g.account.cut != cutNothing && (g.actor == nil || stage == free) && !g.forked && !byRanks && seed == 0 && g.polling.stage == logsRounds
}

// passesBy notes an access that is not logged. It still tells loops that only look from
// others, and whether a write is the first one.
func (g *goroutine) passesBy(kind uint8, p unsafe.Pointer) {
	if kind != KindRead {
		g.spinAt, g.polling.changed = 0, true
		firstWritePast(p)
		return
	}
	addr := uint64(uintptr(p))
	if g.spinAt != addr {
		g.polling.reads += addr
	}
	g.spin(addr)
}

// weigh looks whether the test has used up its share, and says so in the
// trace. It is called with an empty slot.
func (a *account) weigh() {
	left := budget - spent
	switch {
	case a.cut < cutSync && a.used > left:
		a.cut = cutSync
		writeMeta("cut", "sync", clip(a.test))
	case a.cut < cutAccesses && 3*a.used > left:
		a.cut = cutAccesses
		writeMeta("cut", "accesses", clip(a.test))
	}
}

// noteUnseen says in the trace that the test looks at something of which no event tells.
func (a *account) noteUnseen(what uint8) {
	if a.unseenNoted>>what&1 != 0 || !recording {
		return
	}
	a.unseenNoted |= 1 << what
	runtime.PredictPin()
	writeMeta("unseen", inputs[what].word, clip(a.test))
	runtime.PredictUnpin()
}

// lengthInput is the length of a channel. The other inputs are the arguments of
// runtime.PredictOutsideRead.
const lengthInput = 0

// inputs are what programs read that no event records: the word for each in the trace, and what
// the verdict says of a goroutine that has read it.
var inputs = [...]struct{ word, reason string }{
	lengthInput:                {"length", ""},
	runtime.PredictClock:       {"clock", "; it has read the clock"},
	runtime.PredictFiles:       {"files", "; it has read a file"},
	runtime.PredictNetwork:     {"network", "; it has read from the network"},
	runtime.PredictCrypto:      {"chance", "; it has read from crypto/rand"},
	runtime.PredictEnvironment: {"environment", "; it has read the environment"},
	runtime.PredictGoroutines:  {"goroutines", "; it has asked for the number of goroutines, or their stacks"},
	runtime.PredictResult:      {"result", ""},
	runtime.PredictProcesses:   {"processes", "; it has started a process"},
}

// LooksAtClock is called where a look at the clock returns to pc. The standard library's own
// do not count: package testing looks at it in each test.
func LooksAtClock(pc uintptr) { noteUnseenFrom(pc, runtime.PredictClock) }

// LooksAtResult is called where a look at whether a test has failed returns to pc.
func LooksAtResult(pc uintptr) { noteUnseenFrom(pc, runtime.PredictResult) }

// noteUnseenFrom notes that the program looks at something of which no event tells,
// unless the standard library does so for itself.
func noteUnseenFrom(pc uintptr, what uint8) {
	if Mode == 0 {
		return
	}
	if g := current(); g != nil && g.account.unseenNoted>>what&1 == 0 && !Private(pc) {
		g.account.noteUnseen(what)
	}
}

// readsOutside is called where a goroutine reads what comes from outside of the program.
func readsOutside(what uint8) {
	if what == runtime.PredictClock {
		return // see LooksAtClock
	}
	if g := current(); g != nil {
		g.account.noteUnseen(what)
	}
}

// open gives the top-level test that begins in g an account of its own.
func (g *goroutine) open() {
	g.account = (*account)(runtime.PredictAlloc(unsafe.Sizeof(account{})))
	g.account.test = g.test
	firsts = maxFirsts
	turn, hot = nobody, notHot
}
