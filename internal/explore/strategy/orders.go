package strategy

import (
	"slices"
	"time"

	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder"
)

// This file records the tests of a package in other orders of goroutines. One recording
// shows one order, and keeps what that chose: which of two goroutines took a channel that is
// used as a mutex, what a queue held, which branch was taken. Must-happen-before keeps these
// choices in all that is predicted from it, so that another order may show what they hide.

// Order returns the order of the n-th further recording, from 0.
func (o Options) Order(n int) recorder.Order {
	switch n {
	case 0:
		return recorder.OldestFirst
	case 1:
		return recorder.ChildFirst
	}
	return recorder.RandomOrder(o.Seed + n - 2)
}

// CountOrders returns how many other orders a package is recorded in. Its first recording
// took as long as run, and the tests to be recorded have so many events.
func (o Options) CountOrders(run recorder.Run, events int) int {
	if o.Runs > 0 {
		return o.Runs - 1
	}
	cost := notShort(run).Seconds() + float64(events)/eventsPerSecond
	for _, f := range furtherOrders {
		if cost <= f.most {
			return f.n
		}
	}
	return 0
}

// notShort returns the time that the tests of a run took; 0 if they are short.
func notShort(run recorder.Run) time.Duration {
	if d := recording.Seconds(run.Seconds); d > shortRun {
		return d
	}
	return 0
}

// Affordable returns those of the tests of a run that are recorded once more, and takes the
// price from the allowance: the smallest tests, up to half of what is left. They waited so
// long in the first recording. If the user has asked for a number of runs these are all.
func (o Options) Affordable(run recorder.Run, waited map[string]time.Duration, tests []string, size map[string]int, a *budget.Allowance) []string {
	if o.unbounded() {
		return tests
	}
	tests, events := recording.Smallest(tests, size, a.Events(a.Left/2))
	all := time.Duration(0)
	for _, d := range waited {
		all += d
	}
	if len(tests) == 0 || !a.Take(a.Cost(events/knownShare)+min(notShort(run), all)) {
		return nil
	}
	return tests
}

// Orders records the tests in other orders. Tests that the early end of such a run kept from
// running are recorded in the same order without the others.
type Orders struct {
	Options
	Count int // of orders

	asked int // orders that were asked for
	// ends counts the runs of the last order that ended early.
	ends int
	last *Run // the run that was asked for last
}

// Next returns the next order; none after one in which the tests took too long.
func (o *Orders) Next(l *ledger.Ledger, _ int) []*Run {
	if o.last != nil && o.last.Recording != nil {
		if o.last.Recording.TimedOut {
			return nil
		}
		rest := recording.NotBegun(o.last.Recording.Trace, o.last.Tests)
		if len(rest) > 0 && o.ends < maxEnds {
			o.ends++
			return o.ask(o.last.Order, rest)
		}
	}
	if o.asked >= o.Count || l.TimeLeft() == 0 {
		return nil
	}
	tests := o.Affordable(l.Run, l.Waited, l.Tests, l.Size, l.Allowance)
	if len(tests) == 0 {
		return nil
	}
	o.asked, o.ends = o.asked+1, 0
	return o.ask(o.Order(o.asked-1), tests)
}

func (o *Orders) ask(order recorder.Order, tests []string) []*Run {
	o.last = &Run{Order: order, Tests: tests}
	return []*Run{o.last}
}

// Passing records tests that failed in other orders until they pass: beside a run that has
// failed itself, a bug that makes the tests fail would have no effect.
type Passing struct {
	Options
	Tests []string // failed in the first recording
	Count int      // of orders
	// Passed are those of the tests that have passed by now.
	Passed []string

	asked int
	last  *Run
}

// NewPassing returns the strategy for the tests that failed in r, which are recorded in so
// many orders anyway.
func NewPassing(o Options, r *recording.Recording, orders int) *Passing {
	p := &Passing{Options: o, Count: orders}
	several, _ := recording.Smallest(r.Sizes().Concurrent, r.Sizes().Events, recording.MaxRepeated)
	for _, test := range r.Failed {
		if slices.Contains(several, test) {
			p.Tests = append(p.Tests, test)
		}
	}
	if o.Runs == 0 {
		p.Count = max(orders, passingOrders)
	}
	return p
}

// Next returns the next order, until all tests have passed.
func (p *Passing) Next(*ledger.Ledger, int) []*Run {
	if p.last != nil && p.last.Recording != nil {
		for _, test := range p.Tests {
			if !slices.Contains(p.Passed, test) && p.last.Recording.Passed(test) {
				p.Passed = append(p.Passed, test)
			}
		}
	}
	if p.asked >= p.Count || len(p.Passed) >= len(p.Tests) {
		return nil
	}
	p.last = &Run{Order: p.Order(p.asked), Tests: p.Tests}
	p.asked++
	return []*Run{p.last}
}

// Asked returns how many orders were asked for.
func (p *Passing) Asked() int { return p.asked }
