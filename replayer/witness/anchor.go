package witness

import (
	"sort"

	"github.com/gopredict/gopredict/recorder/trace"
)

// anchors returns, for each call site among the maker's sites, the nearest
// place that the rewriter knows by name in the same function, or else in the
// same file. Where a step of the witness is such a place already, no anchor is
// needed.
func (m *maker) anchors() []Step {
	known := make(map[string]bool) // functions that have a step with a name
	var calls []trace.Site
	for id := range m.sites {
		s, ok := m.t.Sites[id]
		switch {
		case !ok || s.Func == "":
		case id&trace.SiteRewritten != 0:
			known[s.Func] = true
		default:
			calls = append(calls, s)
		}
	}
	chosen := make(map[trace.SiteID]bool)
	for _, c := range calls {
		if known[c.Func] {
			continue
		}
		list := m.index.byFunc[c.Func]
		if len(list) == 0 {
			list = m.index.byFile[c.File]
		}
		if len(list) > 0 {
			chosen[nearest(list, c.Line).ID] = true
		}
	}
	return m.places(chosen)
}

// nearest returns the site whose line is nearest, of several the first; sites
// are in source order and not empty.
func nearest(sites []trace.Site, line int) trace.Site {
	best := sites[0]
	for _, s := range sites[1:] {
		if distance(s.Line, line) < distance(best.Line, line) {
			best = s
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// places returns sites as steps without a goroutine of their own, in source
// order.
func (m *maker) places(ids map[trace.SiteID]bool) []Step {
	var sites []trace.Site
	for id := range ids {
		sites = append(sites, m.t.Sites[id])
	}
	SortSites(sites)
	var out []Step
	for _, s := range sites {
		kind, known := trace.KindOf(s.Op)
		step := Step{
			Goroutine: anywhere, Op: kind, Func: s.Func, File: m.files.Name(s.File),
			Line: s.Line, Col: s.Col, Expr: s.Expr, SiteNumber: m.index.ranks[s.ID].nth, AlikeNumber: m.index.ranks[s.ID].which, AlikeCount: m.index.ranks[s.ID].of, Occurrence: 1,
		}
		if !known { // a word of the rewriter's own, e.g. "case"
			step.Op, step.SiteOp = trace.Branch, s.Op
		}
		out = append(out, step)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Func < out[j].Func })
	return out
}

// anywhere stands for the goroutine of a place that is no event.
const anywhere = "*"
