package trace

import (
	"slices"
	"strings"
)

// This file reads traces without what tests have done that ran alone: nothing can come before
// anything else there, and many suites do most of their work in such tests. What others may
// depend on stays: all synchronization, the lives of goroutines, memory and tests, and of the
// writes the last ones to memory that was accessed before.

// ReadConcurrent is [ReadFile] without the accesses, conditions and assertions of top-level tests
// that ran alone and passed: when it was started no other goroutine was there that has events later,
// but the one that runs the tests; it has started none but those of its subtests, each of which ran
// while the others waited for it; and it had no select, which may choose. Trace.Alone says how many
// events these are.
func ReadConcurrent(path string) (*Trace, error) {
	var late map[GID]int
	for {
		var a *alone
		t, err := readFile(path, func(d *reader) {
			a = newAlone(d.t, late)
			d.alone = a
		})
		if late == nil && len(a.late) > 0 {
			late = a.late
			continue
		}
		return t, err
	}
}

// DropAlone leaves out of t what [ReadConcurrent] does.
func DropAlone(t *Trace) {
	var late map[GID]int
	for {
		w := *t
		w.Events, w.Freed, w.Held = make([]Event, 0, len(t.Events)), nil, nil
		a := newAlone(&w, late)
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
		if late == nil && len(a.late) > 0 {
			late = a.late
			continue
		}
		*t = w
		return
	}
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
	before            words // that were accessed by events that are kept
	// The goroutines that were started and have not ended, and those that a test is taken to have been
	// alone beside, as nothing comes of them any more.
	living, silent map[GID]bool
	// Of those of which something has come, where the last of that is in the whole trace; and what is
	// known of that.
	late, known map[GID]int
	seen        int // events
}

// newAlone follows t; known are the last events of goroutines that have some beside tests that
// were started after them.
func newAlone(t *Trace, known map[GID]int) *alone {
	return &alone{t: t, living: make(map[GID]bool), silent: make(map[GID]bool), late: make(map[GID]int), known: known}
}

// take takes the last event of the trace.
func (a *alone) take() {
	e := &a.t.Events[len(a.t.Events)-1]
	a.seen++
	runner := a.t.Goroutines[e.G].RunsTests()
	switch {
	case runner && e.Kind == Fork && a.t.Goroutines[e.Obj].IsTest():
		a.finish()
		if !a.besides() {
			a.running = append(a.running, GID(e.Obj))
		}
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
	if len(a.silent) > 0 && a.silent[e.G] {
		a.late[e.G] = a.seen
	}
}

// besides reports whether a goroutine that is there is known to have events later.
func (a *alone) besides() bool {
	for g := range a.living {
		if a.known[g] >= a.seen {
			return true
		}
	}
	return false
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
	if len(a.running) > 0 && a.passed {
		a.drop()
	} else {
		for i := a.from; i < len(a.t.Events); i++ {
			a.before.add(&a.t.Events[i])
		}
	}
	a.from, a.freed, a.held = len(a.t.Events), len(a.t.Freed), len(a.t.Held)
	a.running, a.ended, a.passed = a.running[:0], a.ended[:0], false
}

// drop leaves out what the test has done since it began.
func (a *alone) drop() {
	t := a.t
	for g := range a.living {
		if !slices.Contains(a.running, g) && !slices.Contains(a.ended, g) {
			a.silent[g] = true
		}
	}
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
			a.before.add(&t.Events[i])
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

// lastWrites returns the positions of the writes of the test to memory that was accessed before,
// the last ones, descending.
func (a *alone) lastWrites() (all []int) {
	type memory struct {
		at   uint64
		size uint32
	}
	seen := make(map[memory]bool)
	for i := len(a.t.Events) - 1; i >= a.from; i-- {
		e := &a.t.Events[i]
		if m := (memory{e.Obj, e.Size}); e.Kind == Write && a.before.has(e) && !seen[m] {
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

// Words is a set of words of memory that may hold more than was put in: of those with equal hashes
// all are in.
type words struct {
	bits []uint64
	all  bool
}

// wordBits is how many hashes there are, as a power of two, and longAccess how many bytes an access
// has of which not every word is looked at.
const wordBits, longAccess = 22, 1 << 12

// each calls f with the place and the bit of each word of e, until that returns false.
func (w *words) each(e *Event, f func(at, bit uint64) bool) {
	if w.bits == nil {
		w.bits = make([]uint64, 1<<(wordBits-6))
	}
	for at := e.Obj >> 3; at <= (e.Obj+uint64(max(e.Size, 1))-1)>>3; at++ {
		h := at * 0x9e3779b97f4a7c15 >> (64 - wordBits)
		if !f(h>>6, 1<<(h&63)) {
			return
		}
	}
}

func (w *words) add(e *Event) {
	switch {
	case !e.Kind.IsAccess():
	case e.Size > longAccess:
		w.all = true
	default:
		w.each(e, func(at, bit uint64) bool {
			w.bits[at] |= bit
			return true
		})
	}
}

// has reports whether a word of e may be in.
func (w *words) has(e *Event) (some bool) {
	if w.all || e.Size > longAccess {
		return true
	}
	w.each(e, func(at, bit uint64) bool {
		some = w.bits[at]&bit != 0
		return !some
	})
	return some
}
