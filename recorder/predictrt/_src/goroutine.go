package predictrt

import (
	"internal/strconv"
	"internal/stringslite"
	"runtime"
	"unsafe"
)

// This file has the records of goroutines, their names, and the events of their lives. A name
// is the path of its spawns, so that it is the same in each run, whatever the order of events.

// goroutine is the record of one goroutine; the runtime's g points to it. It is
// memory of our own: the tested program may count what it allocates. The garbage
// collector does not look into it, so what it points to is kept elsewhere.
type goroutine struct {
	// chance is the runtime's part, which must be first.
	inRuntime runtime.PredictChance
	id        uint32
	parent    uint32
	origin
	test string
	goName
	offspring
	hasBegun bool
	// final is the finalizer or cleanup that it calls; nil: none.
	finalizer *finalizerCall
	// mute is positive while events are dropped.
	muteDepth int
	// forked says that it has started a goroutine, which is to go first.
	yieldsToChild bool
	// randomStream decides when it gives way, see byOrder.
	randomStream randomStream
	pending      operation // see byRank
	account      *account
	// knownLeak says that the trace has it as a leak.
	isKnownLeak      bool
	isBlockedForEver bool // see testStuck
	// testing is the test that it runs, for package testing.
	runningTest uintptr

	pace
	polling polling
	inside  insideAccesses

	// op is the last operation that it has begun.
	blockingOp blockingOperation
	// actor is its part in the schedule; nil: none.
	actor *actor
	// letGo says that the schedule has let the coming event go.
	hasPassedGate bool
	gateSema      runtime.PredictSema
	// waitsFor is what it waits for at the gate, "" if it does not wait there; then heldBy
	// is the part of the schedule that keeps it.
	waitReason string
	heldItem   plannedEvent
	// heldAt is the kind of event that it is about to do at the gate.
	heldEventKind uint8
	// selectHasDefault is about its last select.
	selectHasDefault bool
	// releasedEarly says that it goes on though it is to be held, see beforeTimer.
	isReleasedEarly bool
	// nextUnused is the next record in the list of unused ones.
	nextUnused *goroutine
}

// origin says where a goroutine was started, by sites.
type origin struct {
	goSite uint32 // of the go statement
	// the same, if it is one of the program's own packages
	programGoSite uint32
	// else: of the call of one of these that led to the go statement
	requestSite uint32
}

// goName is the path of a goroutine's spawns.
type goName struct {
	path   string // in room
	buffer []byte
}

// offspring counts what a goroutine has started, for the names of that.
type offspring struct {
	children int
	// finalizers and cleanups that it has attached
	finals    int
	byLibrary *libraryChildren
}

// pace is when a goroutine gives way to others.
type pace struct {
	// A goroutine that reads one place again and again spins, and must let
	// others run.
	lastReadObject uint64
	sameReads      uint
	// operations since it last gave way
	operations int
	loopTurns  loopTurns
	// it has called runtime.Gosched since it gave way last
	hasCalledGosched bool
	// it sleeps where the program does not
	sleepsForLibrary bool
}

// behind counts the goroutines that a function of the standard library has started for its
// own purposes, in the name of the goroutine that has called it.
type libraryChildren struct {
	starter string // see callSite.by
	count   int
	next    *libraryChildren
}

var (
	// number of goroutines that have a record
	goroutines uint32
	// those that nothing in the program has started
	rootGoroutines int
	// records of goroutines that have ended
	unusedRecords *goroutine
	// stands for all of the runtime's own goroutines
	runtimeGoroutines goroutine
	testRuns          = map[string]int{}
	// keeps the names that records point to
	recordedTests []string
	testNames     = map[string]uint32{}
)

// fullName is what the schedule calls g.
func (g *goroutine) fullName() string {
	if g.test == "" {
		return g.path
	}
	return g.test + ":" + g.path
}

// current returns the record of the running goroutine, or nil if nothing is
// to be logged here.
func current() *goroutine {
	g := (*goroutine)(runtime.PredictSelf())
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

// adopt makes the record of a goroutine that has been started without one.
func adoptGoroutine() *goroutine {
	goid, user, system := runtime.PredictWho()
	if !user {
		return nil
	}
	if system {
		runtimeGoroutines.muteDepth = 1
		runtimeGoroutines.inRuntime.Rank = highestRank
		runtime.PredictSetSelf(unsafe.Pointer(&runtimeGoroutines))
		return &runtimeGoroutines
	}
	runtime.PredictPin()
	g := newGoroutine()
	g.parent = g.id
	if f := (*finalizerCall)(runtime.PredictFinal()); f != nil {
		g.goSite, g.test, g.account, g.finalizer = f.site, f.test, f.account, f
		g.setPath(f.path)
	} else if goid == 1 {
		g.setPath("main")
	} else {
		rootGoroutines++
		g.setPath("outside")
		g.addPath(".", rootGoroutines)
	}
	g.define()
	runtime.PredictSetSelf(unsafe.Pointer(g))
	runtime.PredictUnpin()
	return g
}

// newGoroutine returns an empty record with a number of its own. Records of goroutines
// that have ended are used again, with the memory that they have: none of it is the
// garbage collector's.
func newGoroutine() *goroutine {
	g := unusedRecords
	if g != nil {
		unusedRecords = g.nextUnused
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

// setPath copies path, which may be memory of the program or of another record.
func (name *goName) setPath(path string) {
	name.reserve(len(path))
	name.path = unsafe.String(unsafe.SliceData(name.buffer), copy(name.buffer, path))
}

// addPath appends a separator and a number to the path.
func (name *goName) addPath(sep string, n int) {
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], uint64(n), 10)
	old := name.path
	name.reserve(len(old) + len(sep) + len(digits))
	copy(name.buffer, old)
	copy(name.buffer[len(old):], sep)
	copy(name.buffer[len(old)+len(sep):], digits)
	name.path = unsafe.String(unsafe.SliceData(name.buffer), len(old)+len(sep)+len(digits))
}

// reserve makes room for a path of n bytes.
func (name *goName) reserve(n int) {
	if n > len(name.buffer) {
		n = max(2*n, 32)
		name.buffer = unsafe.Slice((*byte)(runtime.PredictAlloc(uintptr(n))), n)
	}
}

// define writes g's names to the trace and finds its part in the schedule. Its
// random numbers follow from its name.
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

// numberOf returns what the path of the next goroutine that g starts at a site has
// after its own. Those that the program starts are numbered in their order. Those that
// the standard library starts for itself have numbers of their own for each function
// that does so: whether a timer warns of slow entropy, or a connection is there
// already, depends on what ran before, and is to change no other goroutine's name.
func (o *offspring) childNumber(site uint32) (sep string, n int) {
	if by := callSites[site].starter; by != "" {
		return by, o.countLibraryChild(by)
	}
	o.children++
	return ".", o.children
}

// count counts what a function of the standard library starts. Its memory is never
// freed, but used again by the next goroutine that has the record.
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

// fork is called before a go statement takes effect.
func fork(pc uintptr) unsafe.Pointer {
	g, site := enterAt(KindFork, 0, pc)
	if g == nil {
		return nil
	}
	runtime.PredictPin()
	child := newGoroutine()
	child.parent, child.goSite, child.test, child.account = g.id, site, g.test, g.account
	if !stringslite.HasPrefix(callSites[site].fn, "testing.") { // which waits for those that it starts
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

// begin logs a goroutine's first event.
func (g *goroutine) begin() {
	g.hasBegun = true
	g.inRuntime.G = runtime.PredictG()
	g.actor.pass(KindBegin, 0, 0, 0, nil)
	makeRoom()
	g.log(KindBegin, 0, 0, 0, 0, 0)
	if g.finalizer != nil {
		g.finalizer.logOrder(g)
	}
}

// end logs the goroutine's last event, and gives its record back. In a replay the
// schedule may name it for longer.
func end() {
	g := enter(KindEnd, 0)
	if g != nil {
		g.log(KindEnd, 0, 0, 0, 0, 0)
		fastRecord = noFastRecord
		g.exitSchedule()
		if g.runningTest != 0 {
			runningTests--
		}
		g.polling.countChange()
		if actors == nil { // else the schedule may still name it
			g.nextUnused, unusedRecords = unusedRecords, g
		}
	}
}

// TestBegin is called when a test, subtest or fuzz target begins in the
// running goroutine.
func TestBegin(name string) {
	if Mode == 0 || name == "" {
		return
	}
	g := current()
	if g == nil {
		return
	}
	top := stringslite.IndexByte(name, '/') < 0 && g.test == "" // else it is a bubble of the test
	if top && EmptyPools != nil {
		EmptyPools()
	}
	runtime.PredictPin()
	if top {
		runtime.PredictRested()
		testRuns[name]++
		g.test, g.children = name, 0
		if n := testRuns[name]; n > 1 {
			g.test = numbered(name, "#", n)
		}
		recordedTests = append(recordedTests, g.test)
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
		runtime.PredictNewBlock()
	}
}

// TestEnd is called when it has returned.
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
		testNames[name] = n
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

// itoa returns n in decimal.
func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

// numbered returns a name, a separator and a number. It lasts, and so it takes
// no fewer than 16 bytes: smaller ones the allocator puts beside small objects of
// the user's, whose finalizers would wait for ever.
func numbered(name, sep string, n int) string {
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], uint64(n), 10)
	b := make([]byte, 0, max(16, len(name)+len(sep)+len(digits)))
	b = append(append(append(b, name...), sep...), digits...)
	return unsafe.String(unsafe.SliceData(b), len(b))
}
