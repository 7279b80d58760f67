package recording

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file computes how long tests take, by the clock of the recorded program. That moves
// while the program waits, and little while it computes, so that a busy machine changes
// little.

// WaitingTimes returns how long each test of t took. Package testing reports the time of a
// test without its parallel subtests, which may take as long as all of them together.
func WaitingTimes(t *trace.Trace) map[string]time.Duration {
	all, subtests := make(map[string]time.Duration), make(map[string]time.Duration)
	for _, e := range t.TestEvents {
		test, _, _ := strings.Cut(e.Test, "/")
		all[test] += 0
		all[e.Test] += e.Elapsed
	}
	// A subtest comes before its parent.
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		took := max(all[name], subtests[name])
		parent, sub := name, strings.Contains(name, "/")
		for known := false; sub && !known; { // its own name may have slashes
			parent = parent[:strings.LastIndexByte(parent, '/')]
			_, known = all[parent]
		}
		if all[name] = took; sub {
			subtests[parent] += took
			delete(all, name)
		}
	}
	return all
}

// WaitingTimeOf returns the waiting time of some tests together, rounded down. Waited has the
// waiting times of a recording, by test.
func WaitingTimeOf(tests []string, waited map[string]time.Duration) (all time.Duration) {
	for _, test := range tests {
		all += RoundedWait(waited[TestFunction(test)])
	}
	return all
}

// RoundedWait rounds d down to longWait times a power of two, or to 0. Small changes of the
// clock of the recorded program then change nothing.
func RoundedWait(d time.Duration) time.Duration {
	if d < longWait {
		return 0
	}
	rounded := longWait
	for 2*rounded <= d {
		rounded *= 2
	}
	return rounded
}

// Seconds returns a number of seconds as a duration.
func Seconds(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
