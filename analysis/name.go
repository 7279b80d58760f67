package analysis

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
)

// merge joins candidates that the reader of a report could not tell apart: the
// reads of x in x*x, and different patterns at the same places.
func (p *predictor) merge(cs []candidate) []candidate {
	var merged []candidate
	of := make(map[string]int)
	for _, c := range cs {
		name := p.name(c)
		if k, ok := of[name]; ok {
			m := &merged[k]
			m.leads = append(slices.Clip(m.leads), c.leads...)
			m.exhaustive = m.exhaustive && c.exhaustive
			continue
		}
		of[name] = len(merged)
		merged = append(merged, c)
	}
	for k := range merged {
		p.sort(&merged[k])
	}
	return merged
}

// sort puts leads within one test first, for they are the easiest to replay,
// and then those whose accesses are near to each other.
func (p *predictor) sort(c *candidate) {
	slices.SortStableFunc(c.leads, func(a, b lead) int {
		return cmp.Or(cmp.Compare(p.apart(a), p.apart(b)), cmp.Compare(a.spread(), b.spread()))
	})
	most := anomaly.MaxPairs
	if c.alone() {
		most = maxFailures
	}
	if len(c.leads) > most {
		c.leads, c.exhaustive = c.leads[:most], false
	}
}

func (l lead) spread() int { return slices.Max(l.accesses) - slices.Min(l.accesses) }

// apart returns 0 for accesses of one test, else 1.
func (p *predictor) apart(l lead) int {
	if tests := p.testsOf(l.accesses); len(tests) > 1 || tests[0] == "" {
		return 1
	}
	return 0
}

// name describes the kind and accesses of c by what the sources show of them.
func (p *predictor) name(c candidate) string {
	var sites []string
	for _, i := range c.leads[0].accesses {
		e := &p.t.Events[i]
		name := fmt.Sprintf("%s site %d", e.Kind, e.Site)
		if s, ok := p.t.Sites[e.Site]; ok {
			name = fmt.Sprintf("%s\x00%s\x00%s\x00%d", s.Func, s.Expr, cmp.Or(s.Op, e.Kind.String()), s.Line)
		}
		sites = append(sites, name)
	}
	slices.Sort(sites)
	return string(c.kind) + "\x00" + strings.Join(sites, "\x00")
}

// where describes event i by its place in the sources.
func (p *predictor) where(i int) string {
	e := &p.t.Events[i]
	s, ok := p.t.Sites[e.Site]
	if !ok {
		return e.Kind.String() + " at an unknown place"
	}
	return fmt.Sprintf("%s at %s:%d", e.Kind, path.Base(strings.ReplaceAll(s.File, `\`, "/")), s.Line)
}
