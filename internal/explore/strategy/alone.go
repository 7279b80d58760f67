package strategy

import (
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder"
)

// Alone records tests alone. A test that was recorded after others may have found what these
// left behind, in caches, pools and variables of the package; a replay, which runs it alone,
// does not. The test is recorded in the order in which the candidate was found, as that may
// be what it needs.
type Alone struct {
	Options

	tests []strayedTest // nil before the first call
	next  int
}

// A strayedTest is a test with candidates whose replays left their schedules.
type strayedTest struct {
	test       string
	order      recorder.Order
	candidates []string
}

// Next returns a recording of the next test that is worth one, of which the candidates are
// searched for anew.
func (a *Alone) Next(l *ledger.Ledger, _ int) []*Run {
	if a.tests == nil {
		a.tests = collect(l.Candidates.Strayed)
		l.Candidates.Strayed = nil
	} else if a.next > 0 {
		for _, name := range a.tests[a.next-1].candidates {
			l.Candidates.Settle(name)
		}
	}
	for a.next < min(len(a.tests), maxAlone) && l.TimeLeft() > 0 {
		t := a.tests[a.next]
		a.next++
		if !a.unbounded() && !l.Allowance.Take(l.Allowance.Cost(l.Size[recording.Function(t.test)])) {
			continue
		}
		for _, name := range t.candidates {
			l.Candidates.Reopen(name)
		}
		return []*Run{{Order: t.order, Tests: []string{t.test}, Alone: true}}
	}
	return nil
}

// collect returns the tests of candidates, in their order, each with its candidates.
func collect(strayed []ledger.Strayed) []strayedTest {
	all := []strayedTest{}
	for _, s := range strayed {
		k := 0
		for k < len(all) && (all[k].test != s.Test || all[k].order != s.Order) {
			k++
		}
		if k == len(all) {
			all = append(all, strayedTest{test: s.Test, order: s.Order})
		}
		all[k].candidates = append(all[k].candidates, s.Name)
	}
	return all
}
