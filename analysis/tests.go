package analysis

import (
	"slices"
	"sort"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A span is where a top-level test runs: from where it begins to where its own
// goroutine ends.
type span struct {
	test       string
	begin, end int
}

// spansOf returns the spans of the tests of t by their beginning.
func spansOf(t *trace.Trace) []span {
	var spans []span
	of := make(map[trace.GID]int) // index of the last one of a test's own goroutine
	for i := range t.Events {
		e := &t.Events[i]
		g := &t.Goroutines[e.G]
		if g.Path != "0" || g.Test == "" {
			continue
		}
		k, begun := of[e.G]
		switch {
		case e.Kind == trace.TestBegin && !begun:
			of[e.G] = len(spans)
			spans = append(spans, span{g.Test, i, len(t.Events)})
		case e.Kind == trace.End && begun:
			spans[k].end = i
		}
	}
	return spans
}

// testsOf returns the tests that accesses are part of, each once; "" is none. They
// are those that their goroutines belong to. Where a goroutine's own test is over, or
// it has none, and it does what another test has told it to do, as workers do that
// serve all tests, that one is the first.
func (p *predictor) testsOf(accesses []int) (tests []string) {
	add := func(test string) {
		if !slices.Contains(tests, test) {
			tests = append(tests, test)
		}
	}
	for _, i := range accesses {
		if other := p.serves(i); other != "" {
			add(other)
		}
	}
	for _, i := range accesses {
		add(p.t.Goroutines[p.t.Events[i].G].Test)
	}
	return tests
}

// serves returns the test that event i is done for, where that is another one than that
// of its goroutine: the last one that must have begun before, and has not ended.
func (p *predictor) serves(i int) string {
	if p.spans == nil {
		p.spans = spansOf(p.t)
	}
	own := p.t.Goroutines[p.t.Events[i].G].Test
	begun := p.spans[:sort.Search(len(p.spans), func(k int) bool { return p.spans[k].begin >= i })]
	if own != "" && slices.ContainsFunc(begun, func(s span) bool { return s.test == own && s.end > i }) {
		return ""
	}
	for _, s := range slices.Backward(begun) {
		if s.end > i && s.test != own && p.o.Before(s.begin, i) {
			return s.test
		}
	}
	return ""
}

// tests returns the tests of accesses, and a note unless it is one test.
func (p *predictor) tests(accesses []int) (tests []string, note string) {
	tests = p.testsOf(accesses)
	outside := slices.Index(tests, "")
	if outside >= 0 {
		tests = slices.Delete(tests, outside, outside+1)
	}
	switch {
	case len(tests) == 0:
		return nil, "all goroutines run outside of any test"
	case outside >= 0:
		return tests, "one of the goroutines runs outside of any test"
	case len(tests) > 1:
		return tests, "the goroutines belong to different tests, " + strings.Join(tests, " and ")
	}
	return tests, ""
}
