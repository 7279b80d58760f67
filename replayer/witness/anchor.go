package witness

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// anchors returns, for each call site among the maker's sites, the nearest site that the rewriter
// made in the same function, or else in the same file. A call site needs none if a step of the
// witness is at such a site of its function.
func (m *maker) anchors() []Step {
	known := make(map[string]bool) // functions with a step at a site of the rewriter
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
			nearest := slices.MinFunc(list, func(a, b trace.Site) int { return cmp.Compare(distance(a.Line, c.Line), distance(b.Line, c.Line)) })
			chosen[nearest.ID] = true
		}
	}
	return m.places(chosen)
}

func distance(a, b int) int { return max(a-b, b-a) }

// places returns sites as steps without a goroutine, by function and then in source order.
func (m *maker) places(ids map[trace.SiteID]bool) []Step {
	var sites []trace.Site
	for id := range ids {
		sites = append(sites, m.t.Sites[id])
	}
	SortSites(sites)
	slices.SortStableFunc(sites, func(a, b trace.Site) int { return strings.Compare(a.Func, b.Func) })
	var out []Step
	for _, site := range sites {
		s := m.placeStep(site)
		s.Goroutine, s.Occurrence = anywhere, 1
		var known bool
		if s.Op, known = trace.KindOf(site.Op); !known { // the operation has no kind, e.g. "case"
			s.Op, s.SiteOp = trace.Branch, site.Op
		}
		out = append(out, s)
	}
	return out
}

// anywhere is the goroutine of a place that is no event.
const anywhere = "*"
