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
// reads of x in x*x.
func (p *predictor) merge(cs []anomaly.Candidate) []anomaly.Candidate {
	var merged []anomaly.Candidate
	of := make(map[string]int)
	for _, c := range cs {
		name := p.name(c.Pairs[0])
		if k, ok := of[name]; ok {
			m := &merged[k]
			m.Pairs = append(slices.Clip(m.Pairs), c.Pairs...)
			m.Exhaustive = m.Exhaustive && c.Exhaustive
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

// sort puts pairs within one test first, for they are the easiest to replay,
// and then those that are near to each other.
func (p *predictor) sort(c *anomaly.Candidate) {
	slices.SortStableFunc(c.Pairs, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(p.apart(a), p.apart(b)), cmp.Compare(a[1]-a[0], b[1]-b[0]))
	})
	if len(c.Pairs) > anomaly.MaxPairs {
		c.Pairs, c.Exhaustive = c.Pairs[:anomaly.MaxPairs], false
	}
}

// apart returns 0 for two accesses of one test, else 1.
func (p *predictor) apart(pair [2]int) int {
	a, b := p.test(pair[0]), p.test(pair[1])
	if a == b && a != "" {
		return 0
	}
	return 1
}

func (p *predictor) test(i int) string { return p.t.Goroutines[p.t.Events[i].G].Test }

// name describes two accesses by what the sources show of them.
func (p *predictor) name(pair [2]int) string {
	var sites [2]string
	for k, i := range pair {
		e := &p.t.Events[i]
		sites[k] = fmt.Sprintf("%s site %d", e.Kind, e.Site)
		if s, ok := p.t.Sites[e.Site]; ok {
			sites[k] = fmt.Sprintf("%s\x00%s\x00%s\x00%d", s.Func, s.Expr, cmp.Or(s.Op, e.Kind.String()), s.Line)
		}
	}
	slices.Sort(sites[:])
	return sites[0] + "\x00" + sites[1]
}

// tests returns the tests of two accesses, and a note unless it is one test.
func (p *predictor) tests(pair [2]int) (tests []string, note string) {
	a, b := p.test(pair[0]), p.test(pair[1])
	switch {
	case a == "" && b == "":
		return nil, "both goroutines run outside of any test"
	case a == "" || b == "":
		return []string{a + b}, "one of the goroutines runs outside of any test"
	case a != b:
		return []string{a, b}, fmt.Sprintf("the goroutines belong to different tests, %s and %s", a, b)
	}
	return []string{a}, ""
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
