package reduce

import (
	"io"
	"math"
	"os"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// This file reads traces without what tests have done that ran alone: nothing can come before
// anything else there, and many suites do most of their work in such tests. What others may
// depend on stays: all synchronization, the lives of goroutines, memory and tests, and of the
// writes the last ones to each memory. Which tests these are, survey.go tells.

// ReadConcurrent is [ReadFile] without what only package dataflow asks for, where tests are too long for one: operands,
// conditions, but for those that fail tests, and accesses that conflict with none: to memory that one goroutine uses
// alone, or nobody writes. What their goroutine does next has FlagBranched: who has read what it had not may not do what
// it has done. What stays says how many accesses before it are left out, see Event.Skipped. And it is without the accesses, conditions and assertions
// of top-level tests that ran alone and passed: it has started no goroutines but those of its subtests, each of which ran
// while the others waited for it; it had no select, which may choose; and when it was started no
// other goroutine was there that has events later, but the one that runs the tests, and, beside a
// long test, such as have to do with nothing that it has to do with. Trace.Alone says how many events
// these are. The file is read twice, as which tests ran alone is known at the end, or four times, to find what conflicts:
// no event that is left out takes memory for long. What sites are, build tells, if it is not nil, beside
// the trace.
func ReadConcurrent(path string, build *trace.SiteTable) (*trace.Trace, error) {
	return readConcurrent(path, build, leastBeside, dataflow.MaxEvents)
}

// readConcurrent is [ReadConcurrent] where a long test is one of so many events, and one of more than flow
// is too long for its formulas.
func readConcurrent(path string, build *trace.SiteTable, long, flow int) (*trace.Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := trace.NewReader(f)
	t := d.Trace()
	s := newSurvey(t, long, flow)
	d.Scan(s.take, nil) // an error comes again when the events are loaded
	s.end()
	rewind := func(room int) error {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		d.Rewind(room)
		return nil
	}
	for {
		if s.strip(build); s.worthwhile() {
			c := newConflicts(s.bare)
			for _, pass := range []func([]trace.Event){c.find, c.tell} {
				c.rewind()
				if err := rewind(0); err != nil {
					return t, err
				}
				d.Scan(pass, c.free)
			}
			s.separate(c)
		}
		if err := rewind(s.stay()); err != nil {
			return t, err
		}
		kept := newAlone(t, s)
		err = d.Load(kept.take)
		kept.finish()
		if !s.meet() {
			t.Source = &source{path: path, survey: s.result(), events: len(t.Events), room: cap(t.Events), stop: d.Stop()}
			return t, trace.InFile(err, path)
		}
		t.Events = nil // before there is more
	}
}

// DropAlone leaves out of t what [ReadConcurrent] does, where a long test is one of so many events, and one
// of more than flow is too long for its formulas.
func DropAlone(t *trace.Trace, long, flow int) {
	s := newSurvey(t, long, flow)
	s.take(t.Events)
	s.end()
	for {
		if s.strip(nil); s.worthwhile() {
			c := newConflicts(s.bare)
			c.follow(t, c.find)
			c.rewind()
			c.follow(t, c.tell)
			s.separate(c)
		}
		w := *t
		if newAlone(&w, s).copy(t); !s.meet() {
			*t = w
			return
		}
	}
}

// copy follows the trace t as if it was read.
func (a *alone) copy(t *trace.Trace) {
	w := a.t
	w.Events, w.Freed, w.Held = make([]trace.Event, 0, a.survey.stay()), nil, nil
	freed, held := t.Freed, t.Held
	free := func(f *trace.Freed) { addFreed(w, f) }
	for i := range t.Events {
		freed = trace.FreedBefore(freed, i, free)
		if len(held) > 0 && held[0].At == i {
			w.Held = append(w.Held, trace.Held{At: len(w.Events), Val: held[0].Val})
			held = held[1:]
		}
		a.take(t.Events[i : i+1])
	}
	trace.FreedBefore(freed, len(t.Events), free)
	a.finish()
}

// addFreed notes that after the last event of t memory was freed as f says.
func addFreed(t *trace.Trace, f *trace.Freed) {
	t.Freed = append(t.Freed, trace.Freed{Obj: f.Obj, Which: f.Which, Size: f.Size, At: int32(len(t.Events))})
}

// Alone leaves events of a trace out while it is read.
type alone struct {
	t       *trace.Trace
	survey  *survey
	seen    int              // events, also those that were left out
	left    []leftOut        // by goroutine
	next    int              // index of the next test to begin
	test    int32            // number of that which runs now, if it is one that ran alone; or 0
	testOf  []int32          // by goroutine: number of its test, from 1
	numbers map[string]int32 // of tests
	// Where that has begun, in the events and what goes with them, and from how many on events are left out.
	from, freed, held, full int
	last                    []uint64 // see lastWrites
	written                 numbering.Numbers[memory]
	accesses                int                            // so many of those of which survey.free tells were seen
	skipped                 numbering.Table[place, uint16] // how many accesses are left out there since the last one that was not
}

// A place is where a goroutine accesses memory, in one way.
type place struct {
	g     trace.GID
	site  trace.SiteID
	kind  trace.Kind
	begun bool // its test: schedules count from then on
}

// Hash is that of a [numbering.Key].
func (p place) Hash() uint64 {
	return numbering.Hash(uint64(p.g)<<32 ^ uint64(p.site) ^ uint64(p.kind)<<56)
}

// A leftOut is what of one goroutine was left out since its last event that stays.
type leftOut struct {
	branched bool        // a condition on which it depends what the goroutine does
	begun    bool        // its test, if it is the test's own goroutine
	open     *trace.Site // a condition whose scope that may be behind, as nothing was done within it; or nil
}

// dropAt is how many events of a test that ran alone are in memory, beside those that stay, before
// others are left out.
const dropAt = 1 << 17

func newAlone(t *trace.Trace, s *survey) *alone {
	n := len(t.Goroutines)
	t.ValuesDropped = s.bare
	a := &alone{t: t, survey: s, left: make([]leftOut, n), testOf: make([]int32, n), numbers: make(map[string]int32)}
	for g := range t.Goroutines {
		a.testOf[g] = a.number(t.Goroutines[g].Test)
	}
	return a
}

// number returns the number of a test.
func (a *alone) number(test string) int32 {
	n, ok := a.numbers[test]
	if !ok {
		n = int32(len(a.numbers) + 1)
		a.numbers[test] = n
	}
	return n
}

// take takes the next events of the trace.
func (a *alone) take(es []trace.Event) {
	for tests := a.survey.tests; len(es) > 0; {
		n := len(es)
		begins := a.next < len(tests) && tests[a.next].begin <= a.seen+n
		if begins {
			n = tests[a.next].begin - a.seen
		}
		a.seen += n
		a.add(es[:n])
		es = es[n:]
		if begins {
			a.finish()
			if tests[a.next].alone {
				a.test = a.number(tests[a.next].name)
			}
			a.next++
		} else if a.test != 0 && len(a.t.Events) >= a.full {
			a.drop()
		}
	}
}

// add adds events to the trace, but for those that are known to be left out.
func (a *alone) add(es []trace.Event) {
	kept, bare, beside := a.t.Events, a.survey.bare, len(a.survey.beside) > 0
	for i := range es {
		e := &es[i]
		if bare != nil && bare[e.G] {
			if !a.stays(e) {
				if e.Kind == trace.Write {
					a.t.DropHeld(len(kept))
				}
				continue
			}
			kept = append(kept, *e)
			a.mark(&kept[len(kept)-1])
			if beside {
				a.survey.compare(e)
			}
			continue
		}
		if beside {
			a.survey.compare(e)
		}
		if a.test == 0 || !e.Decides() || e.Kind == trace.Write || !a.does(e) {
			kept = append(kept, *e)
		}
	}
	a.t.Alone += len(es) - (len(kept) - len(a.t.Events))
	a.t.Events = kept
}

// stays reports whether e, of a goroutine whose values are not followed, is more than a condition that fails nothing, an
// operand or an access that conflicts with none. Others tell at most that the goroutine goes on as recorded, as what it
// does next depends on what it has read: that is so of conditions, and of such accesses, which are what they are unless
// one read something else before. A condition tells nothing if nothing was done within its scope, and else nothing that is
// seen behind it: it may come out either way.
func (a *alone) stays(e *trace.Event) bool {
	left := &a.left[e.G]
	if left.open != nil && e.Kind != trace.Operand {
		site := a.survey.sites.of(e.Site)
		left.branched = left.branched || !left.open.ScopeEndsAt(&site)
		left.open = nil
	}
	switch {
	case e.Kind == trace.Operand:
		return false
	case e.Kind == trace.Branch:
		site := a.survey.told.Of(e.Site)
		if site.Fails != trace.Neither {
			return true
		}
		if site.Scope.Last != 0 && site.Scope.MayTurn(e) {
			left.open = site
		} else {
			left.branched = true
		}
		return false
	case mayBeLeftOut(e) && a.isFree() && a.skip(e):
		left.branched = true
		return false
	}
	return true
}

// isFree reports whether the next access, of those that may be left out, conflicts with none.
func (a *alone) isFree() bool {
	a.accesses++
	return a.survey.free != nil && a.survey.free.of(a.accesses-1)
}

// mark notes at e, which stays, what of its goroutine was left out before it.
func (a *alone) mark(e *trace.Event) {
	left := &a.left[e.G]
	if left.branched {
		e.Flags |= trace.FlagBranched
		left.branched = false
	}
	if e.Kind.IsPlain() {
		if n := a.skipped.Known(a.place(e)); n != nil {
			e.Skipped, *n = *n, 0
		}
	}
	left.begun = left.begun || e.Kind == trace.TestBegin && a.t.Goroutines[e.G].Path == "0"
}

// maxSkipped is how many accesses at a place are left out in a row: more have no room in Event.Skipped.
const maxSkipped = math.MaxUint16

// skip reports whether e is left out: it is if that can be counted.
func (a *alone) skip(e *trace.Event) bool {
	n := a.skipped.Of(a.place(e))
	if *n == maxSkipped {
		return false
	}
	*n++
	return true
}

func (a *alone) place(e *trace.Event) place { return place{e.G, e.Site, e.Kind, a.left[e.G].begun} }

// finish leaves out what the test has done that has ended, if it was alone. The go statement of
// the next one may have been taken.
func (a *alone) finish() {
	if a.test != 0 {
		a.drop()
	}
	if a.written.Len() > dropAt/2 {
		a.written = numbering.Numbers[memory]{} // most tests write less
	}
	a.test, a.from, a.freed, a.held = 0, len(a.t.Events), len(a.t.Freed), len(a.t.Held)
	a.full = a.from + dropAt
}

// drop leaves out what the test has written since it began, but for the last writes to each memory. What else
// is left out was not added.
func (a *alone) drop() {
	t := a.t
	a.lastWrites()
	freed, held := t.Freed[a.freed:], t.Held[a.held:]
	t.Freed, t.Held = t.Freed[:a.freed], t.Held[:a.held]
	to := a.from
	free := func(f *trace.Freed) {
		t.Freed = append(t.Freed, trace.Freed{Obj: f.Obj, Which: f.Which, Size: f.Size, At: int32(to)})
	}
	for i := a.from; i < len(t.Events); i++ {
		freed = trace.FreedBefore(freed, i, free)
		before := len(held) > 0 && held[0].At == i
		if k := i - a.from; a.last[k/64]>>(k%64)&1 != 0 || t.Events[i].Kind != trace.Write || !a.does(&t.Events[i]) {
			if before {
				t.Held = append(t.Held, trace.Held{At: to, Val: held[0].Val})
			}
			t.Events[to] = t.Events[i]
			to++
		}
		if before {
			held = held[1:]
		}
	}
	trace.FreedBefore(freed, len(t.Events), free)
	t.Alone += len(t.Events) - to
	t.Events = t.Events[:to]
	a.full = to + max(dropAt, to-a.from)
}

// settled returns how many events with which those of the trace begin stay, whatever comes.
func (a *alone) settled() int {
	if a.test != 0 {
		return a.from
	}
	return len(a.t.Events)
}

// shift takes as many events, which are settled, from the beginning of those of the trace.
func (a *alone) shift(n int) {
	a.t.Events = a.t.Events[:copy(a.t.Events, a.t.Events[n:])]
	a.from, a.full = max(0, a.from-n), a.full-n
}

// does reports whether e is of the test.
func (a *alone) does(e *trace.Event) bool { return a.testOf[e.G] == a.test }

// lastWrites finds the last writes of the test to each memory, as later tests may find what they have left: of
// the events since it has begun, the bits of these are set in last.
func (a *alone) lastWrites() {
	n := (len(a.t.Events)-a.from)/64 + 1
	a.last = slices.Grow(a.last[:0], n)[:n]
	clear(a.last)
	a.written.Clear()
	for i := len(a.t.Events) - 1; i >= a.from; i-- {
		e := &a.t.Events[i]
		if e.Kind != trace.Write || !a.does(e) {
			continue
		}
		if n := a.written.Len(); int(a.written.Of(memory{e.Obj, e.Size})) == n {
			k := i - a.from
			a.last[k/64] |= 1 << (k % 64)
		}
	}
}
