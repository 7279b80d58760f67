package predictrt

import (
	"runtime"
	"unsafe"
)

// This file shares the size of a trace among tests. The size has a limit, which a test that
// computes all the time reaches within seconds. So that the tests after it are recorded as well,
// each gets a share of what is left when it begins. After a quarter of that share, plain accesses
// and branches, which are most events, are not logged any more. After half of it, only the
// beginnings and ends of goroutines and tests are.

// An account counts what one top-level test, with all its goroutines, has logged.
type account struct {
	test        string // "" outside of tests
	bytesLogged uint64 // events in slots
	dropLevel   uint8  // which events are not logged any more
	isQuiet     bool   // the trace does not say so yet, see noteTimerRound
	// inputsNoted has a bit for each input that the trace says the test has read, see inputs.
	inputsNoted uint16
	outputBytes uint32 // lines in the trace that the test has printed, see TestOutput
	// hasForked says that the test has, or has had, a second goroutine, or will if a timer fires.
	hasForked bool
}

// The values of account.dropLevel.
const (
	dropNothing  = iota
	dropAccesses // plain accesses, branches, assertions and operands
	dropSync     // all but the beginnings and ends of goroutines and tests
)

var (
	// outsideTests is the account of goroutines that belong to no test.
	outsideTests = &account{}
	// currentAccount is charged for the events from accountStart on.
	currentAccount = outsideTests
	// accountSwitches is how often currentAccount has changed.
	accountSwitches uint32
	// accountStart is the address in the slot up to which events are charged.
	accountStart uintptr

	// totalLogged is the bytes of events in slots, of all accounts.
	totalLogged uint64
	// logLimit is the value of totalLogged at which recording stops.
	logLimit uint64 = 1 << 62
)

// chargeAccount charges the current account for the events since accountStart.
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

// skipsAccesses reports whether hooks of plain accesses, branches and operands need do nothing in
// g: their events are not logged any more, and neither a schedule, an order nor the detection of
// polling needs them.
//
//go:nosplit
func (g *goroutine) skipsAccesses() bool {
	return g.account.dropLevel != dropNothing && (g.actor == nil || stage == stageFree) && !g.yieldsToChild && !hasRanks && randomSeed == 0 && g.polling.stage == logsRounds
}

// noteSkippedAccess does what an access that is not logged still has to: it counts reads and
// writes for the detection of loops that poll, and notes first writes.
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

// updateDropLevel raises the drop level if the test has used up its share, and says so in the
// trace. The slot must be empty.
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

// noteInput says in the trace that the test reads an input, once for each kind of input.
func (a *account) noteInput(what uint8) {
	if a.inputsNoted>>what&1 != 0 || !isRecording {
		return
	}
	a.inputsNoted |= 1 << what
	runtime.PredictPin()
	writeMeta("unseen", inputs[what].word, clip(a.test))
	runtime.PredictUnpin()
}

// lengthInput stands for the length of a channel. The other inputs are the arguments of
// runtime.PredictReadInput.
const lengthInput = 0

// inputs are what programs read without an event that has the value: the word for each in the
// trace, and what the verdict says of a goroutine that has read it.
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
	runtime.PredictMapOrder:    {"maps", ""},
	runtime.PredictRandom:      {"random", ""},
	runtime.PredictProcessors:  {"processors", ""},
	runtime.PredictPooled:      {"pools", ""},
}

// ReadsClock is called where the program reads the clock and returns to pc. Reads by the standard
// library itself do not count: package testing reads the clock in each test.
func ReadsClock(pc uintptr) { noteInputAt(runtime.PredictClock, pc) }

// ReadsResult is called where the program asks whether a test has failed, and returns to pc.
func ReadsResult(pc uintptr) { noteInputAt(runtime.PredictResult, pc) }

// ReadsMapOrder is called where the program begins to range over a map with several elements, and
// returns to pc.
func ReadsMapOrder(pc uintptr) { noteInputAt(runtime.PredictMapOrder, pc) }

// ReadsPool is called where the program gets what a pool has kept, and returns to pc.
func ReadsPool(pc uintptr) { noteInputAt(runtime.PredictPooled, pc) }

// noteInputAt notes that the program reads an input, unless the standard library reads it for
// itself.
func noteInputAt(input uint8, pc uintptr) {
	if Mode == 0 {
		return
	}
	if g := current(); g != nil && g.account.inputsNoted>>input&1 == 0 && !IsPrivate(pc) && (input != runtime.PredictMapOrder || !isSorted(pc)) {
		g.account.noteInput(input)
	}
}

// readsInput is called where a goroutine reads what comes from outside of the program.
func readsInput(input uint8) {
	if input == runtime.PredictClock {
		return // see LooksAtClock
	}
	if g := current(); g != nil {
		g.account.noteInput(input)
	}
}

// openAccount gives the top-level test that begins in g an account of its own.
func (g *goroutine) openAccount() {
	g.account = (*account)(runtime.PredictAlloc(unsafe.Sizeof(account{})))
	g.account.test = g.test
	initialValuesLeft = maxInitialValues
	lastGoroutine, fastRecord = noGoroutine, noFastRecord
}
