package strategy

import (
	"slices"

	"github.com/gopredict/gopredict/internal/explore/budget"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder"
)

// This file proposes recordings of the tests in other orders of goroutines. One recording
// shows one order, and with it its choices: which of two goroutines took a channel that is
// used as a mutex, what a queue held, which branch was taken. All that is predicted from a
// recording keeps these choices (must-happen-before), so that another order may show what they
// hide.

// OtherOrder returns the order of the n-th further recording, from 0.
func (o Options) OtherOrder(n int) recorder.Order {
	switch n {
	case 0:
		return recorder.OldestFirst
	case 1:
		return recorder.ChildFirst
	}
	return recorder.RandomOrder(o.FirstSeed + n - 2)
}

// CountOrders returns how many other orders the tests are recorded in. They have so many events
// together, and waits cost as much.
func (o Options) CountOrders(events int, waits budget.Work) int {
	if o.Recordings > 0 {
		return o.Recordings - 1
	}
	// The cheaper a package is, the more orders it is recorded in.
	for _, f := range furtherOrders {
		if budget.Work(events)/knownOrderDiscount+waits <= f.most {
			return f.n
		}
	}
	return 0
}

// affordable returns those of the tests that are recorded once more, and takes the price from
// what is left for each of them: no more than half of that. If the user asks for a number of
// runs these are all tests.
func (o Options) affordable(l *ledger.Ledger, all []string) (tests []string) {
	if o.IsUnbounded() {
		return all
	}
	a := l.Allowance
	// The tests share what any run costs.
	shared := (a.Cost(0)-1)/budget.Work(max(1, len(all))) + 1
	for _, test := range all {
		// Half is left for later orders, departures and flips.
		cost := shared + budget.Work(l.EventsOfTest[test])/knownOrderDiscount + l.WaitOf(test)
		if 2*cost <= a.Left(test) && a.Take(test, cost) {
			tests = append(tests, test)
		}
	}
	return tests
}

// OtherOrders records the tests in other orders. Tests that the early end of such a run kept from
// running are recorded in the same order without the others.
type OtherOrders struct {
	Options
	MaxOrders int // of orders

	numAsked int // orders that were asked for
	// numEarlyEnds counts the runs of the last order that ended early.
	numEarlyEnds int
	lastRun      *Run // the run that was asked for last
}

// Next returns the next order; none after one in which the tests took too long.
func (o *OtherOrders) Next(l *ledger.Ledger, _ int) []*Run {
	if o.lastRun != nil && o.lastRun.Recording != nil {
		if o.lastRun.Recording.TimedOut {
			return nil
		}
		rest := recording.TestsNotBegun(o.lastRun.Recording.Trace, o.lastRun.Tests)
		if len(rest) > 0 && o.numEarlyEnds < maxEarlyEnds {
			o.numEarlyEnds++
			return o.ask(o.lastRun.Order, rest)
		}
	}
	if o.numAsked >= o.MaxOrders || l.TimeLeft() == 0 {
		return nil
	}
	tests := o.affordable(l, l.TestsToRecord)
	if len(tests) == 0 {
		return nil
	}
	o.numAsked, o.numEarlyEnds = o.numAsked+1, 0
	return o.ask(o.OtherOrder(o.numAsked-1), tests)
}

// ask proposes a recording of tests in an order.
func (o *OtherOrders) ask(order recorder.Order, tests []string) []*Run {
	o.lastRun = &Run{Order: order, Tests: tests}
	return []*Run{o.lastRun}
}

// PassingOrders records tests that failed in other orders until they pass: a bug that makes a
// test fail has no visible effect if the run that it is compared with has failed, too. The first
// of these orders is the nearest to what go test does by itself: what passes there and fails
// otherwise is a bug.
type PassingOrders struct {
	Options
	FailedTests []string // failed in the first recording
	MaxOrders   int      // of orders
	// PassedTests are those of the tests that have passed by now.
	PassedTests []string
	NumAsked    int // orders that were asked for

	lastRun *Run
}

// NewPassingOrders returns the strategy for the tests that failed in r. Orders is how many
// other orders are recorded in any case.
func NewPassingOrders(o Options, r *recording.Recording, orders int) *PassingOrders {
	p := &PassingOrders{Options: o, MaxOrders: orders}
	several, _ := recording.SmallestTests(r.Sizes().ConcurrentTests, r.Sizes().Events, recording.MaxRepeated)
	for _, test := range r.FailedTests {
		if slices.Contains(several, test) {
			p.FailedTests = append(p.FailedTests, test)
		}
	}
	if o.Recordings == 0 {
		p.MaxOrders = 1 + max(orders, passingOrders)
	}
	return p
}

// Next returns the next order, until all tests have passed.
func (p *PassingOrders) Next(*ledger.Ledger, int) []*Run {
	if p.lastRun != nil && p.lastRun.Recording != nil {
		for _, test := range p.FailedTests {
			if !slices.Contains(p.PassedTests, test) && p.lastRun.Recording.HasPassed(test) {
				p.PassedTests = append(p.PassedTests, test)
			}
		}
	}
	if p.NumAsked >= p.MaxOrders || len(p.PassedTests) >= len(p.FailedTests) {
		return nil
	}
	order := recorder.NonPreemptive
	if p.NumAsked > 0 {
		order = p.OtherOrder(p.NumAsked - 1)
	}
	p.lastRun = &Run{Order: order, Tests: p.FailedTests}
	p.NumAsked++
	return []*Run{p.lastRun}
}
