package trace

import (
	"fmt"
	"slices"
)

// Validate reports whether t is a legal execution, as far as one trace can
// tell. The error names the first event that cannot have happened at its
// position. Tests of the run-time library and of analyses use it.
//
// The begin and the completion of a blocking operation are logged separately
// from the moment when it takes effect. So of a channel Validate checks only
// what must hold between them: numbers are unique, an element is received
// after its send began and sent after there was room. Several locks or Onces
// may have been at one address, one after the other; a lock that was freed
// while held is reported though it is legal. If a trace lacks synchronization
// ([Cut]), only the lives of goroutines are checked.
func Validate(t *Trace) error {
	v := &validator{
		t:           t,
		sites:       NewSiteIndex(t),
		forked:      make(map[GID]bool),
		goroutines:  make([]goroutineState, len(t.Goroutines)),
		locks:       make(map[uint64]*lockState),
		channels:    make(map[uint64]*channelState),
		sent:        make(map[objectNumber]int),
		received:    make(map[objectNumber]int),
		tickets:     make(map[objectNumber]ticketState),
		waitGroups:  make(map[uint64]*waitGroupState),
		onces:       make(map[uint64]*onceState),
		syncMissing: slices.ContainsFunc(t.Cuts, func(c Cut) bool { return c.LacksSync }),
	}
	for i, g := range t.Goroutines {
		if g.Path != "" && (g.ID != GID(i) || !t.defined(uint64(g.Parent))) {
			return fmt.Errorf("trace: goroutine %d: expected this id and a defined parent, found id %d, parent %d", i, g.ID, g.Parent)
		}
		v.goroutines[i].waitBegan = -1
	}
	for k, h := range t.PriorValues {
		switch {
		case h.Position < 0 || h.Position >= len(t.Events) || !t.Events[h.Position].Kind.IsWrite():
			return fmt.Errorf("trace: expected a write where memory held %d before, found none at %d", h.Val, h.Position)
		case k > 0 && t.PriorValues[k-1].Position >= h.Position:
			return fmt.Errorf("trace: expected what memory held in the order of the events, found %d after %d", h.Position, t.PriorValues[k-1].Position)
		}
	}
	for i := range t.Events {
		e := &t.Events[i]
		expected, found := t.checkIndices(e)
		if expected == "" {
			expected, found = v.event(i, e)
		}
		if expected != "" {
			return fmt.Errorf("trace: event %d: %s\n\texpected %s, found %s", i, t.eventText(e), expected, found)
		}
	}
	return nil
}

// validator holds the state of the execution. Its methods return what was
// expected and what was found, and empty strings if the event is legal.
type validator struct {
	t              *Trace
	sites          *SiteIndex
	forked         map[GID]bool
	goroutines     []goroutineState
	locks          map[uint64]*lockState
	channels       map[uint64]*channelState
	sent, received map[objectNumber]int // by element: position of the completion
	tickets        map[objectNumber]ticketState
	waitGroups     map[uint64]*waitGroupState
	onces          map[uint64]*onceState
	syncMissing    bool // synchronization may be missing between any two events
}

// An objectNumber is an element of a channel, or a ticket of a condition.
type objectNumber struct{ object, number uint64 }

type goroutineState struct {
	begun, ended      bool
	pendingOp         Event  // the channel operation or select that the goroutine is in
	pendingOpPosition int    // in Trace.Events
	mustPanic         string // why the next event must be a panic
	waitBegan         int    // position where WaitGroup.Wait began, or -1
	unwinding         bool   // a panic has not been recovered
}

// stateOf returns the state of an object. A new object gets a zero state.
func stateOf[S any](states map[uint64]*S, object uint64) *S {
	s := states[object]
	if s == nil {
		s = new(S)
		states[object] = s
	}
	return s
}

func (v *validator) event(i int, e *Event) (expected, found string) {
	g := &v.goroutines[e.G]
	if expected, found := v.lifetime(g, e); expected != "" {
		return expected, found
	}
	if e.Site != 0 && v.sites.Of(e.Site).ID != e.Site {
		return "a defined site", fmt.Sprintf("site %#x", uint32(e.Site))
	}
	if v.syncMissing {
		return "", ""
	}
	if g.mustPanic != "" && e.Kind != Panic {
		return "a panic: " + g.mustPanic, e.Kind.String()
	}
	g.mustPanic = ""
	if expected, found := v.checkCompletion(g, e); expected != "" {
		return expected, found
	}
	switch e.Kind.Class() {
	case ClassAccess:
		return access(e)
	case ClassLock:
		return v.lock(g, e)
	case ClassCond:
		return v.cond(e)
	case ClassChannel:
		return v.channel(i, g, e)
	case ClassWaitGroup:
		return v.waitGroup(i, g, e)
	case ClassOnce:
		return v.once(e)
	}
	switch e.Kind {
	case Panic:
		g.unwinding = true
	case Recover:
		g.unwinding = false
	}
	return "", ""
}

// lifetime checks what holds for goroutines: begin after fork and first, end
// last. Only goroutines without a parent start without a fork and a begin.
func (v *validator) lifetime(g *goroutineState, e *Event) (expected, found string) {
	root := v.t.Goroutines[e.G].Parent == e.G
	switch {
	case g.ended:
		return "no event after the goroutine's end", e.Kind.String()
	case !g.begun && e.Kind != Begin && !root:
		return "begin as the goroutine's first event", e.Kind.String()
	case g.begun && e.Kind == Begin:
		return "one begin", "a second, or other events before it"
	case e.Kind == Begin && !root && !v.forked[e.G]:
		return "a fork of the goroutine before", "none"
	case e.Kind == Fork && v.forked[GID(e.Obj)]:
		return "one fork of the goroutine", "a second"
	case e.Kind == Fork && v.goroutines[e.Obj].begun:
		return "a fork before the goroutine's first event", "an earlier event"
	}
	g.begun = true
	g.ended = e.Kind == End
	if e.Kind == Fork {
		v.forked[GID(e.Obj)] = true
	}
	return "", ""
}

func access(e *Event) (expected, found string) {
	switch {
	case e.Kind.IsPlain() && e.Size == 0:
		return "an access of at least one byte", "0"
	case e.HasValue() && e.Size > 8 && !HasDigest(e.Size):
		return "no value for an access of more than 8 bytes that is no string, interface or slice", fmt.Sprint(e.Size)
	case e.Obj+uint64(e.Size) < e.Obj:
		return "an access inside the address space", fmt.Sprintf("%#x and %d bytes", e.Obj, e.Size)
	}
	return "", ""
}

type lockState struct {
	held    bool
	readers int
}

// lock checks mutual exclusion. An unlock of an unlocked mutex is fatal, so
// that the goroutine has no event after it.
func (v *validator) lock(g *goroutineState, e *Event) (expected, found string) {
	l := stateOf(v.locks, e.Obj)
	switch e.Kind {
	case Acquire:
		if l.held || l.readers > 0 {
			return "a free lock", fmt.Sprintf("held by a writer: %t, by readers: %d", l.held, l.readers)
		}
		l.held = true
	case RAcquire:
		if l.held {
			return "a lock free for readers", "held by a writer"
		}
		l.readers++
	case Release:
		if !l.held {
			g.mustPanic = "unlock of an unlocked lock"
		}
		l.held = false
	case RRelease:
		if l.readers == 0 {
			g.mustPanic = "unlock of an unlocked lock"
			return "", ""
		}
		l.readers--
	}
	return "", ""
}

type waitGroupState struct {
	counter      int64
	lastLeftZero int // position of the last Add that found the counter at zero
}

// waitGroup checks that the counter was zero at some time during each wait.
func (v *validator) waitGroup(i int, g *goroutineState, e *Event) (expected, found string) {
	w := stateOf(v.waitGroups, e.Obj)
	switch e.Kind {
	case WaitGroupAdd:
		if w.counter == 0 {
			w.lastLeftZero = i
		}
		w.counter += int64(e.Val)
		if w.counter < 0 {
			g.mustPanic = "negative WaitGroup counter"
		}
	case WaitGroupWait:
		g.waitBegan = i
	case WaitGroupWaited:
		began := g.waitBegan
		g.waitBegan = -1
		if began < 0 {
			return "wgwait before", "none"
		}
		if w.counter != 0 && w.lastLeftZero < began {
			return "a counter of zero", fmt.Sprint(w.counter)
		}
	}
	return "", ""
}

type onceState struct {
	runner  GID
	running bool
}

// once checks that nobody returns while the function runs. A function that
// panics need not have an end.
func (v *validator) once(e *Event) (expected, found string) {
	o := v.onces[e.Obj]
	if e.Kind == OnceBegin {
		if o != nil && o.running && !v.mayHaveLeft(o.runner) {
			return "one execution of Once's function", "a second while it runs"
		}
		v.onces[e.Obj] = &onceState{runner: e.G, running: true}
		return "", ""
	}
	switch {
	case o == nil:
		return "oncebegin before", "none"
	case e.Kind == OnceEnd && (!o.running || o.runner != e.G):
		return "the end of a function that this goroutine runs", "none"
	case e.Kind == OnceDone && o.running && !v.mayHaveLeft(o.runner):
		return "onceend before", fmt.Sprintf("the function running in goroutine %d", o.runner)
	}
	o.running = false
	return "", ""
}

// mayHaveLeft reports whether goroutine g may have left a function without an event.
func (v *validator) mayHaveLeft(g GID) bool {
	return v.goroutines[g].ended || v.goroutines[g].unwinding
}
