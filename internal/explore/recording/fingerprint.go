package recording

import (
	"hash/fnv"
	"io"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file finds out whether a recording shows a new behaviour. Most further recordings do
// not: their events have the order of an earlier recording, so that nothing new can be
// predicted. The fingerprint of a test is a hash of the order of its events, by goroutines and
// sites. Addresses and values do not count, as they differ between runs of one order.

// A testAssigner finds the test that each event of a trace belongs to. It must see the events
// in trace order.
type testAssigner struct {
	// tests are their names; the first is "", of the code that runs the tests.
	tests       []string
	byGoroutine []owner // by goroutine
	lastBegun   int32   // the test that began last
	testEnded   []bool  // by test
}

// An owner is the test that started a goroutine.
type owner struct {
	test int32
	// The goroutine runs all tests, or is the first one of its test.
	runsAllTests, isFirstOfTest bool
}

// newTestAssigner returns an assigner for t that has seen no event yet.
func newTestAssigner(t *trace.Trace) *testAssigner {
	a := &testAssigner{tests: []string{""}, byGoroutine: make([]owner, len(t.Goroutines))}
	numbers := map[string]int32{"": 0}
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		n, ok := numbers[g.Test]
		if !ok {
			n = int32(len(a.tests))
			numbers[g.Test] = n
			a.tests = append(a.tests, g.Test)
		}
		a.byGoroutine[i] = owner{n, n == 0 && g.Path == "main", g.Path == "0"}
	}
	a.testEnded = make([]bool, len(a.tests))
	return a
}

// testOf returns the index of the test that the next event belongs to: the test of its
// goroutine. If that test has ended, or there is none, the goroutine is taken to serve the
// test that began last, as the workers of a pool do. The index is 0 for the code that runs the
// tests.
func (a *testAssigner) testOf(e *trace.Event) int32 {
	g := a.byGoroutine[e.G]
	switch {
	case g.runsAllTests:
		return 0
	case g.test == 0 || a.testEnded[g.test]:
		return a.lastBegun
	case e.Kind == trace.TestBegin && g.isFirstOfTest:
		a.lastBegun = g.test
	case e.Kind == trace.End && g.isFirstOfTest:
		a.testEnded[g.test] = true
	}
	return g.test
}

// Fingerprints returns a number for each test of t. Runs of a test have the same number if
// they have the same events in the same order.
func Fingerprints(t *trace.Trace) map[string]uint64 {
	return FingerprintPrefixes(t, func(int, string, uint64) {})
}

// FingerprintPrefixes is [Fingerprints]. It also calls visit for each event of a test, with
// its position and the fingerprint of the test up to and including that event.
func FingerprintPrefixes(t *trace.Trace, visit func(pos int, test string, sum uint64)) map[string]uint64 {
	names := make([]uint64, len(t.Goroutines))
	for i, g := range t.Goroutines {
		h := fnv.New64a()
		io.WriteString(h, g.Name())
		names[i] = h.Sum64()
	}
	const prime = 1099511628211 // FNV-1a, a word at a time
	a := newTestAssigner(t)
	done := make([]uint64, len(t.Goroutines)) // events of each goroutine so far
	sums, found := make([]uint64, len(a.tests)), make([]bool, len(a.tests))
	for i := range t.Events {
		e := &t.Events[i]
		done[e.G]++
		test := a.testOf(e)
		if test == 0 {
			continue
		}
		name := names[e.G]
		if test != a.byGoroutine[e.G].test {
			name += done[e.G] // a schedule counts the events for other tests, too
		}
		for _, word := range [...]uint64{name, uint64(e.Kind), t.Sites[e.Site].Key} {
			sums[test] = (sums[test] ^ word) * prime
		}
		found[test] = true
		visit(i, a.tests[test], sums[test])
	}
	all := make(map[string]uint64)
	for test, name := range a.tests {
		if found[test] {
			all[name] = sums[test]
		}
	}
	return all
}
