package witness

import (
	"cmp"
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// An Observed witness shows the values of a recording of a replay of it.
type Observed struct {
	*Witness
	// Where its steps and its violation are in the recording, -1 of what that does not have.
	StepPositions, ViolationPositions []int
}

// Observe returns a copy of w that shows the values of t, a recording of a
// replay of w. Steps that t does not have show none. It needs the positions
// of w to be those of the replayed build.
func (w *Witness) Observe(t *trace.Trace) Observed {
	out := *w
	all := slices.Concat(w.Steps, w.Holds, w.Violation)
	found := FindSteps(t, nil, all)
	for i, at := range found {
		all[i].Value = ""
		if at >= 0 {
			all[i].Value = value(t, at)
		}
	}
	hold := len(w.Steps)
	violation := hold + len(w.Holds)
	out.Steps, out.Holds, out.Violation = all[:hold:hold], all[hold:violation:violation], all[violation:]
	return Observed{&out, found[:hold], found[violation:]}
}

// A place is a site, by what a witness and a recording both know of it.
type place struct {
	fn, expr  string // "a.b" and "a.b.c" begin at the same column; expr is "" for call sites
	line, col int
}

func placeOf(s Step) place {
	p := place{fn: s.Func, expr: s.Expr, line: s.Line, col: s.Col}
	if s.SiteNumber == 0 {
		p.expr = ""
	}
	return p
}

// same reports whether s and o are the same event of a run.
func (s Step) same(o Step) bool {
	return s.Op == o.Op && s.Occurrence == o.Occurrence && s.Line == o.Line && s.Goroutine == o.Goroutine && placeOf(s) == placeOf(o)
}

// A where is what goroutines do at places, both by their numbers.
type where struct {
	place, goroutine int32
	op               trace.Kind
}

// In reports for each access of the violation whether a goroutine of w's tests has come
// to its place in t, a recording of the build in which w is where it says.
func (w *Witness) ReachedIn(t *trace.Trace) []bool {
	came := make(map[place]bool)
	for i := range t.Events {
		e := &t.Events[i]
		if s := t.Sites[e.Site]; slices.Contains(w.Tests, t.Goroutines[e.G].Test) {
			came[place{s.Func, s.Expr, s.Line, s.Col}] = true
		}
	}
	out := make([]bool, len(w.Violation))
	for i, s := range w.Violation {
		out[i] = came[placeOf(s)]
	}
	return out
}

// Find returns for each step the position of its event in t, -1 if t does not
// have it. The index is that of t; without one, all of t is looked through.
func FindSteps(t *trace.Trace, index *Index, steps []Step) []int {
	f := newFinder(t, steps)
	type occurrence struct{ n, at int }
	found := make([][]occurrence, len(f.numbers)) // the events that steps may be, in their order
	first, end := index.Range(t, steps)
	var begins []int
	if index != nil {
		begins = index.begins
	} else {
		begins = testBegins(t)
	}
	for i := first; i < end; i++ {
		e := &t.Events[i]
		if int(e.G) < len(begins) && i < begins[e.G] { // where it begins to count
			continue
		}
		if n := f.number(e); n >= 0 {
			o := occurrence{1 + int(e.Skipped), i}
			if its := found[n]; len(its) > 0 {
				o.n += its[len(its)-1].n
			}
			found[n] = append(found[n], o)
		}
	}
	out := make([]int, len(steps))
	for n, s := range steps {
		out[n] = -1
		its := found[f.ofStep[n]]
		if k, ok := slices.BinarySearchFunc(its, s.Occurrence, func(o occurrence, n int) int { return cmp.Compare(o.n, n) }); ok {
			out[n] = its[k].at
		}
	}
	return out
}

// Needed returns which events of t, a recording of replays of the witnesses, tell what is to be told of these: the
// steps, and all synchronization, as what a step has begun may end after all of them. It is to be asked of
// each in turn; t need not have them, but what else it has. Of those that decide no more are needed of its tests.
func NeededEvents(t *trace.Trace, ws ...*Witness) (is func(*trace.Event) bool, decide int) {
	var steps []Step
	for _, w := range ws {
		steps = slices.Concat(steps, w.Steps, w.Holds, w.Violation)
	}
	f := newFinder(t, steps)
	left := make([]int, len(f.numbers)) // how many more may be steps
	for n, s := range steps {
		left[f.ofStep[n]] = max(left[f.ofStep[n]], s.Occurrence)
	}
	for is, n := range f.numbers {
		if e := (trace.Event{Kind: is.op}); e.IsDataEvent() {
			decide += min(left[n], math.MaxInt32) // whatever a file says
		}
	}
	// Of a test's own goroutine those before it begins do not count, and by those after its end it has not gone.
	counts := make([]bool, len(t.Goroutines))
	for g := range counts {
		counts[g] = t.Goroutines[g].Path != "0"
	}
	return func(e *trace.Event) bool {
		switch {
		case int(e.G) >= len(counts):
			return true
		case e.Kind == trace.TestBegin || e.Kind == trace.TestEnd:
			counts[e.G] = e.Kind == trace.TestBegin
			return true
		case !counts[e.G] || !e.IsDataEvent():
			return true
		}
		n := f.number(e)
		if n < 0 || left[n] == 0 {
			return false
		}
		left[n]--
		return true
	}, decide
}

// A finder tells which of some steps events of a trace may be.
type finder struct {
	t          *trace.Trace
	places     map[place]int32
	numbers    map[where]int32
	ofStep     []int32                // by step the number of where it is
	sites      map[trace.SiteID]int32 // the places of the events so far, -1 of those that no step is at
	goroutines []int32                // the numbers of those that have steps, else -1
}

func newFinder(t *trace.Trace, steps []Step) *finder {
	f := &finder{
		t: t, places: make(map[place]int32), numbers: make(map[where]int32), ofStep: make([]int32, len(steps)),
		sites: make(map[trace.SiteID]int32), goroutines: make([]int32, len(t.Goroutines)),
	}
	goroutines := make(map[string]int32)
	for n, s := range steps {
		f.ofStep[n] = numberOf(f.numbers, where{numberOf(f.places, placeOf(s)), numberOf(goroutines, s.Goroutine), s.Op})
	}
	var name []byte
	for g := range f.goroutines {
		f.goroutines[g] = -1
		name = t.Goroutines[g].AppendName(name[:0])
		if n, ok := goroutines[string(name)]; ok {
			f.goroutines[g] = n
		}
	}
	return f
}

// number is that of where e is, -1 if no step is there.
func (f *finder) number(e *trace.Event) int32 {
	if int(e.G) >= len(f.goroutines) || f.goroutines[e.G] < 0 {
		return -1
	}
	at, known := f.sites[e.Site]
	if !known {
		at = -1
		s := f.t.Sites[e.Site] // a trace has more sites than its events are at
		if n, ok := f.places[place{s.Func, s.Expr, s.Line, s.Col}]; ok {
			at = n
		}
		f.sites[e.Site] = at
	}
	if at >= 0 {
		if n, wanted := f.numbers[where{at, f.goroutines[e.G], e.Kind}]; wanted {
			return n
		}
	}
	return -1
}

// numberOf is that of a key among those so far, from 0.
func numberOf[K comparable](numbers map[K]int32, key K) int32 {
	n, ok := numbers[key]
	if !ok {
		n = int32(len(numbers))
		numbers[key] = n
	}
	return n
}
