package predictrt

import "testing"

// lock is one that logs nothing itself, and notes how often it was held.
type lock struct {
	held bool
	free bool // TryLock succeeds
	seen []string
}

func (l *lock) Lock()         { l.held = true; l.seen = append(l.seen, logged()) }
func (l *lock) Unlock()       { l.held = false; l.seen = append(l.seen, logged()) }
func (l *lock) TryLock() bool { l.held = l.free; return l.free }

type guarded struct {
	pad uint64
	mu  lock
	ch  chan int
}

// record begins a recording, with an object that has fields of all sorts.
func record(t *testing.T) *guarded {
	start(t, modeRecord)
	run("0")
	return &guarded{ch: make(chan int, 1)}
}

// A lock is logged once it is acquired, and while it is still held.
func TestGuard(t *testing.T) {
	x := record(t)
	l := Guard(&x.mu, 8, 7, siteA)
	l.Lock()
	if logged() != "call" || x.mu.seen[0] != "" {
		t.Errorf("Lock: found %q when it was acquired, and %q after", x.mu.seen[0], logged())
	}
	l.Unlock()
	if logged() != "call call" || x.mu.seen[1] != "call call" {
		t.Errorf("Unlock: found %q when it was released, and %q after", x.mu.seen[1], logged())
	}
}

// An attempt is logged only if it succeeds.
func TestGuardTry(t *testing.T) {
	for _, free := range []bool{true, false} {
		x := record(t)
		x.mu.free = free
		if got := Guard(&x.mu, 8, 7, siteA).TryLock(); got != free {
			t.Errorf("free %v: found %v", free, got)
		}
		if got := logged() == "call"; got != free {
			t.Errorf("free %v: found %q", free, logged())
		}
	}
}

// The object of a field begins before it.
func TestFieldOffset(t *testing.T) {
	x := record(t)
	planMonitor("1 1 1 1")
	planMethod("7 0")
	stage = stageFollowing
	verdictFD = 1
	Field(&x.mu, 8, 7, siteA)
	obj := uint64(uintptr(pointerTo(x)))
	if monitored[obj] != pointerTo(x) {
		t.Error("the monitor has not seen the object of the field")
	}
}

// What is stored is logged, and then stored.
func TestFieldStore(t *testing.T) {
	x := record(t)
	Store(&x.pad, siteA).Field(0, 7, siteB).Set(5)
	if x.pad != 5 || logged() != "call write" {
		t.Errorf("found %d, and %q", x.pad, logged())
	}
}

// A receive is logged when it is done, a close before.
func TestFieldChannel(t *testing.T) {
	x := record(t)
	x.ch <- 3
	if got := ReceiveFrom(&x.ch, 0, 7, siteA); got != 3 || logged() != "call" {
		t.Errorf("found %d, and %q", got, logged())
	}
	old := x.ch
	c := Closing(&x.ch, 0, 7, siteA)
	x.ch = make(chan int)
	c.Close()
	if _, open := <-old; open || logged() != "call call" {
		t.Errorf("the channel that was in the field when close was called is open: %v; %q", open, logged())
	}
	x.ch = old
	if _, ok := ReceiveFromOK(&x.ch, 0, 7, siteA); ok {
		t.Error("a closed channel has an element")
	}
}
