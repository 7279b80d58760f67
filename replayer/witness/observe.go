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
	see := func(list []Step) []Step {
		list = slices.Clone(list)
		for i, at := range Find(t, list) {
			list[i].Value = ""
			if at >= 0 {
				list[i].Value = value(t, at)
			}
		}
		return list
	}
	out.Steps, out.Hold, out.Violation = see(w.Steps), see(w.Hold), see(w.Violation)
	return &out
}

// A where is an event of a run, by what a witness and a recording both know
// of it.
type where struct {
	goroutine, fn string
	op            trace.Kind
	line, col     int
	expr          string // "a.b" and "a.b.c" begin at the same column; "" for call sites
	occ           int    // 0 for any
}

func whereOf(s Step) where {
	p := where{s.Goroutine, s.Func, s.Op, s.Line, s.Col, s.Expr, s.Occ}
	if s.Nth == 0 {
		p.expr = ""
	}
	return p
}

// Find returns for each step the position of its event in t, -1 if t does not
// have it.
func Find(t *trace.Trace, steps []Step) []int {
	wanted := make(map[where]bool)
	for _, s := range steps {
		p := whereOf(s)
		p.occ = 0
		wanted[p] = true
	}
	begins := testBegins(t)
	counts := make(map[where]int)
	found := make(map[where]int)
	for i, e := range t.Events {
		if b, ok := begins[e.G]; ok && i < b || int(e.G) >= len(t.Goroutines) {
			continue
		}
		site := t.Sites[e.Site]
		p := where{t.Goroutines[e.G].Name(), site.Func, e.Kind, site.Line, site.Col, site.Expr, 0}
		if wanted[p] {
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
