package strategy

import (
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder"
)

// SingleTests records tests without those before them. A test that was recorded after others
// may have found what these left behind, in caches, pools and variables of the package. A
// replay, which runs it alone, does not. The test is recorded in the order in which the
// candidate was found, as the candidate may need that order.
type SingleTests struct {
	Options

	divergedTests []divergedTest // nil before the first call
	nextTest      int
}

// A divergedTest is a test with the candidates whose replays left their schedules.
type divergedTest struct {
	test       string
	order      recorder.Order
	candidates []string
}

// Next returns a recording of the next such test, whose candidates are then searched for
// again.
func (a *SingleTests) Next(l *ledger.Ledger, _ int) []*Run {
	if a.divergedTests == nil {
		a.divergedTests = groupByTest(l.Candidates.Diverged)
		l.Candidates.Diverged = nil
	} else if a.nextTest > 0 {
		for _, name := range a.divergedTests[a.nextTest-1].candidates {
			l.Candidates.MarkSettled(name)
		}
	}
	for a.nextTest < min(len(a.divergedTests), maxSingleTests) && l.TimeLeft() > 0 {
		t := a.divergedTests[a.nextTest]
		a.nextTest++
		if !a.IsUnbounded() && !l.Allowance.Take(recording.TestFunction(t.test), l.Allowance.Cost(l.EventsOfTest[recording.TestFunction(t.test)])) {
			continue
		}
		for _, name := range t.candidates {
			l.Candidates.MarkTried(name)
		}
		return []*Run{{Order: t.order, Tests: []string{t.test}, SingleTest: true}}
	}
	return nil
}

// groupByTest returns the tests of candidates, in their order, each with its candidates.
func groupByTest(strayed []ledger.DivergedCandidate) []divergedTest {
	all := []divergedTest{}
	for _, s := range strayed {
		k := 0
		for k < len(all) && (all[k].test != s.Test || all[k].order != s.Order) {
			k++
		}
		if k == len(all) {
			all = append(all, divergedTest{test: s.Test, order: s.Order})
		}
		all[k].candidates = append(all[k].candidates, s.Candidate)
	}
	return all
}
