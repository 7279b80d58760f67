package witness

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Observe returns a copy of w that shows the values of t, a recording of a
// replay of w. Steps that t does not have show none. It needs the positions
// of w to be those of the replayed build.
func (w *Witness) Observe(t *trace.Trace) *Witness {
	out := *w
	all := slices.Concat(w.Steps, w.Hold, w.Violation)
	for i, at := range Find(t, nil, all) {
		all[i].Value = ""
		if at >= 0 {
			all[i].Value = value(t, at)
		}
	}
	hold := len(w.Steps)
	violation := hold + len(w.Hold)
	out.Steps, out.Hold, out.Violation = all[:hold:hold], all[hold:violation:violation], all[violation:]
	return &out
}

// A place is a site, by what a witness and a recording both know of it.
type place struct {
	fn, expr  string // "a.b" and "a.b.c" begin at the same column; expr is "" for call sites
	line, col int
}

// A where is an event of a run, likewise.
type where struct {
	place
	goroutine string
	op        trace.Kind
	occ       int // 0 for any
}

func whereOf(s Step) where {
	p := place{fn: s.Func, expr: s.Expr, line: s.Line, col: s.Col}
	if s.Nth == 0 {
		p.expr = ""
	}
	return where{p, s.Goroutine, s.Op, s.Occ}
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
		out[i] = came[whereOf(s).place]
	}
	return out
}

// Find returns for each step the position of its event in t, -1 if t does not
// have it. The index is that of t; without one, all of t is looked through.
func Find(t *trace.Trace, index *Index, steps []Step) []int {
	wanted, places := make(map[where]bool), make(map[place]bool)
	for _, s := range steps {
		p := whereOf(s)
		p.occ = 0
		wanted[p], places[p.place] = true, true
	}
	sites := map[trace.SiteID]place{0: {}} // those of the steps, and of events without one
	for id, s := range t.Sites {
		if p := (place{s.Func, s.Expr, s.Line, s.Col}); places[p] {
			sites[id] = p
		}
	}
	first, end := index.Range(t, steps)
	var begins map[trace.GID]int
	if index != nil {
		begins = index.begins
	} else {
		begins = testBegins(t)
	}
	counts := make(map[where]int)
	found := make(map[where]int)
	for i := first; i < end; i++ {
		e := &t.Events[i]
		at, ok := sites[e.Site]
		if begin, own := begins[e.G]; !ok || own && i < begin || int(e.G) >= len(t.Goroutines) {
			continue
		}
		if p := (where{at, t.Goroutines[e.G].Name(), e.Kind, 0}); wanted[p] {
			counts[p]++
			p.occ = counts[p]
			found[p] = i
		}
	}
	out := make([]int, len(steps))
	for n, s := range steps {
		if at, ok := found[whereOf(s)]; ok {
			out[n] = at
		} else {
			out[n] = -1
		}
	}
	return out
}
