package witness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/minimize"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A maker turns events of one trace into steps.
type maker struct {
	t           *trace.Trace
	files       Files
	source      *Sources // may be nil
	index       *Index
	occurrences map[int]int               // by position of the events that become steps
	operands    map[uint64]string         // by object, where the source line names it
	steps       map[siteOperation]Step    // what the steps at one site have in common
	sites       map[trace.SiteID]struct{} // of the steps
}

// A siteOperation is one kind of operation at one site.
type siteOperation struct {
	site trace.SiteID
	kind trace.Kind
}

// newMaker returns the maker of steps for the events in lists. The skipped events do not count as
// occurrences.
func newMaker(t *trace.Trace, index *Index, files Files, source *Sources, skipped map[int]bool, lists ...[]int) *maker {
	m := &maker{
		t: t, index: index, files: files, source: source, operands: make(map[uint64]string),
		steps: make(map[siteOperation]Step), sites: make(map[trace.SiteID]struct{}),
	}
	positions := slices.Concat(lists...)
	for _, i := range positions {
		e := t.Events[i]
		m.sites[e.Site] = struct{}{}
		if !minimize.IsSync(e.Kind) || e.Kind == trace.Call || m.operands[e.Obj] != "" { // a call is named by its method
			continue
		}
		if name := m.operand(e); name != "" {
			m.operands[e.Obj] = name
		}
	}
	slices.Sort(positions)
	m.occurrences = occurrences(t, index, slices.Compact(positions), skipped)
	return m
}

func (m *maker) stepsAt(positions []int) []Step {
	var out []Step
	for _, i := range positions {
		out = append(out, m.stepAt(i))
	}
	return out
}

// stepAt returns the step of the event at position i.
func (m *maker) stepAt(i int) Step {
	e := m.t.Events[i]
	s, known := m.steps[siteOperation{e.Site, e.Kind}]
	if !known {
		s = m.stepOfSite(e)
		m.steps[siteOperation{e.Site, e.Kind}] = s
	}
	s.Goroutine, s.SelectCase, s.Value = m.t.Goroutines[e.G].Name(), m.index.requestedCases[i], value(m.t, i)
	s.Occurrence = m.occurrences[i]
	if s.Expr == "" && s.SiteNumber == 0 && minimize.IsSync(e.Kind) && e.Kind != trace.Call {
		s.Expr = m.operands[e.Obj]
	}
	return s
}

// placeStep returns a step at a site that the rewriter made or a call site, without an operation.
func (m *maker) placeStep(site trace.Site) Step {
	r := m.index.ranks[site.ID]
	return Step{
		Func: site.Func, File: m.files.Name(site.File), Line: site.Line, Col: site.Col, Expr: site.Expr,
		SiteNumber: r.number, AlikeNumber: r.alikeNumber, AlikeCount: r.alikeCount,
	}
}

// stepOfSite returns what all steps at the site of e, and of its kind, have in common.
func (m *maker) stepOfSite(e trace.Event) Step {
	site := m.t.Sites[e.Site]
	s := m.placeStep(site)
	s.Op = e.Kind
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

// requestedCases returns the numbers of the cases that selects took because the schedule had
// requested them, by the positions of the selects. The trace t is that of a replay.
func requestedCases(t *trace.Trace) map[int]int {
	cases, begun := make(map[int]int), make(map[trace.GID]int)
	for i, e := range t.Events {
		switch {
		case e.Kind == trace.Select:
			begun[e.G] = i
		case e.Kind == trace.SelectDone && e.Flags&trace.FlagRequested != 0:
			if position, ok := begun[e.G]; ok {
				cases[position] = int(e.Val)
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

// occurrences returns for each wanted event, given by its position, how many events of its kind and
// site key its goroutine has had by then. Counting starts with the goroutine or, in a test's own
// goroutine, with the test; the run-time library counts likewise. Skipped events do not count. The
// wanted positions are sorted and not empty.
func occurrences(t *trace.Trace, index *Index, wanted []int, skipped map[int]bool) map[int]int {
	type eventKind struct {
		g    trace.GID
		kind trace.Kind
		key  uint64
	}
	keys := make(map[trace.SiteID]uint64)
	kindOf := func(e *trace.Event) eventKind {
		key, known := keys[e.Site]
		if !known {
			key = t.Sites[e.Site].Key
			keys[e.Site] = key
		}
		return eventKind{e.G, e.Kind, key}
	}
	// Traces are long and witnesses short, so only events that matter are counted.
	counts := make(map[eventKind]int)
	active := make([]bool, len(t.Goroutines)) // goroutines of the wanted events
	first := len(t.Events)
	for _, i := range wanted {
		e := &t.Events[i]
		counts[kindOf(e)] = 0
		active[e.G] = true
		first = min(first, index.begins[e.G])
	}
	out := make(map[int]int, len(wanted))
	for _, i := range wanted {
		out[i] = 0
	}
	for i := first; i <= wanted[len(wanted)-1]; i++ {
		e := &t.Events[i]
		if !active[e.G] || i < index.begins[e.G] || skipped[i] {
			continue
		}
		kind := kindOf(e)
		if n, ok := counts[kind]; ok {
			n += 1 + int(e.Skipped)
			counts[kind] = n
			if _, ok := out[i]; ok {
				out[i] = n
			}
		}
	}
	return out
}

// SortSites puts sites into source order, the order that Step.SiteNumber counts in.
func SortSites(sites []trace.Site) {
	slices.SortFunc(sites, func(a, b trace.Site) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.ID, b.ID))
	})
}

// value returns what the event at position i shows to readers; see Step.Value.
func value(t *trace.Trace, i int) string {
	switch e := t.Events[i]; {
	case e.Kind == trace.Fork && e.Obj < uint64(len(t.Goroutines)):
		return t.Goroutines[e.Obj].Path
	case e.Kind.ChangesCounter():
		return fmt.Sprintf("%+d", e.Delta())
	case isPoolEvent(&e) && e.Flags&trace.FlagFailed != 0:
		return "none"
	case e.Kind.IsAccess() && e.HasValue():
		if text, wide := wideValue(t, &e); wide {
			return text
		}
		return Value(e.Val, int(e.Size), t.Sites[e.Site].Type)
	}
	return ""
}
