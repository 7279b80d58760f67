package witness

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/gopredict/gopredict/analysis/minimize"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A maker turns events of one trace into steps.
type maker struct {
	t              *trace.Trace
	files          Files
	source         *Sources // may be nil
	positions      []int    // the positions of events that become steps, sorted
	occurrences    []int    // their occurrences
	sites          map[trace.SiteID]bool
	asked          map[int]int // the case that a schedule has asked a select for, by position
	index          *Index
	names          map[uint64]string    // operands by object, from where the source tells
	goroutineNames map[trace.GID]string // their names, once for all steps
	common         map[operation]Step
}

// An operation is what steps have in common that are at one place of the sources.
type operation struct {
	site trace.SiteID
	kind trace.Kind
}

// newMaker counts what the steps for the events in lists need, where those that are left
// out do not happen.
func newMaker(t *trace.Trace, index *Index, files Files, source *Sources, left map[int]bool, lists ...[]int) *maker {
	m := &maker{t: t, index: index, files: files, source: source, names: make(map[uint64]string), goroutineNames: make(map[trace.GID]string), common: make(map[operation]Step)}
	m.positions = slices.Concat(lists...)
	slices.Sort(m.positions)
	m.positions = slices.Compact(m.positions)
	m.occurrences = occurrences(t, index, m.positions, left)
	m.asked = index.asked
	m.sites = make(map[trace.SiteID]bool)
	for _, i := range m.positions {
		m.sites[t.Events[i].Site] = true
	}
	for _, list := range lists {
		for _, i := range list {
			e := t.Events[i]
			if !minimize.IsSync(e.Kind) || e.Kind == trace.Call || m.names[e.Obj] != "" { // a call is named by its method
				continue
			}
			if name := m.operand(e); name != "" {
				m.names[e.Obj] = name
			}
		}
	}
	return m
}

func (m *maker) steps(positions []int) []Step {
	if len(positions) == 0 {
		return nil
	}
	out := make([]Step, 0, len(positions))
	for _, i := range positions {
		out = append(out, m.step(i))
	}
	return out
}

// step makes the step of the event at position i.
func (m *maker) step(i int) Step {
	e := m.t.Events[i]
	s, known := m.common[operation{e.Site, e.Kind}]
	if !known {
		s = m.place(e)
		m.common[operation{e.Site, e.Kind}] = s
	}
	s.Goroutine, s.SelectCase, s.Value = m.goroutine(e.G), m.asked[i], value(m.t, i)
	if at, ok := slices.BinarySearch(m.positions, i); ok {
		s.Occurrence = m.occurrences[at]
	}
	if s.Expr == "" && s.SiteNumber == 0 && minimize.IsSync(e.Kind) && e.Kind != trace.Call {
		s.Expr = m.names[e.Obj]
	}
	return s
}

// goroutine returns the name of one.
func (m *maker) goroutine(g trace.GID) string {
	name, known := m.goroutineNames[g]
	if !known {
		name = m.t.Goroutines[g].Name()
		m.goroutineNames[g] = name
	}
	return name
}

// place makes what all steps have in common that are of the kind and at the site of e.
func (m *maker) place(e trace.Event) Step {
	site := m.t.Sites[e.Site]
	s := Step{
		Op:          e.Kind,
		Func:        site.Func,
		File:        m.files.Name(site.File),
		Line:        site.Line,
		Col:         site.Col,
		Expr:        site.Expr,
		SiteNumber:  m.index.ranks[e.Site].nth,
		AlikeNumber: m.index.ranks[e.Site].which,
		AlikeCount:  m.index.ranks[e.Site].of,
	}
	if site.Op != "" && site.Op != e.Kind.String() {
		s.SiteOp = site.Op
	}
	switch {
	case m.source == nil || site.File == "":
	case s.SiteNumber > 0:
		s.LineText = strings.TrimSpace(m.source.Line(site.File, site.Line))
	default:
		s.LineText, s.AlikeNumber, s.AlikeCount = m.source.callSite(site.File, site.Func, site.Line)
	}
	if s.Expr == "" && s.SiteNumber == 0 {
		s.Expr = m.operand(e)
	}
	return s
}

// asked returns the numbers of the cases that the schedule of t, the trace of a replay, has
// asked selects for and that they took, by the positions of these.
func asked(t *trace.Trace) map[int]int {
	cases, begun := make(map[int]int), make(map[trace.GID]int)
	for i, e := range t.Events {
		switch {
		case e.Kind == trace.Select:
			begun[e.G] = i
		case e.Kind == trace.SelectDone && e.Flags&trace.FlagRequested != 0:
			if at, ok := begun[e.G]; ok {
				cases[at] = int(e.Val)
			}
		}
	}
	return cases
}

// operand returns what the source line calls the operand of e, or "".
func (m *maker) operand(e trace.Event) string {
	site := m.t.Sites[e.Site]
	if m.source == nil || site.File == "" || site.Expr != "" {
		return ""
	}
	return Operand(e.Kind, m.source.Line(site.File, site.Line))
}

// occurrences counts, for each wanted position, of which there is one and which are sorted, the
// how-manieth event of its kind and site key it is in its goroutine, since its begin or, for a
// test's own goroutine, since the test's begin: the run-time library counts the same. What is
// left out does not count.
func occurrences(t *trace.Trace, index *Index, want []int, left map[int]bool) []int {
	type point struct {
		g    trace.GID
		kind trace.Kind
		key  uint64
	}
	// Only what is asked for is counted: traces are long, witnesses short.
	counts := make(map[point]int)
	keys := make(map[uint64]bool)           // of the sites that are asked for
	first := make([]int, len(t.Goroutines)) // by goroutine: where counting begins
	for g := range first {
		first[g] = len(t.Events)
	}
	for _, i := range want {
		e := &t.Events[i]
		key := t.Sites[e.Site].Key
		counts[point{e.G, e.Kind, key}], keys[key] = 0, true
		first[e.G] = index.begins[e.G]
	}
	type site struct {
		key   uint64
		asked bool
	}
	sites := make(map[trace.SiteID]site)
	out := make([]int, len(want))
	next, end := 0, 0 // of want, and of the events
	if len(want) > 0 {
		end = want[len(want)-1] + 1
	}
	for i := slices.Min(first); i < end; i++ {
		for want[next] < i {
			next++
		}
		e := &t.Events[i]
		if i < first[e.G] || left[i] {
			continue
		}
		s, known := sites[e.Site]
		if !known {
			key := t.Sites[e.Site].Key
			s = site{key, keys[key]}
			sites[e.Site] = s
		}
		if !s.asked {
			continue
		}
		p := point{e.G, e.Kind, s.key}
		if n, ok := counts[p]; ok {
			n += 1 + int(e.Skipped)
			counts[p] = n
			if want[next] == i {
				out[next] = n
			}
		}
	}
	return out
}

// SortSites puts sites into source order, the order that Step.SiteNumber counts in.
func SortSites(sites []trace.Site) {
	sort.Slice(sites, func(i, j int) bool {
		a, b := sites[i], sites[j]
		switch {
		case a.File != b.File:
			return a.File < b.File
		case a.Line != b.Line:
			return a.Line < b.Line
		case a.Col != b.Col:
			return a.Col < b.Col
		}
		return a.ID < b.ID
	})
}

// value returns what the reader may want to know of the event at position i;
// see Step.Value.
func value(t *trace.Trace, i int) string {
	switch e := t.Events[i]; {
	case e.Kind == trace.Fork && e.Obj < uint64(len(t.Goroutines)):
		return t.Goroutines[e.Obj].Path
	case e.Kind.ChangesCounter():
		return fmt.Sprintf("%+d", e.Delta())
	case ofPool(&e) && e.Flags&trace.FlagFailed != 0:
		return "none"
	case e.Kind.IsAccess() && e.HasValue():
		if text, wide := wideValue(t, &e); wide {
			return text
		}
		return Value(e.Val, int(e.Size), t.Sites[e.Site].Type)
	}
	return ""
}
