package witness

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// An Observed witness shows the values that one of its replays had.
type Observed struct {
	*Witness
	// StepPositions and ViolationPositions are the positions of its steps and violating accesses
	// in the trace of the replay, -1 where there is none.
	StepPositions, ViolationPositions []int
}

// Observe returns a copy of w that shows the values of t, the trace of a
// replay of w. Steps that t does not have show none. The positions of w in the
// sources must be those of the replayed build.
func (w *Witness) Observe(t *trace.Trace) Observed {
	out := *w
	all := slices.Concat(w.Steps, w.Holds, w.Violation)
	found := FindSteps(t, nil, all)
	for i, position := range found {
		all[i].Value = ""
		if position >= 0 {
			all[i].Value = value(t, position)
		}
	}
	hold := len(w.Steps)
	violation := hold + len(w.Holds)
	out.Steps, out.Holds, out.Violation = all[:hold:hold], all[hold:violation:violation], all[violation:]
	return Observed{&out, found[:hold], found[violation:]}
}

// A place is a site, by what a witness and a trace both have of it.
type place struct {
	function, expr string // "a.b" and "a.b.c" begin at the same column; expr is "" for call sites
	line, col      int
}

func placeOf(s Step) place {
	p := place{function: s.Func, expr: s.Expr, line: s.Line, col: s.Col}
	if s.SiteNumber == 0 {
		p.expr = ""
	}
	return p
}

// inDeclarations returns the place in the functions that may declare the code: the compiler numbers
// function literals, code may be put into one, and those of inlined functions have the names of the
// functions that they were inlined into.
func (p place) inDeclarations() (all []place) {
	pkg, _ := cutPackage(p.function)
	for _, name := range declNames(p.function) {
		p.function = pkg + "." + name
		all = append(all, p)
	}
	return all
}

func placeOfSite(s trace.Site) place { return place{s.Func, s.Expr, s.Line, s.Col} }

// same reports whether s and o are the same event of a run.
func (s Step) same(o Step) bool {
	return s.Op == o.Op && s.Occurrence == o.Occurrence && s.Line == o.Line && s.Goroutine == o.Goroutine && placeOf(s) == placeOf(o)
}

// ReachedIn reports for each access of the violation whether a goroutine of w's tests reached its
// place in t, a trace of the build that w's positions are of.
func (w *Witness) ReachedIn(t *trace.Trace) []bool {
	reached := make(map[place]bool)
	for i := range t.Events {
		e := &t.Events[i]
		if slices.Contains(w.Tests, t.Goroutines[e.G].Test) {
			for _, p := range placeOfSite(t.Sites[e.Site]).inDeclarations() {
				reached[p] = true
			}
		}
	}
	out := make([]bool, len(w.Violation))
	for i, s := range w.Violation {
		out[i] = slices.ContainsFunc(placeOf(s).inDeclarations(), func(p place) bool { return reached[p] })
	}
	return out
}

// FindSteps returns for each step the position of its event in t, or -1 if t does not
// have it. The index is that of t. Without an index, FindSteps looks through all of t.
func FindSteps(t *trace.Trace, index *Index, steps []Step) []int {
	groups := groupSteps(t, steps)
	type occurrence struct{ number, position int }
	occurrences := make([][]occurrence, groups.count) // by group
	begins := index.testBegins(t)
	first, end := index.stepRange(t, steps)
	for i := first; i < end; i++ {
		e := &t.Events[i]
		if int(e.G) < len(begins) && i < begins[e.G] {
			continue // its count begins with the test
		}
		group, wanted := groups.ofEvent[eventKey{e.G, e.Site, e.Kind}]
		if !wanted {
			continue
		}
		number := 1 + int(e.Skipped)
		if earlier := occurrences[group]; len(earlier) > 0 {
			number += earlier[len(earlier)-1].number
		}
		occurrences[group] = append(occurrences[group], occurrence{number, i})
	}
	out := make([]int, len(steps))
	for n, s := range steps {
		out[n] = -1
		candidates := occurrences[groups.ofStep[n]]
		if k, ok := slices.BinarySearchFunc(candidates, s.Occurrence, func(o occurrence, n int) int { return cmp.Compare(o.number, n) }); ok {
			out[n] = candidates[k].position
		}
	}
	return out
}

// stepGroups groups steps that differ in their occurrence only, and has the events of a trace that
// may be steps of a group.
type stepGroups struct {
	count   int
	ofStep  []int            // by step: its group
	ofEvent map[eventKey]int // the groups of the events that may be steps
}

// An eventKey is what the events of a group have in common.
type eventKey struct {
	g    trace.GID
	site trace.SiteID
	op   trace.Kind
}

func groupSteps(t *trace.Trace, steps []Step) *stepGroups {
	gids := make(map[string][]trace.GID)    // of the steps, by name
	sites := make(map[place][]trace.SiteID) // likewise
	for _, s := range steps {
		gids[s.Goroutine], sites[placeOf(s)] = nil, nil
	}
	x := &stepGroups{ofStep: make([]int, len(steps)), ofEvent: make(map[eventKey]int)}
	var name []byte
	for g := range t.Goroutines {
		name = t.Goroutines[g].AppendName(name[:0])
		if known, ok := gids[string(name)]; ok {
			gids[string(name)] = append(known, trace.GID(g))
		}
	}
	for id, s := range t.Sites {
		if known, ok := sites[placeOfSite(s)]; ok {
			sites[placeOfSite(s)] = append(known, id)
		}
	}
	if _, ok := sites[place{}]; ok { // of events without a site
		sites[place{}] = append(sites[place{}], 0)
	}
	type group struct {
		place     place
		goroutine string
		op        trace.Kind
	}
	numbers := make(map[group]int)
	for n, s := range steps {
		key := group{placeOf(s), s.Goroutine, s.Op}
		number, known := numbers[key]
		if !known {
			number = len(numbers)
			numbers[key] = number
			for _, g := range gids[s.Goroutine] {
				for _, site := range sites[key.place] {
					x.ofEvent[eventKey{g, site, s.Op}] = number
				}
			}
		}
		x.ofStep[n] = number
	}
	x.count = len(numbers)
	return x
}
