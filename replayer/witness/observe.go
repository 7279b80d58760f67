package witness

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// An Observed witness shows the values of a recording of a replay of it.
type Observed struct {
	*Witness
	// Where its steps and its violation are in the recording, -1 of what that does not have.
	StepsAt, ViolationAt []int
}

// Observe returns a copy of w that shows the values of t, a recording of a
// replay of w. Steps that t does not have show none. It needs the positions
// of w to be those of the replayed build.
func (w *Witness) Observe(t *trace.Trace) Observed {
	out := *w
	all := slices.Concat(w.Steps, w.Hold, w.Violation)
	found := Find(t, nil, all)
	for i, at := range found {
		all[i].Value = ""
		if at >= 0 {
			all[i].Value = value(t, at)
		}
	}
	hold := len(w.Steps)
	violation := hold + len(w.Hold)
	out.Steps, out.Hold, out.Violation = all[:hold:hold], all[hold:violation:violation], all[violation:]
	return Observed{&out, found[:hold], found[violation:]}
}

// A place is a site, by what a witness and a recording both know of it.
type place struct {
	fn, expr  string // "a.b" and "a.b.c" begin at the same column; expr is "" for call sites
	line, col int
}

func placeOf(s Step) place {
	p := place{fn: s.Func, expr: s.Expr, line: s.Line, col: s.Col}
	if s.Nth == 0 {
		p.expr = ""
	}
	return p
}

// same reports whether s and o are the same event of a run.
func (s Step) same(o Step) bool {
	return s.Op == o.Op && s.Occ == o.Occ && s.Line == o.Line && s.Goroutine == o.Goroutine && placeOf(s) == placeOf(o)
}

// A where is what goroutines do at places, both by their numbers.
type where struct {
	place, goroutine int32
	op               trace.Kind
}

// In reports for each access of the violation whether a goroutine of w's tests has come
// to its place in t, a recording of the build in which w is where it says.
func (w *Witness) In(t *trace.Trace) []bool {
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
func Find(t *trace.Trace, index *Index, steps []Step) []int {
	places, goroutines := make(map[place]int32), make(map[string]int32)
	numbers := make(map[where]int32)
	of := make([]int32, len(steps)) // the number of where each is
	for n, s := range steps {
		of[n] = numberOf(numbers, where{numberOf(places, placeOf(s)), numberOf(goroutines, s.Goroutine), s.Op})
	}
	found := make([][]int, len(numbers))  // where events are that steps may be, in their order
	sites := make(map[trace.SiteID]int32) // the places of the events so far, -1 of those that no step is at
	first, end := index.Range(t, steps)
	var begins []int
	if index != nil {
		begins = index.begins
	} else {
		begins = testBegins(t)
	}
	type own struct{ number, from int32 }
	its := make([]own, len(t.Goroutines)) // the numbers of those that have steps, else -1, and where they begin to count
	var name []byte
	for g := range its {
		its[g] = own{-1, int32(begins[g])}
		name = t.Goroutines[g].AppendName(name[:0])
		if n, ok := goroutines[string(name)]; ok {
			its[g].number = n
		}
	}
	for i := first; i < end; i++ {
		e := &t.Events[i]
		if int(e.G) >= len(its) || its[e.G].number < 0 || i < int(its[e.G].from) {
			continue
		}
		at, known := sites[e.Site]
		if !known {
			at = -1
			s := t.Sites[e.Site] // a trace has more sites than its events are at
			if n, ok := places[place{s.Func, s.Expr, s.Line, s.Col}]; ok {
				at = n
			}
			sites[e.Site] = at
		}
		if at < 0 {
			continue
		}
		if n, wanted := numbers[where{at, its[e.G].number, e.Kind}]; wanted {
			found[n] = append(found[n], i)
		}
	}
	out := make([]int, len(steps))
	for n, s := range steps {
		out[n] = -1
		if at := found[of[n]]; s.Occ > 0 && s.Occ <= len(at) {
			out[n] = at[s.Occ-1]
		}
	}
	return out
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
