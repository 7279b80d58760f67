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
	tests []string // names; the first one is "", of what runs the tests
	by    []served // by goroutine
	last  int32    // the test that began last
	over  []bool   // by test
}

// served is what a server needs of a goroutine.
type served struct {
	test       int32
	main, root bool // it runs all tests; it is a test's own
}

func newServer(t *trace.Trace) *server {
	s := &server{tests: []string{""}, by: make([]served, len(t.Goroutines))}
	numbers := map[string]int32{"": 0}
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		n, ok := numbers[g.Test]
		if !ok {
			n = int32(len(s.tests))
			numbers[g.Test] = n
			s.tests = append(s.tests, g.Test)
		}
		s.by[i] = served{n, n == 0 && g.Path == "main", g.Path == "0"}
	}
	s.over = make([]bool, len(s.tests))
	return s
}

// of returns the number of the test that the next event is for: that of its goroutine, or, if
// that is over or there is none, the one that began last, as of workers that serve all tests.
// It is 0 for what runs the tests.
func (s *server) of(e *trace.Event) int32 {
	g := s.by[e.G]
	switch {
	case g.main:
		return 0
	case g.test == 0 || s.over[g.test]:
		return s.last
	case e.Kind == trace.TestBegin && g.root:
		s.last = g.test
	case e.Kind == trace.End && g.root:
		s.over[g.test] = true
	}
	return g.test
}

// fingerprints returns for each test of t a number that is equal for runs of it in
// which the same events came in the same order.
func fingerprints(t *trace.Trace) map[string]uint64 {
	return printed(t, func(int, string, uint64) {})
}

// printed is fingerprints; it calls each with the position of each event that is for a test
// and the fingerprint of that test up to there.
func printed(t *trace.Trace, each func(i int, test string, sum uint64)) map[string]uint64 {
	names := make([]uint64, len(t.Goroutines))
	for i, g := range t.Goroutines {
		h := fnv.New64a()
		io.WriteString(h, g.Name())
		names[i] = h.Sum64()
	}
	const prime = 1099511628211 // FNV-1a, a word at a time
	type place struct {
		site  trace.SiteID
		known bool
		key   uint64
	}
	var recent [256]place // by the last bits of their sites: most events are at a few places
	s := newServer(t)
	done := make([]uint64, len(t.Goroutines))
	sums, served := make([]uint64, len(s.tests)), make([]bool, len(s.tests))
	for i := range t.Events {
		e := &t.Events[i]
		done[e.G]++
		test := s.of(e)
		if test == 0 {
			continue
		}
		at := names[e.G]
		if test != s.by[e.G].test {
			at += done[e.G] // what it has done for other tests counts in a schedule
		}
		p := &recent[e.Site%trace.SiteID(len(recent))]
		if p.site != e.Site || !p.known {
			*p = place{e.Site, true, t.Sites[e.Site].Key}
		}
		for _, w := range [...]uint64{at, uint64(e.Kind), p.key} {
			sums[test] = (sums[test] ^ w) * prime
		}
		served[test] = true
		each(i, s.tests[test], sums[test])
	}
	all := make(map[string]uint64)
	for test, name := range s.tests {
		if served[test] {
			all[name] = sums[test]
		}
	}
	return all
}
