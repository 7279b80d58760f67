package recording

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// This file finds out how a recorded run ended: which tests passed, failed or ended the run of
// all others, and where.
//
// Package testing reports how a test ended by events. A crash leaves no such event: it
// happened at the last events of the trace. A test without such an event failed, unless only
// the recording was stopped.

// EndedByDeadlock reports whether the run of t was ended because all goroutines were blocked.
func EndedByDeadlock(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Blocked, func(s trace.BlockedGoroutine) bool { return s.Proof == trace.ProofDeadlock })
}

// DeadlockBlocks reports whether a deadlock that ended the run of t blocks goroutines of a test.
func DeadlockBlocks(t *trace.Trace, test string) bool {
	return slices.ContainsFunc(t.Blocked, func(s trace.BlockedGoroutine) bool {
		return s.Proof == trace.ProofDeadlock && TestFunction(t.Goroutines[s.G].Test) == test
	})
}

// BlockedBeforeDeadlock reports whether goroutine g was blocked when its own test ended,
// before a deadlock ended the run. It then has no part in the deadlock, which is of a later
// test.
func BlockedBeforeDeadlock(t *trace.Trace, g trace.GID) bool {
	return slices.ContainsFunc(t.Blocked, func(s trace.BlockedGoroutine) bool { return s.G == g && s.Proof != trace.ProofDeadlock })
}

// EndedByTimeout reports whether package testing ended the run of t because its time was over.
func EndedByTimeout(t *trace.Trace) bool {
	last := len(t.Events) - 1
	return !t.Complete && last >= 0 && t.Events[last].Kind == trace.Panic && t.Goroutines[t.Events[last].G].Test == ""
}

// CrashPosition returns the position of the event that crashed the program of t within a test: a
// panic, or an operation that was fatal.
func CrashPosition(t *trace.Trace) (pos int, crashed bool) {
	if t.Complete || t.Meta.Limit > 0 || EndedByDeadlock(t) || len(t.Events) == 0 {
		return 0, false
	}
	last := func(is func(e *trace.Event) bool) (int, bool) {
		for i := range slices.Backward(t.Events) {
			if is(&t.Events[i]) {
				return i, t.Goroutines[t.Events[i].G].Test != ""
			}
		}
		return 0, false
	}
	end, _ := last(func(e *trace.Event) bool { return e.Kind == trace.Panic || e.Kind == trace.Recover })
	if t.Events[end].Kind != trace.Panic {
		return last(func(e *trace.Event) bool { return true })
	}
	if t.Goroutines[t.Events[end].G].Test == "" { // the time was over
		return 0, false
	}
	return last(func(e *trace.Event) bool {
		return e.Kind == trace.Panic && e.G == t.Events[end].G && !isOfTesting(t, e)
	})
}

// isOfTesting reports whether package testing itself made the event, to pass a failure on to
// the parent test.
func isOfTesting(t *trace.Trace, e *trace.Event) bool {
	return trace.IsTestingFunction(t.Sites[e.Site].Func)
}

// FailurePosition returns the position at which a test of t failed: that of the crash if the test
// crashed, or else of its first failure.
func FailurePosition(t *trace.Trace, test string) (pos int, found bool) {
	in := func(e *trace.Event) bool { return TestFunction(t.Goroutines[e.G].Test) == test }
	if pos, crashed := CrashPosition(t); crashed && in(&t.Events[pos]) {
		return pos, true
	}
	pos = slices.IndexFunc(t.Events, func(e trace.Event) bool {
		return e.Kind == trace.Assert && e.Val == 0 && in(&e) && !isOfTesting(t, &e)
	})
	return pos, pos >= 0
}

// FailedTests returns the tests of t that failed or did not end. Where recording stopped before
// the run did, tests that had not ended by then count as passed.
func FailedTests(t *trace.Trace) []string {
	passed := make(map[string]bool) // by test that has ended
	for i := range t.Events {
		if e := &t.Events[i]; t.EndsTest(e) {
			passed[t.Goroutines[e.G].Test] = e.Val == 0
		}
	}
	if pos, crashed := CrashPosition(t); crashed {
		passed[t.Goroutines[t.Events[pos].G].Test] = false
	}
	var tests []string
	for _, g := range t.Goroutines {
		well, ended := passed[g.Test]
		if !ended {
			well = t.Meta.Limit > 0
		}
		if name := TestFunction(g.Test); name != "" && !well && !slices.Contains(tests, name) {
			tests = append(tests, name)
		}
	}
	return tests
}

// HasPassed reports whether t has a test, and it did not fail.
func HasPassed(t *trace.Trace, test string) bool {
	return HasTest(t, test) && !slices.Contains(FailedTests(t), test)
}

// EndedBy returns the tests of t that ended its run early, by a panic, a deadlock or an
// exit, and the tests that were over by then.
func EndedBy(t *trace.Trace) (culprits, over []string) {
	if t.Meta.Limit > 0 { // the run went on without being recorded
		return nil, nil
	}
	ended := make(map[string]bool)
	last := "" // the test that last called os.Exit, or another function by which it fails
	for i := range t.Events {
		e := &t.Events[i]
		switch test := t.Goroutines[e.G].Test; {
		case t.EndsTest(e):
			ended[test] = true
		case e.Kind == trace.Assert && e.Val == 0:
			last = test
		}
	}
	blamed := func(test string) bool { return true } // its time was over, say
	if pos, crashed := CrashPosition(t); crashed {
		test := t.Goroutines[t.Events[pos].G].Test
		delete(ended, test)
		blamed = func(name string) bool { return name == test }
	} else if EndedByDeadlock(t) {
		blamed = func(name string) bool {
			return slices.ContainsFunc(t.Blocked, func(s trace.BlockedGoroutine) bool { return t.Goroutines[s.G].Test == name })
		}
	} else if last != "" && !ended[last] {
		blamed = func(name string) bool { return name == last }
	}
	for _, test := range Tests(t) {
		switch {
		case ended[test]:
			over = append(over, test)
		case blamed(test):
			culprits = append(culprits, test)
		}
	}
	return culprits, over
}

// TestsNotBegun returns those of the tests that the early end of the run of t kept from running.
func TestsNotBegun(t *trace.Trace, tests []string) []string {
	if culprits, _ := EndedBy(t); len(culprits) == 0 {
		return nil
	}
	begun := Tests(t)
	return slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return slices.Contains(begun, test) })
}

// LastUnmatchedRelease returns the position of the last event of r's trace that releases a
// lock which nobody holds; -1 if there is none.
func (r *Recording) LastUnmatchedRelease() int {
	// The facts match each release with the acquire of its critical section, also across
	// goroutines.
	table := r.Facts()
	for i, e := range slices.Backward(r.Trace.Events) {
		if e.Kind.Class() == trace.ClassLock && e.Kind.Releases() && table.SectionOf(i) == facts.None {
			return i
		}
	}
	return -1
}
