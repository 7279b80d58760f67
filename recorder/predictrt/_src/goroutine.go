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
	chance runtime.PredictChance
	id     uint32
	parent uint32
	origin
	test string
	goName
	offspring
	begun bool
	// final is the finalizer or cleanup that it calls; nil: none.
	final *final
	// mute is positive while events are dropped.
	mute int
	// forked says that it has started a goroutine, which is to go first.
	forked bool
	// randomStream decides when it gives way, see byOrder.
	randomStream randomStream
	pending      operation // see byRank
	account      *account
	// knownLeak says that the trace has it as a leak.
	knownLeak      bool
	blockedForEver bool // see testStuck
	// testing is the test that it runs, for package testing.
	testing uintptr

	pace
	polling polling
	insides insides

	// op is the last operation that it has begun.
	op blocking
	// actor is its part in the schedule; nil: none.
	actor *actor
	// letGo says that the schedule has let the coming event go.
	letGo    bool
	gateSema runtime.PredictSema
	// waitsFor is what it waits for at the gate, "" if it does not wait there; then heldBy
	// is the part of the schedule that keeps it.
	waitsFor string
	heldBy   item
	// heldAt is the kind of event that it is about to do at the gate.
	heldAt uint8
	// selectHasDefault is about its last select.
	selectHasDefault bool
	// releasedEarly says that it goes on though it is to be held, see beforeTimer.
	releasedEarly bool
	// nextUnused is the next record in the list of unused ones.
	nextUnused *goroutine
}

// origin says where a goroutine was started, by sites.
type origin struct {
	site uint32 // of the go statement
	// the same, if it is one of the program's own packages
	ownSite uint32
	// else: of the call of one of these that led to the go statement
	askingSite uint32
}

// goName is the path of a goroutine's spawns.
type goName struct {
	path string // in room
	room []byte
}

// offspring counts what a goroutine has started, for the names of that.
type offspring struct {
	children int
	// finalizers and cleanups that it has attached
	finals int
	behind *behind
}

// pace is when a goroutine gives way to others.
type pace struct {
	// A goroutine that reads one place again and again spins, and must let
	// others run.
	spinAt uint64
	spins  uint
	// operations since it last gave way
	slice int
	turns turns
	// it has called runtime.Gosched since it gave way last
	gosched bool
	// it sleeps where the program does not
	sleepsForLibrary bool
}

// behind counts the goroutines that a function of the standard library has started for its
// own purposes, in the name of the goroutine that has called it.
type behind struct {
	by   string // see callSite.by
	n    int
	next *behind
}

var (
	// number of goroutines that have a record
	goroutines uint32
	// those that nothing in the program has started
	orphans int
	// records of goroutines that have ended
	unused *goroutine
	// stands for all of the runtime's own goroutines
	runtimeGoroutines goroutine
	testRuns          = map[string]int{}
	// keeps the names that records point to
	tests     []string
	testNames = map[string]uint32{}
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
		g = adopt()
	}
	if g == nil || g.mute > 0 {
		return nil
	}
	if !g.begun {
		g.begin()
	}
	return g
}

// adopt makes the record of a goroutine that has been started without one.
func adopt() *goroutine {
	goid, user, system := runtime.PredictWho()
	if !user {
		return nil
	}
	if system {
		runtimeGoroutines.mute = 1
		runtimeGoroutines.chance.Rank = highest
		runtime.PredictSetSelf(unsafe.Pointer(&runtimeGoroutines))
		return &runtimeGoroutines
	}
	runtime.PredictPin()
	g := newGoroutine()
	g.parent = g.id
	if f := (*final)(runtime.PredictFinal()); f != nil {
		g.site, g.test, g.account, g.final = f.site, f.test, f.account, f
		g.setPath(f.path)
	} else if goid == 1 {
		g.setPath("main")
	} else {
		orphans++
		g.setPath("outside")
		g.addPath(".", orphans)
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
	g := unused
	if g != nil {
		unused = g.nextUnused
		for b := g.behind; b != nil; b = b.next {
			b.n = 0
		}
		*g = goroutine{
			goName: goName{room: g.room}, offspring: offspring{behind: g.behind},
			polling: polling{round: g.polling.round}, insides: g.insides,
		}
	} else {
		g = (*goroutine)(runtime.PredictAlloc(unsafe.Sizeof(goroutine{})))
	}
	g.id, g.account = goroutines, outside
	goroutines++
	return g
}

// setPath copies path, which may be memory of the program or of another record.
func (name *goName) setPath(path string) {
	name.reserve(len(path))
	name.path = unsafe.String(unsafe.SliceData(name.room), copy(name.room, path))
}

// addPath appends a separator and a number to the path.
func (name *goName) addPath(sep string, n int) {
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], uint64(n), 10)
	old := name.path
	name.reserve(len(old) + len(sep) + len(digits))
	copy(name.room, old)
	copy(name.room[len(old):], sep)
	copy(name.room[len(old)+len(sep):], digits)
	name.path = unsafe.String(unsafe.SliceData(name.room), len(old)+len(sep)+len(digits))
}

// reserve makes room for a path of n bytes.
func (name *goName) reserve(n int) {
	if n > len(name.room) {
		n = max(2*n, 32)
		name.room = unsafe.Slice((*byte)(runtime.PredictAlloc(uintptr(n))), n)
	}
}

// define writes g's names to the trace and finds its part in the schedule. Its
// random numbers follow from its name.
func (g *goroutine) define() {
	name := hashed(hashed(sumOffset, g.test), g.path)
	g.chance.Seed(name)
	g.randomStream = randomStream(name ^ seed)
	g.ranked()
	if recording {
		test, path := clip(g.test), clip(g.path)
		d := define(goDefs, len(test)+len(path))
		d.u32(g.id)
		d.u32(g.parent)
		d.u32(g.site)
		d.str(test)
		d.str(path)
		d.commit()
	}
	g.bind()
}

// numberOf returns what the path of the next goroutine that g starts at a site has
// after its own. Those that the program starts are numbered in their order. Those that
// the standard library starts for itself have numbers of their own for each function
// that does so: whether a timer warns of slow entropy, or a connection is there
// already, depends on what ran before, and is to change no other goroutine's name.
func (o *offspring) numberOf(site uint32) (sep string, n int) {
	if by := callSites[site].by; by != "" {
		return by, o.count(by)
	}
	o.children++
	return ".", o.children
}

// count counts what a function of the standard library starts. Its memory is never
// freed, but used again by the next goroutine that has the record.
func (o *offspring) count(by string) int {
	free := (*behind)(nil)
	for b := o.behind; b != nil; b = b.next {
		switch {
		case b.n == 0:
			free = b
		case b.by == by:
			b.n++
			return b.n
		}
	}
	if free == nil {
		free = (*behind)(runtime.PredictAlloc(unsafe.Sizeof(behind{})))
		free.next, o.behind = o.behind, free
	}
	free.by, free.n = by, 1
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
	child.parent, child.site, child.test, child.account = g.id, site, g.test, g.account
	if !stringslite.HasPrefix(callSites[site].fn, "testing.") { // which waits for those that it starts
		g.account.forked = true
		testlessForks = testlessForks || g.test == ""
	}
	switch ours := lookup(pc).ours; ours {
	case noProgramSite, otherModules:
		child.askingSite = g.programSite()
	default:
		child.ownSite = ours
	}
	child.setPath(g.path)
	child.addPath(g.numberOf(site))
	child.define()
	g.log(KindFork, 0, site, 0, uint64(child.id), 0)
	if childFirst {
		g.forked, hot = true, notHot
	}
	runtime.PredictUnpin()
	return unsafe.Pointer(child)
}

// begin logs a goroutine's first event.
func (g *goroutine) begin() {
	g.begun = true
	g.chance.G = runtime.PredictG()
	g.actor.pass(KindBegin, 0, 0, 0, nil)
	room()
	g.log(KindBegin, 0, 0, 0, 0, 0)
	if g.final != nil {
		g.final.began(g)
	}
}

// end logs the goroutine's last event, and gives its record back. In a replay the
// schedule may name it for longer.
func end() {
	g := enter(KindEnd, 0)
	if g != nil {
		g.log(KindEnd, 0, 0, 0, 0, 0)
		hot = notHot
		g.exit()
		if g.testing != 0 {
			runningTests--
		}
		g.polling.settle()
		if actors == nil { // else the schedule may still name it
			g.nextUnused, unused = unused, g
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
		tests = append(tests, g.test)
		g.setPath("0")
		g.define()
		g.open()
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
		room()
		g.log(KindTestEnd, 0, 0, 0, obj, val)
	}
}

// testNumber returns the number of a test's name in the trace.
func testNumber(name string) uint64 {
	n, ok := testNames[name]
	if !ok {
		n = uint32(len(testNames))
		testNames[name] = n
		if recording {
			s := clip(name)
			d := define(testDefs, len(s))
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
