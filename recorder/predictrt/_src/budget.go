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
	test        string // "" outside of tests
	bytesLogged uint64 // bytes in slots
	dropLevel   uint8
	// what it has looked at of which no event tells, bit by bit
	inputsNoted uint16
	outputBytes uint32 // bytes, see Logged
	// forked says that another goroutine of the test runs, or has run, beside one.
	hasForked bool
}

const (
	dropNothing = iota
	dropAccesses
	dropSync
)

var (
	outsideTests = &account{}
	// whose account the events in the slot since then go to
	currentAccount = outsideTests
	// how often that has changed
	accountSwitches uint32
	accountStart    uintptr

	// bytes in slots, of all accounts
	totalLogged uint64
	// recording stops when it is spent
	logLimit uint64 = 1 << 62
)

// settleAccount books what has been logged.
//
//go:nosplit
func chargeAccount() {
	n := uint64(nextEvent - accountStart)
	currentAccount.bytesLogged += n
	totalLogged += n
	accountStart = nextEvent
}

// drops reports whether events of a kind are not logged any more.
//
//go:nosplit
func (a *account) drops(kind uint8) bool {
	switch {
	case a.dropLevel == dropNothing || kind == KindFork || kind == KindBegin || kind == KindEnd || kind == KindTestBegin || kind == KindTestEnd:
		return false
	case kind == KindRead || kind == KindWrite || kind == KindBranch || kind == KindAssert || kind == KindOperand || kind == kindInitialValue:
		return true
	}
	return a.dropLevel == dropSync
}

// unlogged reports whether plain accesses, branches and what belongs to them are of no use
// in g by now: they are not logged any more, and nothing asks where g is.
//
//go:nosplit
func (g *goroutine) skipsAccesses() bool {
	return g.account.dropLevel != dropNothing && (g.actor == nil || stage == stageFree) && !g.yieldsToChild && !hasRanks && randomSeed == 0 && g.polling.stage == logsRounds
}

// passesBy notes an access that is not logged. It still tells loops that only look from
// others, and whether a write is the first one.
func (g *goroutine) noteSkippedAccess(kind uint8, p unsafe.Pointer) {
	if kind != KindRead {
		g.lastReadObject, g.polling.hasChanged = 0, true
		noteFirstWrite(p)
		return
	}
	addr := uint64(uintptr(p))
	if g.lastReadObject != addr {
		g.polling.readHash += addr
	}
	g.countRead(addr)
}

// weigh looks whether the test has used up its share, and says so in the
// trace. It is called with an empty slot.
func (a *account) updateDropLevel() {
	left := logLimit - totalLogged
	switch {
	case a.dropLevel < dropSync && a.bytesLogged > left:
		a.dropLevel = dropSync
		writeMeta("cut", "sync", clip(a.test))
	case a.dropLevel < dropAccesses && 3*a.bytesLogged > left:
		a.dropLevel = dropAccesses
		writeMeta("cut", "accesses", clip(a.test))
	}
}

// noteUnseen says in the trace that the test looks at something of which no event tells.
func (a *account) noteInput(what uint8) {
	if a.inputsNoted>>what&1 != 0 || !isRecording {
		return
	}
	a.inputsNoted |= 1 << what
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
func ReadsClock(pc uintptr) { noteInputAt(pc, runtime.PredictClock) }

// LooksAtResult is called where a look at whether a test has failed returns to pc.
func ReadsResult(pc uintptr) { noteInputAt(pc, runtime.PredictResult) }

// noteUnseenFrom notes that the program looks at something of which no event tells,
// unless the standard library does so for itself.
func noteInputAt(pc uintptr, what uint8) {
	if Mode == 0 {
		return
	}
	if g := current(); g != nil && g.account.inputsNoted>>what&1 == 0 && !IsPrivate(pc) {
		g.account.noteInput(what)
	}
}

// readsOutside is called where a goroutine reads what comes from outside of the program.
func readsInput(what uint8) {
	if what == runtime.PredictClock {
		return // see LooksAtClock
	}
	if g := current(); g != nil {
		g.account.noteInput(what)
	}
}

// open gives the top-level test that begins in g an account of its own.
func (g *goroutine) openAccount() {
	g.account = (*account)(runtime.PredictAlloc(unsafe.Sizeof(account{})))
	g.account.test = g.test
	initialValuesLeft = maxInitialValues
	lastGoroutine, fastRecord = noGoroutine, noFastRecord
}
