package predictrt

import (
	"internal/strconv"
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file has the records of goroutines, their names, and the events of their beginnings and
// ends. A name is the path of the spawns, so that it is the same in each run, whatever the order
// of events.

// A goroutine is the record of one goroutine; the runtime's g points to it. Records are memory of
// our own, because the program may count what it allocates. The garbage collector does not look
// into them, so that what they point to is kept alive elsewhere.
type goroutine struct {
	// inRuntime is what the runtime uses of the record; it must be first.
	inRuntime runtime.PredictGoroutine
	id        uint32 // number in the trace
	parent    uint32 // number of the goroutine that has started it; its own if none has
	origin
	test string
	goName
	offspring
	hasBegun bool
	// calls is the finalizer, the cleanup or the function of a timer that it calls; nil means none.
	calls *lateCall
	// muteDepth is positive while events are dropped.
	muteDepth int
	// yieldsToChild says that it has started a goroutine, which is to run first.
	yieldsToChild bool
	// randomStream decides when it lets others run, see followOrder.
	randomStream randomStream
	pending      pendingOperation // see waitForRank
	account      *account
	// isKnownLeak says that the trace has it as a leak.
	isKnownLeak      bool
	isBlockedForEver bool // see findBlockedTests
	// runningTest is the address of the test that it runs, for package testing.
	runningTest uintptr

	pace
	polling polling
	inside  libraryAccesses

	// blockingOp is the last operation that it may block in.
	blockingOp blockingOperation
	turns      turns // see recordTurning
	// actor is its part in the schedule; nil means none.
	actor *actor
	// isComingEventPlanned says that the schedule expects the coming event.
	isComingEventPlanned bool
	gateSema             runtime.PredictSemaphore
	// waitReason is what it waits for at the gate, "" if it does not wait there. If it waits,
	// heldItem is the planned event that holds it, and heldEventKind the kind of the coming event.
	waitReason    string
	heldItem      plannedEvent
	heldEventKind uint8
	// selectHasDefault is about its last select.
	selectHasDefault bool
	// isReleasedEarly says that it goes on although the schedule holds it, see beforeTimer.
	isReleasedEarly bool
	// nextUnused links the records in unusedRecords.
	nextUnused *goroutine
}

// An origin says where a goroutine was started, by sites; 0 means that there is none.
type origin struct {
	goSite uint32 // of the go statement
	// programGoSite is goSite if the go statement is in the program's own packages. Otherwise
	// requestSite is that of their call that led to the go statement.
	programGoSite uint32
	requestSite   uint32
}

// A goName is the path of a goroutine's spawns.
type goName struct {
	path   string // in buffer
	buffer []byte
}

// An offspring counts what a goroutine has started, for the names of that.
type offspring struct {
	children  int
	finals    int // finalizers and cleanups that it has attached
	byLibrary *libraryChildren
}

// A pace says when a goroutine lets others run.
type pace struct {
	// lastReadObject is the address of the last plain read if no other event has followed, and
	// sameReads the number of such reads in a row: see countRead.
	lastReadObject   uint64
	sameReads        uint
	operations       int // since it last let others run
	loopTurns        loopTurns
	hasCalledGosched bool // since it last let others run
	sleepsForLibrary bool // in a sleep that is not the program's
}

// A libraryChildren counts the goroutines that a function of the standard library has started for
// its own purposes, called by one goroutine.
type libraryChildren struct {
	starter string // names the function, see callSite.starter
	count   int
	next    *libraryChildren
}

var (
	goroutines        uint32                // number of records that were ever made
	rootGoroutines    int                   // number of goroutines that nothing in the program has started
	unusedRecords     *goroutine            // list of records of goroutines that have ended
	runtimeGoroutines goroutine             // stands for all goroutines of the runtime itself
	testRuns          = map[string]int{}    // by name, number of runs of a top-level test
	testNames         = map[string]uint32{} // numbers of tests in the trace, by name
)

// fullName returns g's name in a schedule.
func (g *goroutine) fullName() string {
	if g.test == "" {
		return g.path
	}
	return g.test + ":" + g.path
}

// current returns the record of the running goroutine; nil if nothing is to be logged here.
func current() *goroutine {
	g := (*goroutine)(runtime.PredictRecord())
	if g == nil {
		g = adoptGoroutine()
	}
	if g == nil || g.muteDepth > 0 {
		return nil
	}
	if !g.hasBegun {
		g.begin()
	}
	return g
}

// adoptGoroutine makes the record of a goroutine that was started without one.
func adoptGoroutine() *goroutine {
	goid, user, system := runtime.PredictWho()
	if !user {
		return nil
	}
	if system {
		runtimeGoroutines.muteDepth = 1
		runtimeGoroutines.inRuntime.Rank = highestRank
		runtime.PredictSetRecord(unsafe.Pointer(&runtimeGoroutines))
		return &runtimeGoroutines
	}
	runtime.PredictPin()
	g := newGoroutine()
	g.parent = g.id
	if c := (*lateCall)(runtime.PredictCallOf()); c != nil {
		g.goSite, g.test, g.account, g.calls = c.site, c.test, c.account, c
		c.nameRun(g)
	} else if goid == 1 {
		g.setPath("main")
	} else {
		rootGoroutines++
		g.setPath("outside")
		g.addPath(".", rootGoroutines)
	}
	g.define()
	runtime.PredictSetRecord(unsafe.Pointer(g))
	runtime.PredictUnpin()
	return g
}

// newGoroutine returns an empty record with a new number. It reuses the records of goroutines that
// have ended, and their memory, as the garbage collector has no part in that.
func newGoroutine() *goroutine {
	g := unusedRecords
	if g != nil {
		unusedRecords = g.nextUnused
		// A count of 0 marks an entry as free, see countLibraryChild.
		for b := g.byLibrary; b != nil; b = b.next {
			b.count = 0
		}
		*g = goroutine{
			goName: goName{buffer: g.buffer}, offspring: offspring{byLibrary: g.byLibrary},
			polling: polling{round: g.polling.round}, inside: g.inside,
		}
	} else {
		g = (*goroutine)(runtime.PredictAlloc(unsafe.Sizeof(goroutine{})))
	}
	g.id, g.account = goroutines, outsideTests
	goroutines++
	return g
}

// setPath copies path, whose memory may be the program's or another record's.
func (name *goName) setPath(path string) {
	name.reserve(len(path))
	name.path = unsafe.String(unsafe.SliceData(name.buffer), copy(name.buffer, path))
}

// addPath appends a separator and a number to the path.
func (name *goName) addPath(sep string, n int) {
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], uint64(n), 10)
	name.addText(sep)
	name.addText(unsafe.String(unsafe.SliceData(digits), len(digits)))
}

// addText appends a text to the path.
func (name *goName) addText(text string) {
	old := name.path
	name.reserve(len(old) + len(text))
	copy(name.buffer, old)
	copy(name.buffer[len(old):], text)
	name.path = unsafe.String(unsafe.SliceData(name.buffer), len(old)+len(text))
}

// reserve makes room for a path of n bytes.
func (name *goName) reserve(n int) {
	if n > len(name.buffer) {
		n = max(2*n, 32)
		name.buffer = unsafe.Slice((*byte)(runtime.PredictAlloc(uintptr(n))), n)
	}
}

// define writes g's name into the trace, and finds its part in the schedule. Its random numbers
// follow from its name.
func (g *goroutine) define() {
	name := hashed(hashed(fnvOffset, g.test), g.path)
	g.inRuntime.Seed(name)
	g.randomStream = randomStream(name ^ randomSeed)
	g.drawRank()
	if isRecording {
		test, path := clip(g.test), clip(g.path)
		d := startDefinition(goroutineDefinitions, len(test)+len(path))
		d.u32(g.id)
		d.u32(g.parent)
		d.u32(g.goSite)
		d.str(test)
		d.str(path)
		d.commit()
	}
	g.bindActor()
}

// childNumber returns what is appended to g's path for the next goroutine that it starts at a
// site. Those that the program starts are numbered in order. Those that the standard library
// starts for itself have numbers of their own for each function that does so. What ran before
// decides whether there are any, as for a connection that is kept open, and no name of another
// goroutine may depend on that.
func (o *offspring) childNumber(site uint32) (sep string, n int) {
	if by := callSites[site].starter; by != "" {
		return by, o.countLibraryChild(by)
	}
	o.children++
	return ".", o.children
}

// countLibraryChild counts a goroutine that a function of the standard library starts. The memory
// is never freed, but reused together with the record.
func (o *offspring) countLibraryChild(by string) int {
	free := (*libraryChildren)(nil)
	for b := o.byLibrary; b != nil; b = b.next {
		switch {
		case b.count == 0:
			free = b
		case b.starter == by:
			b.count++
			return b.count
		}
	}
	if free == nil {
		free = (*libraryChildren)(runtime.PredictAlloc(unsafe.Sizeof(libraryChildren{})))
		free.next, o.byLibrary = o.byLibrary, free
	}
	free.starter, free.count = by, 1
	return 1
}

// fork is called before a go statement takes effect, and returns the record of the new goroutine.
func fork(pc uintptr) unsafe.Pointer {
	g, site := enterAt(KindFork, 0, pc)
	if g == nil {
		return nil
	}
	runtime.PredictPin()
	g.account.endQuiet()
	child := newGoroutine()
	child.parent, child.goSite, child.test, child.account = g.id, site, g.test, g.account
	if !stringslite.HasPrefix(callSites[site].fn, "testing.") { // package testing waits for those that it starts
		g.account.hasForked = true
		hasForkedOutsideTests = hasForkedOutsideTests || g.test == ""
	}
	switch ours := lookup(pc).programSite; ours {
	case noProgramSite, foreignSite:
		child.requestSite = g.programSite()
	default:
		child.programGoSite = ours
	}
	child.setPath(g.path)
	child.addPath(g.childNumber(site))
	child.define()
	g.log(KindFork, 0, site, 0, uint64(child.id), 0)
	if childFirst {
		g.yieldsToChild, fastRecord = true, noFastRecord
	}
	runtime.PredictUnpin()
	return unsafe.Pointer(child)
}

// begin logs the first event of a goroutine.
func (g *goroutine) begin() {
	g.hasBegun = true
	g.inRuntime.G = runtime.PredictG()
	g.actor.pass(KindBegin, 0, 0, 0, nil)
	makeRoom()
	g.log(KindBegin, 0, 0, 0, 0, 0)
	if g.calls != nil {
		g.calls.logOrder(g)
		g.calls = nil
	}
}

// end logs the last event of the running goroutine. Its record can be reused, except in a replay,
// whose schedule may still name it.
func end() {
	g := enter(KindEnd, 0)
	if g != nil {
		g.account.endQuiet()
		g.log(KindEnd, 0, 0, 0, 0, 0)
		fastRecord = noFastRecord
		g.exitSchedule()
		if g.runningTest != 0 {
			runningTests--
		}
		g.polling.countChange()
		if actors == nil { // otherwise the schedule may still name it
			g.nextUnused, unusedRecords = unusedRecords, g
		}
	}
}

// TestBegin is called when a test, subtest or fuzz target begins in the running goroutine.
func TestBegin(name string) {
	if Mode == 0 || name == "" {
		return
	}
	g := current()
	if g == nil {
		return
	}
	top := stringslite.IndexByte(name, '/') < 0 && g.test == "" // otherwise it is a bubble (testing/synctest) of the test
	if top && EmptyPools != nil {
		EmptyPools()
	}
	runtime.PredictPin()
	if top {
		runtime.PredictStartTest()
		g.test, g.children = ownCopy(name), 0
		n := testRuns[name] + 1
		testRuns[g.test] = n
		if n > 1 {
			g.test = appendNumber(name, "#", n)
		}
		g.setPath("0")
		g.define()
		g.openAccount()
	}
	obj := testNumber(name)
	runtime.PredictUnpin()
	if enter(KindTestBegin, 0) != nil {
		g.log(KindTestBegin, 0, 0, 0, obj, 0)
	}
	if top {
		runtime.PredictNewTinyBlock()
	}
}

// TestEnd is called when the test function has returned.
func TestEnd(name string, failed *bool) {
	if Mode == 0 || name == "" {
		return
	}
	if g := enter(KindTestEnd, 0); g != nil {
		var val uint64
		if *failed {
			val = 1
		}
		runtime.PredictPin()
		obj := testNumber(name)
		runtime.PredictUnpin()
		makeRoom()
		g.log(KindTestEnd, 0, 0, 0, obj, val)
	}
}

// testNumber returns the number of a test's name in the trace.
func testNumber(name string) uint64 {
	n, ok := testNames[name]
	if !ok {
		n = uint32(len(testNames))
		testNames[ownCopy(name)] = n
		if isRecording {
			s := clip(name)
			d := startDefinition(testDefinitions, len(s))
			d.u32(n)
			d.str(s)
			d.commit()
		}
	}
	return uint64(n)
}

// ownCopy returns a copy of s in memory of our own, which the garbage collector does not free.
func ownCopy(s string) string {
	if s == "" {
		return ""
	}
	b := unsafe.Slice((*byte)(runtime.PredictAlloc(uintptr(len(s)))), len(s))
	return unsafe.String(&b[0], copy(b, s))
}

// itoa returns n in decimal.
func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

// appendNumber returns a name, a separator and a number.
func appendNumber(name, sep string, n int) string { return name + sep + itoa(uint64(n)) }
