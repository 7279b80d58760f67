package trace

import (
	"slices"
	"strings"
)

// This file reads traces without what tests have done that ran alone: nothing can come before
// anything else there, and many suites do most of their work in such tests. What others may
// depend on stays: all synchronization, the lives of goroutines, memory and tests, and of the
// writes the last ones to each memory.

// ReadConcurrent is [ReadFile] without the accesses, conditions and assertions of top-level tests
// that ran alone and passed: when it was started no other goroutine was there that has events later,
// but the one that runs the tests; it has started none but those of its subtests, each of which ran
// while the others waited for it; and it had no select, which may choose. Trace.Alone says how many
// events these are. Whether goroutines that a test leaves behind have events later is known at the
// end: where that makes a difference for a part of the trace, it is read again.
func ReadConcurrent(path string) (*Trace, error) {
	var late map[GID]int
	for {
		var a *alone
		t, err := readFile(path, func(d *reader) {
			a = newAlone(d.t, late)
			d.alone = a
		})
		if late == nil && a.more() > a.seen/againPart {
			late = a.late
			continue
		}
		return t, err
	}
}

// againPart is which part of the events more must be left out for a trace to be read again.
const againPart = 4

// DropAlone leaves out of t what [ReadConcurrent] does of a trace of which all is known.
func DropAlone(t *Trace) {
	first := *t
	a := newAlone(&first, nil)
	a.copy(t)
	w := *t
	newAlone(&w, a.late).copy(t)
	*t = w
}

// copy follows the trace t as if it was read.
func (a *alone) copy(t *Trace) {
	w := a.t
	w.Events, w.Freed, w.Held = make([]Event, 0, len(t.Events)), nil, nil
	freed, held := t.Freed, t.Held
	for i, e := range t.Events {
		for ; len(freed) > 0 && freed[0].At <= i; freed = freed[1:] {
			w.free(freed[0])
		}
		if len(held) > 0 && held[0].At == i {
			w.Held = append(w.Held, Held{len(w.Events), held[0].Val})
			held = held[1:]
		}
		w.Events = append(w.Events, e)
		a.take()
	}
	for _, f := range freed {
		w.free(f)
	}
	a.finish()
}

// free notes that after the last event memory was freed as f says.
func (t *Trace) free(f Freed) {
	f.At = len(t.Events)
	t.Freed = append(t.Freed, f)
}

// Alone follows a trace while it is read.
type alone struct {
	t *Trace
	// Where the test that runs now has begun, in the events and what goes with them.
	from, freed, held int
	running           []GID // of the test, each waits for the next one; none: it is not alone
	ended             []GID // subtests of which the test goes on
	passed            bool
	seen              int // events
	// The goroutines that were started and have not ended, and of those that were there when a
	// test ended where the last of their events is; known is that of a whole trace, if it was read.
	living      map[GID]bool
	late, known map[GID]int
	// The tests that were alone but for goroutines of which that is not known.
	beside []beside
}

// A beside is a test that was alone if none of the others has events after at.
type beside struct {
	at, events int
	others     []GID
}

// maxBeside bounds the goroutines beside a test.
const maxBeside = 1 << 10

// newAlone follows t; known are the last events of goroutines that were there when tests ended, nil
// if they are not known.
func newAlone(t *Trace, known map[GID]int) *alone {
	return &alone{t: t, living: make(map[GID]bool), late: make(map[GID]int), known: known}
}

// more returns how many events could be left out with what is known now.
func (a *alone) more() (events int) {
	for _, b := range a.beside {
		if !slices.ContainsFunc(b.others, func(g GID) bool { return a.late[g] > b.at }) {
			events += b.events
		}
	}
	return events
}

// take takes the last event of the trace.
func (a *alone) take() {
	e := &a.t.Events[len(a.t.Events)-1]
	a.seen++
	runner := a.t.Goroutines[e.G].RunsTests()
	switch {
	case runner && e.Kind == Fork && a.t.Goroutines[e.Obj].IsTest():
		a.finish()
		a.running = append(a.running, GID(e.Obj))
	case runner || len(a.running) == 0:
	case !a.follow(e):
		a.running = a.running[:0]
	}
	switch e.Kind {
	case Fork:
		a.living[GID(e.Obj)] = true
	case End:
		delete(a.living, e.G)
	}
	if _, there := a.late[e.G]; there {
		a.late[e.G] = a.seen
	}
}

// follow reports whether the test is alone with its event e, too.
func (a *alone) follow(e *Event) bool {
	switch e.Kind {
	case Fork:
		if !strings.HasPrefix(a.t.Sites[e.Site].Func, "testing.") {
			return false
		}
	case Select, SelectSend, SelectRecv, Panic:
		return false
	case TestEnd:
		if e.Val != 0 {
			return false
		}
		a.passed = a.passed || e.G == a.running[0]
	}
	last := len(a.running) - 1
	if e.G == a.running[last] {
		return true
	}
	if k := slices.Index(a.running, e.G); k >= 0 { // it goes on, so those that it has waited for have ended
		a.ended = append(a.ended, a.running[k+1:]...)
		a.running = a.running[:k+1]
		return true
	}
	if slices.Contains(a.ended, e.G) {
		return !e.Kind.IsAccess() && !e.decides()
	}
	if a.t.Goroutines[e.G].Parent != a.running[last] {
		return false
	}
	a.running = append(a.running, e.G)
	return true
}

// finish leaves out what the test has done that has ended, if it was alone. The go statement of
// the next one may have been taken.
func (a *alone) finish() {
	if len(a.running) > 0 && a.passed && a.others() {
		a.drop()
	}
	a.from, a.freed, a.held = len(a.t.Events), len(a.t.Freed), len(a.t.Held)
	a.running, a.ended, a.passed = a.running[:0], a.ended[:0], false
}

// others reports whether no other goroutine is there that has events later, as far as that is
// known.
func (a *alone) others() bool {
	if len(a.living) > maxBeside {
		return false
	}
	var others []GID
	for g := range a.living {
		if !slices.Contains(a.running, g) && !slices.Contains(a.ended, g) {
			others = append(others, g)
		}
	}
	if a.known != nil {
		return !slices.ContainsFunc(others, func(g GID) bool { return a.known[g] > a.seen })
	}
	for _, g := range others {
		if _, there := a.late[g]; !there {
			a.late[g] = 0
		}
	}
	if len(others) > 0 {
		a.beside = append(a.beside, beside{a.seen, len(a.t.Events) - a.from, others})
	}
	return len(others) == 0
}

// drop leaves out what the test has done since it began.
func (a *alone) drop() {
	t := a.t
	writes := a.lastWrites()
	freed, held := t.Freed[a.freed:], t.Held[a.held:]
	t.Freed, t.Held = t.Freed[:a.freed], t.Held[:a.held]
	to := a.from
	for i := a.from; i < len(t.Events); i++ {
		for ; len(freed) > 0 && freed[0].At <= i; freed = freed[1:] {
			f := freed[0]
			f.At = to
			t.Freed = append(t.Freed, f)
		}
		before := len(held) > 0 && held[0].At == i
		keep := !t.Events[i].decides() || t.Goroutines[t.Events[i].G].RunsTests()
		if n := len(writes); n > 0 && writes[n-1] == i {
			writes, keep = writes[:n-1], true
		}
		if keep {
			if before {
				t.Held = append(t.Held, Held{to, held[0].Val})
			}
			t.Events[to] = t.Events[i]
			to++
		}
		if before {
			held = held[1:]
		}
	}
	for _, f := range freed {
		f.At = to
		t.Freed = append(t.Freed, f)
	}
	t.Alone += len(t.Events) - to
	t.Events = t.Events[:to]
}

// decides reports whether e is what only orders of several goroutines make another one.
func (e *Event) decides() bool {
	switch e.Kind {
	case Read, Write, Branch, Assert, Operand:
		return true
	}
	return false
}

// lastWrites returns the positions of the last writes of the test to each memory, descending: later
// tests may find what they have left.
func (a *alone) lastWrites() (all []int) {
	type memory struct {
		at   uint64
		size uint32
	}
	seen := make(map[memory]bool)
	for i := len(a.t.Events) - 1; i >= a.from; i-- {
		e := &a.t.Events[i]
		if m := (memory{e.Obj, e.Size}); e.Kind == Write && !seen[m] {
			seen[m] = true
			all = append(all, i)
		}
	}
	return all
}

// RunsTests reports whether g is the goroutine that runs all tests.
func (g *Goroutine) RunsTests() bool { return g.Test == "" && g.Path == "main" }

// IsTest reports whether g is the goroutine of a top-level test.
func (g *Goroutine) IsTest() bool { return g.Path == "0" && g.Test != "" }
