package detect

import (
	"slices"
	"sort"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A testSpan is the events of a top-level test: from where it begins to where its own goroutine ends.
type testSpan struct {
	test       string
	begin, end int
}

// testSpans returns the spans of the tests of t by their beginning.
func testSpans(t *trace.Trace) []testSpan {
	var spans []testSpan
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
			spans = append(spans, testSpan{g.Test, i, len(t.Events)})
		case e.Kind == trace.End && begun:
			spans[k].end = i
		}
	}
	return spans
}

// A TestIndex knows which tests the events of a trace belong to.
type TestIndex struct {
	t     *trace.Trace
	o     *order.Order
	spans []testSpan
}

// NewTestIndex returns the index of t, of which o is the order.
func NewTestIndex(t *trace.Trace, o *order.Order) *TestIndex { return &TestIndex{t, o, testSpans(t)} }

// TestsOf returns the tests that accesses belong to, each once; "" stands for none. These are the tests of
// their goroutines. A worker may outlive its test, or have none, and work for another test: then that one
// comes first.
func (s *TestIndex) TestsOf(accesses []int) (tests []string) {
	add := func(test string) {
		if !slices.Contains(tests, test) {
			tests = append(tests, test)
		}
	}
	for _, i := range accesses {
		if other := s.servedTest(i); other != "" {
			add(other)
		}
	}
	for _, i := range accesses {
		add(s.t.Goroutines[s.t.Events[i].G].Test)
	}
	return tests
}

// servedTest returns the test that event i works for, if that is not the test of its goroutine: the last one
// that must have begun before and has not ended. It returns "" if there is none.
func (s *TestIndex) servedTest(i int) string {
	own := s.t.Goroutines[s.t.Events[i].G].Test
	begun := s.spans[:sort.Search(len(s.spans), func(k int) bool { return s.spans[k].begin >= i })]
	if own != "" && slices.ContainsFunc(begun, func(at testSpan) bool { return at.test == own && at.end > i }) {
		return ""
	}
	for _, at := range slices.Backward(begun) {
		if at.end > i && at.test != own && s.o.Before(at.begin, i) {
			return at.test
		}
	}
	return ""
}
