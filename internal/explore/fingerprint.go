package explore

import (
	"hash/fnv"
	"io"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file tells whether a recording shows anything new. Most further recordings do
// not: their events come in the order of an earlier one, and there is nothing to predict
// that was not predicted. The fingerprint of a test is the order of its events, by
// goroutines and places: addresses and values differ between runs of one order.

// A server tells which tests the events of a trace are for, in their order.
type server struct {
	t    *trace.Trace
	last string  // the test that began last
	test []int32 // by goroutine: the number of its test
	over []bool  // by test
}

func newServer(t *trace.Trace) *server {
	s := &server{t: t, test: make([]int32, len(t.Goroutines))}
	numbers := make(map[string]int32)
	for g := range t.Goroutines {
		n, ok := numbers[t.Goroutines[g].Test]
		if !ok {
			n = int32(len(numbers))
			numbers[t.Goroutines[g].Test] = n
		}
		s.test[g] = n
	}
	s.over = make([]bool, len(numbers))
	return s
}

// of returns the test that the next event is for: that of its goroutine, or, if that is
// over or there is none, the one that began last, as of workers that serve all tests. It
// is "" for what runs the tests.
func (s *server) of(e *trace.Event) string {
	g := &s.t.Goroutines[e.G]
	switch {
	case g.Test == "" && g.Path == "main":
		return ""
	case g.Test == "" || s.over[s.test[e.G]]:
		return s.last
	case e.Kind == trace.TestBegin && g.Path == "0":
		s.last = g.Test
	case e.Kind == trace.End && g.Path == "0":
		s.over[s.test[e.G]] = true
	}
	return g.Test
}

// fingerprints returns for each test of t a number that is equal for runs of it in
// which the same events came in the same order.
func fingerprints(t *trace.Trace) map[string]uint64 {
	return printed(t, func(int, string, uint64) {})
}

// printed is fingerprints; it calls each with the position of each event that is for a test
// and the fingerprint of that test up to there.
func printed(t *trace.Trace, each func(i int, test string, sum uint64)) map[string]uint64 {
	sums := make(map[string]uint64)
	names := make([]uint64, len(t.Goroutines))
	for i, g := range t.Goroutines {
		h := fnv.New64a()
		io.WriteString(h, g.Name())
		names[i] = h.Sum64()
	}
	const prime = 1099511628211 // FNV-1a, a word at a time
	tests := newServer(t)
	done := make([]uint64, len(t.Goroutines))
	of, sum := "", uint64(0) // the last event's test, and its sum so far
	for i := range t.Events {
		e := &t.Events[i]
		done[e.G]++
		test := tests.of(e)
		if test == "" {
			continue
		}
		at := names[e.G]
		if test != t.Goroutines[e.G].Test {
			at += done[e.G] // what it has done for other tests counts in a schedule
		}
		if test != of {
			sums[of] = sum
			of, sum = test, sums[test]
		}
		for _, w := range [...]uint64{at, uint64(e.Kind), t.Sites[e.Site].Key} {
			sum = (sum ^ w) * prime
		}
		each(i, test, sum)
	}
	sums[of] = sum
	delete(sums, "")
	return sums
}
