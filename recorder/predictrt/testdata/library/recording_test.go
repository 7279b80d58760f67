package predictrt

import (
	"testing"
	"unsafe"
)

// A goroutine that comes back to where it took a lock lets others go first, but not while it
// holds one, and less and less often.
func TestTurns(t *testing.T) {
	start(t, modeRecord)
	var tt loopTurns
	round := func() bool { return tt.isOver(KindAcquire, siteA) }
	if round() || !round() {
		t.Error("the turn is over after the first round")
	}
	tt.beginTurn()
	if !round() {
		t.Error("the second turn has one round")
	}
	tt.beginTurn()
	if round() || round() {
		t.Error("the third turn has three rounds")
	}
	tt.countLock(KindAcquire)
	if round() {
		t.Error("its turn is over while it holds a lock")
	}
	tt.countLock(KindRelease)
	if !round() {
		t.Error("its turn is not over")
	}
	if tt.isOver(KindSend, siteB) || tt.isOver(KindSend, siteB) {
		t.Error("a send takes no work")
	}
}

func TestAlters(t *testing.T) {
	for _, c := range []struct {
		kind, flags uint8
		val         uint64
		want        bool
	}{
		{KindRead, 0, 0, false}, {KindWrite, 0, 0, true}, {KindAtomicLoad, 0, 0, false}, {KindAtomicRMW, 0, 0, true},
		{KindAtomicRMW, flagFailed, 0, false}, {KindRecvDone, 0, 3, true}, {KindRecvDone, 0, 0, false}, {KindSend, 0, 0, true},
		{KindSelect, 0, 0, false}, {KindAcquire, 0, 0, false}, {KindCondSignal, 0, 0, true}, {KindWaitGroupAdd, 0, 0, true},
	} {
		if got := changesState(c.kind, c.flags, c.val); got != c.want {
			t.Errorf("%s: found %v", words[c.kind], got)
		}
	}
}

func TestNothingChanged(t *testing.T) {
	start(t, modeRecord)
	g := run("0")
	nothingChanged()
	g.log(KindRead, 0, siteA, 8, 5000, 0)
	g.log(KindAtomicRMW, flagFailed|flagValue, siteA, 8, 5000, 1<<40)
	if !nothingChanged() {
		t.Error("reads and attempts that have failed change something")
	}
	g.log(KindWrite, flagValue, siteA, 8, 5000, 1)
	if nothingChanged() {
		t.Error("a write changes nothing")
	}
	if !nothingChanged() {
		t.Error("what was seen before counts")
	}
}

// What a test has logged too much is dropped in two steps; the lives of goroutines never are.
func TestBudget(t *testing.T) {
	start(t, modeRecord)
	a := &account{}
	logLimit, totalLogged = 1000, 0
	t.Cleanup(func() { logLimit, totalLogged = 1<<62, 0 })
	for _, c := range []struct {
		used, spent  uint64
		read, unlock bool // dropped
	}{{100, 100, false, false}, {250, 250, false, false}, {300, 300, true, false}, {500, 500, true, false}, {600, 600, true, true}} {
		a.bytesLogged, totalLogged = c.used, c.spent
		a.updateDropLevel()
		if a.drops(KindRead) != c.read || a.drops(KindRelease) != c.unlock || a.drops(KindFork) {
			t.Errorf("%d bytes of %d: found cut %d", c.used, logLimit, a.dropLevel)
		}
	}
}

// The first write of a variable tells what it finds; a later one does not, until the garbage
// collector gives memory back.
func TestHeld(t *testing.T) {
	start(t, modeRecord)
	isRecording, initialValuesLeft = true, maxInitialValues
	t.Cleanup(func() { isRecording = false })
	run("0")
	forgetFirstWrites()
	x := new(uint64)
	Store(x, siteA).Set(1)
	if _, ok := firstOfAll(); !ok {
		t.Error("the first write does not tell what it finds")
	}
	emptySlot()
	Store(x, siteA).Set(2)
	if _, ok := firstOfAll(); ok {
		t.Error("the second one does")
	}
	emptySlot()
	forgetFirstWrites()
	Store(x, siteA).Set(3)
	if v, ok := firstOfAll(); !ok || v != 2 {
		t.Errorf("found %d, expected what the write before has stored", v)
	}
}

// firstOfAll returns what a record of what a variable held says, if the slot has one.
func firstOfAll() (val uint64, ok bool) {
	for from := uintptr(unsafe.Pointer(&currentSlot().words)); from < nextEvent; {
		head := *(*uint64)(unsafe.Pointer(from))
		switch {
		case uint32(head) == 0:
			from += 8
			continue
		case uint8(head)&(1<<formShift-1) == kindInitialValue:
			return valueIn(head, from), true
		}
		from += 8 * uintptr(head>>formShift&3+1)
	}
	return 0, false
}

// valueIn returns the value of the event at an address in the slot, if it is a short one.
func valueIn(head uint64, event uintptr) uint64 {
	switch head & (3 << formShift) {
	case formBare:
		return head >> 16 & (1<<16 - 1)
	case formShort:
		return *(*uint64)(unsafe.Pointer(event + 8)) >> objectBits
	}
	panic("a long event")
}

// The rounds of a loop that only looks are logged up to a number, and again when one differs.
func TestPolling(t *testing.T) {
	start(t, modeRecord)
	g := run("0")
	look := func(val uint64) {
		g.countLook(6000, true)
		g.log(KindAtomicLoad, flagValue, siteA, 8, 6000, val)
	}
	var events []uintptr
	for range 100 {
		look(0)
		events = append(events, nextEvent)
	}
	if events[99] != events[60] || events[10] == events[9] {
		t.Error("equal rounds are events for ever, or from the beginning on not")
	}
	look(1)
	if nextEvent == events[99] {
		t.Error("a round that differs is no event")
	}
}

// The order of operations matters on one object, unless both only look.
func TestRaces(t *testing.T) {
	for _, c := range []struct {
		a, b pendingOperation
		want bool
	}{
		{pendingOperation{KindRead, 1}, pendingOperation{KindWrite, 1}, true},
		{pendingOperation{KindRead, 1}, pendingOperation{KindRead, 1}, false},
		{pendingOperation{KindRead, 1}, pendingOperation{KindAtomicLoad, 1}, false},
		{pendingOperation{KindWrite, 1}, pendingOperation{KindWrite, 2}, false},
		{pendingOperation{KindWrite, 0}, pendingOperation{KindWrite, 0}, false},
		{pendingOperation{KindSelect, 0}, pendingOperation{KindSend, 5}, true},
		{pendingOperation{KindRecv, 5}, pendingOperation{KindSelect, 0}, true},
		{pendingOperation{KindSelect, 0}, pendingOperation{KindWrite, 5}, false},
	} {
		if got := c.a.isDependent(c.b); got != c.want {
			t.Errorf("%s and %s: found %v", words[c.a.kind], words[c.b.kind], got)
		}
	}
}

func TestSetOrder(t *testing.T) {
	for name, want := range map[string]bool{
		"oldest": true, "child": true, "seed3": true, "seed0": false, "seed": false, "pos4": true, "pos0": false,
		"pct1/2/30": true, "pct1/2": false, "pct1/9/30": false, "pct1/0/30": false, "newest": false,
	} {
		start(t, modeRecord)
		if got := setOrder(name); got != want {
			t.Errorf("%s: found %v", name, got)
		}
	}
	start(t, modeRecord)
}

// A read is of the pieces that were written before, each of which it is told of once.
func TestStream(t *testing.T) {
	s := &stream{}
	for k, n := range []int{3, 4} {
		s.pieces = append(s.pieces, piece{obj: uint64(k + 1), end: openEnd})
		s.endPiece(n)
	}
	for _, c := range []struct {
		n    int
		want []uint64
	}{{2, []uint64{1}}, {2, []uint64{2}}, {3, nil}} {
		got := s.take(c.n)
		if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("a read of %d bytes: found %v, expected %v", c.n, got, c.want)
		}
	}
	s.pieces = append(s.pieces, piece{obj: 3, end: openEnd})
	if s.endPiece(0); len(s.pieces) != 0 {
		t.Error("a write that has failed leaves a piece")
	}
}

func TestPlaces(t *testing.T) {
	for fn, want := range map[string]string{
		"example.com/a/b.(*T).M": "example.com/a/b", "net/http.(*Server).Serve": "net/http", "main.main": "main",
		"p.F[example.com/x.T]": "p",
	} {
		if got := packageOf(fn); got != want {
			t.Errorf("package of %s: found %s", fn, got)
		}
	}
	for _, c := range []struct {
		fn, file string
		standard bool
		starter  string
	}{
		{"net/http.(*Server).Serve", "/go/src/net/http/server.go", true, ".Serve-"},
		{"net/http.(*Server).Serve", "net/http/server.go", true, ".Serve-"},
		{"example.com/http.Serve", "/home/http/server.go", false, ""},
		{"http.Serve", "/home/http/server.go", false, ""},
		{"testing.(*T).Run", "/go/src/testing/testing.go", true, ""},
	} {
		if got := isStandard(c.fn, c.file); got != c.standard {
			t.Errorf("%s in %s: found %v", c.fn, c.file, got)
		}
		if got := starterName(c.fn, c.file); got != c.starter {
			t.Errorf("%s in %s: found %q", c.fn, c.file, got)
		}
	}
	if !isMachinery("sync.(*Mutex).Lock", "sync/mutex.go") || isMachinery("sync2.Lock", "x.go") || !isMachinery("p.f", "<autogenerated>") {
		t.Error("what does an operation for its caller is not told from others")
	}
}

// A goroutine's name is the path of its spawns; what the standard library starts for itself
// does not change the others' names.
func TestNames(t *testing.T) {
	start(t, modeRecord)
	g := run("0")
	callSites = append(callSites[:1:1], callSite{}, callSite{starter: ".Serve-"})
	for _, c := range []struct {
		site uint32
		want string
	}{{1, "0.1"}, {2, "0.Serve-1"}, {1, "0.2"}, {2, "0.Serve-2"}} {
		child := newGoroutine()
		child.setPath(g.path)
		child.addPath(g.childNumber(c.site))
		if child.path != c.want {
			t.Errorf("found %s, expected %s", child.path, c.want)
		}
	}
}
