package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
)

// This file records the tests that the end of a run has kept from running: a panic, a
// deadlock or os.Exit in one test is the end of all. They are recorded without that one.

// maxEnds is how many runs that end so are gone on with.
const maxEnds = 8

// rest records the tests that the end of the run of c has kept from running, and returns
// these recordings.
func (c *confirmation) rest(ctx context.Context) (all []recording, err error) {
	var ended []string
	for last := c; len(all) < maxEnds; last = all[len(all)-1].confirmation {
		culprits, over := endedBy(last.trace)
		if len(culprits) == 0 {
			return all, nil
		}
		ended = append(append(ended, culprits...), over...)
		next, err := c.recordOnce(ctx, c.run, c.run.Order, replayer.ArgsWithout(c.run.Args, ended, recordTime(c.run.Seconds)), c.tally)
		if err != nil {
			return all, err
		}
		if next == nil && c.left() == 0 {
			c.warn("%s: what %s kept from running was not recorded, as %s", c.run.Package.Path, strings.Join(culprits, ", "), c.timeWas())
		}
		if next == nil || next.tests == 0 || !c.tally.news(next.trace) {
			return all, nil
		}
		// It is the first recording of these tests.
		c.status.Set("predicting", fmt.Sprintf("%s, %d events", c.run.Package.Path, len(next.trace.Events)))
		result, findings, err := next.predicted(ctx, next.analysis(next.run))
		if err != nil {
			return all, err
		}
		if result != nil {
			c.Report.Totals.Pruned += result.Pruned()
		}
		all = append(all, recording{next, findings})
		pkg := &c.Report.Packages[len(c.Report.Packages)-1]
		pkg.Events += next.trace.Logged()
		pkg.Tests += next.tests
		pkg.Lingering = append(pkg.Lingering, evidence.LingeringIn(next.trace, c.run.Package.Path, c.files, c.source.Line)...)
		c.warn("%s: recorded in a run of their own, as %s ended the first one, by a panic or an exit: %s",
			c.run.Package.Path, strings.Join(culprits, ", "), some(testsIn(next.trace), "tests"))
	}
	return all, nil
}

// endedBy returns the tests of t that were the end of its run, and those that were over by
// then.
func endedBy(t *trace.Trace) (culprits, over []string) {
	if t.Meta.Limit > 0 { // the run went on without being recorded
		return nil, nil
	}
	ended := make(map[string]bool)
	last := "" // the test that has last called os.Exit, or another function by which it fails
	for _, e := range t.Events {
		switch test := t.Goroutines[e.G].Test; {
		case e.Kind == trace.TestEnd && t.Names[e.Obj] == test:
			ended[test] = true
		case e.Kind == trace.Assert && e.Val == 0:
			last = test
		}
	}
	blame := func(test string) bool { return true } // whose time was over, say
	if at, did := crash(t); did {
		test := t.Goroutines[t.Events[at].G].Test
		delete(ended, test)
		blame = func(name string) bool { return name == test }
	} else if deadlocked(t) {
		blame = func(name string) bool {
			return slices.ContainsFunc(t.Stuck, func(s trace.Stuck) bool { return t.Goroutines[s.G].Test == name })
		}
	} else if last != "" && !ended[last] {
		blame = func(name string) bool { return name == last }
	}
	for _, test := range testsIn(t) {
		switch {
		case ended[test]:
			over = append(over, test)
		case blame(test):
			culprits = append(culprits, test)
		}
	}
	return culprits, over
}

// unbegun returns those of tests that the end of the run of t has kept from running.
func unbegun(t *trace.Trace, tests []string) []string {
	if culprits, _ := endedBy(t); len(culprits) == 0 {
		return nil
	}
	begun := testsIn(t)
	return slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return slices.Contains(begun, test) })
}

// testsIn returns the top-level tests of t.
func testsIn(t *trace.Trace) (tests []string) {
	for _, g := range t.Goroutines {
		if name := funcOf(g.Test); name != "" && !slices.Contains(tests, name) {
			tests = append(tests, name)
		}
	}
	return tests
}

// maxNamed is how many of many are named in a line.
const maxNamed = 5

// some names the first of a list, and counts the others: "A, B and 3 more tests".
func some(names []string, things string) string {
	if more := len(names) - maxNamed; more > 1 {
		return fmt.Sprintf("%s and %d more %s", strings.Join(names[:maxNamed], ", "), more, things)
	}
	return strings.Join(names, ", ")
}
