package trace

import (
	"io"
	"os"
)

// This file reads traces without what tests have done that ran alone: nothing can come before
// anything else there, and many suites do most of their work in such tests. What others may
// depend on stays: all synchronization, the lives of goroutines, memory and tests, and of the
// writes the last ones to each memory. Which tests these are, survey.go tells.

// ReadConcurrent is [ReadFile] without the operands of tests that are too long for a [Flow], and
// without the accesses, conditions and assertions of top-level tests
// that ran alone and passed: it has started no goroutines but those of its subtests, each of which ran
// while the others waited for it; it had no select, which may choose; and when it was started no
// other goroutine was there that has events later, but the one that runs the tests, and, beside a
// long test, such as have to do with nothing that it has to do with. Trace.Alone says how many events
// these are. The file is read twice: which tests ran alone is known at the end, and no event that is
// left out takes memory for long.
func ReadConcurrent(path string) (*Trace, error) { return readConcurrent(path, leastBeside, MaxFlow) }

// readConcurrent is [ReadConcurrent] where a long test is one of so many events, and one of more than flow
// is too long for a Flow.
func readConcurrent(path string, long, flow int) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := newReader(f)
	s := newSurvey(d.t, long, flow)
	d.look = func(e Event) { s.take(&e) }
	d.failed = d.read()
	s.end()
	for {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return d.t, err
		}
		d.again(s.stay())
		d.alone = newAlone(d.t, s)
		err = d.read()
		d.alone.finish()
		if !s.meet() {
			return d.t, inFile(err, path)
		}
	}
}

// DropAlone leaves out of t what [ReadConcurrent] does, where a long test is one of so many events, and one
// of more than flow is too long for a [Flow].
func DropAlone(t *Trace, long, flow int) {
	s := newSurvey(t, long, flow)
	for i := range t.Events {
		s.take(&t.Events[i])
	}
	s.end()
	for {
		w := *t
		if newAlone(&w, s).copy(t); !s.meet() {
			*t = w
			return
		}
	}
}

// copy follows the trace t as if it was read.
func (a *alone) copy(t *Trace) {
	w := a.t
	w.Events, w.Freed, w.Held = make([]Event, 0, a.survey.stay()), nil, nil
	freed, held := t.Freed, t.Held
	for i, e := range t.Events {
		for ; len(freed) > 0 && freed[0].At <= i; freed = freed[1:] {
			w.free(freed[0])
		}
		if len(held) > 0 && held[0].At == i {
			w.Held = append(w.Held, Held{len(w.Events), held[0].Val})
			held = held[1:]
		}
		a.take(e)
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

// Alone leaves events of a trace out while it is read.
type alone struct {
	t      *Trace
	survey *survey
	seen   int       // events, also those that were left out
	next   int       // index of the next test to begin
	test   *surveyed // that runs now, if it is one that ran alone
	// Where that has begun, in the events and what goes with them, and from how many on events are left out.
	from, freed, held, full int
	written                 extents // see lastWrites
}

// dropAt is how many events of a test that ran alone are in memory, beside those that stay, before
// others are left out.
const dropAt = 1 << 17

func newAlone(t *Trace, s *survey) *alone { return &alone{t: t, survey: s} }

// take takes the next event of the trace.
func (a *alone) take(e Event) {
	a.seen++
	if a.survey.spares(&e) {
		a.t.Alone++
		return
	}
	a.t.Events = append(a.t.Events, e)
	a.survey.compare(&e)
	if tests := a.survey.tests; a.next < len(tests) && tests[a.next].begin == a.seen {
		a.finish()
		if tests[a.next].alone {
			a.test = &tests[a.next]
		}
		a.next++
	} else if a.test != nil && len(a.t.Events) >= a.full {
		a.drop()
	}
}

// finish leaves out what the test has done that has ended, if it was alone. The go statement of
// the next one may have been taken.
func (a *alone) finish() {
	if a.test != nil {
		a.drop()
	}
	a.test, a.from, a.freed, a.held = nil, len(a.t.Events), len(a.t.Freed), len(a.t.Held)
	a.full = a.from + dropAt
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
		keep := !t.Events[i].decides() || !a.does(&t.Events[i])
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
	a.full = to + max(dropAt, to-a.from)
}

// does reports whether e is of the test.
func (a *alone) does(e *Event) bool { return a.t.Goroutines[e.G].Test == a.test.name }

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
	a.written.clear()
	for i := len(a.t.Events) - 1; i >= a.from; i-- {
		e := &a.t.Events[i]
		if e.Kind != Write || !a.does(e) {
			continue
		}
		before := len(a.written.list)
		if a.written.number(extent{addr: e.Obj, size: e.Size}); len(a.written.list) > before {
			all = append(all, i)
		}
	}
	return all
}

// RunsTests reports whether g is the goroutine that runs all tests.
func (g *Goroutine) RunsTests() bool { return g.Test == "" && g.Path == "main" }

// IsTest reports whether g is the goroutine of a top-level test.
func (g *Goroutine) IsTest() bool { return g.Path == "0" && g.Test != "" }
