package detect

import (
	"slices"
	"sort"

	"github.com/gopredict/gopredict/analysis/order"
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
		if e.Kind != trace.TestBegin && e.Kind != trace.End {
			continue
		}
		g := &t.Goroutines[e.G]
		if !g.IsTest() {
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

// Tests tell which tests events are part of.
type TestIndex struct {
	t     *trace.Trace
	o     *order.Order
	spans []span
}

// NewTests returns those of t, of which o is the order.
func NewTestIndex(t *trace.Trace, o *order.Order) *TestIndex { return &TestIndex{t, o, spansOf(t)} }

// Of returns the tests that accesses are part of, each once; "" is none. They
// are those that their goroutines belong to. Where a goroutine's own test is over, or
// it has none, and it does what another test has told it to do, as workers do that
// serve all tests, that one is the first.
func (s *TestIndex) TestsOf(accesses []int) (tests []string) {
	add := func(test string) {
		if !slices.Contains(tests, test) {
			tests = append(tests, test)
		}
	}
	for _, i := range accesses {
		if other := s.serves(i); other != "" {
			add(other)
		}
	}
	for _, i := range accesses {
		add(s.t.Goroutines[s.t.Events[i].G].Test)
	}
	return tests
}

// serves returns the test that event i is done for, where that is another one than that
// of its goroutine: the last one that must have begun before, and has not ended.
func (s *TestIndex) serves(i int) string {
	own := s.t.Goroutines[s.t.Events[i].G].Test
	begun := s.spans[:sort.Search(len(s.spans), func(k int) bool { return s.spans[k].begin >= i })]
	if own != "" && slices.ContainsFunc(begun, func(at span) bool { return at.test == own && at.end > i }) {
		return ""
	}
	for _, at := range slices.Backward(begun) {
		if at.end > i && at.test != own && s.o.Before(at.begin, i) {
			return at.test
		}
	}
	return ""
}
