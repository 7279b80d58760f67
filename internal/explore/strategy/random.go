package strategy

import (
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/recorder"
)

// RandomOrders proposes runs of a test in random orders, for what no strategy with a reason
// reaches. The seeds are consecutive numbers, so that the number of a run is enough to repeat
// it.
//
// The orders are those of partial order sampling (POS: Yuan, Yang and Gu, CAV 2018) and of
// probabilistic concurrency testing (PCT: Burckhardt et al., ASPLOS 2010).
type RandomOrders struct {
	Options
	Test    string
	NumMade int

	maxSteps int // of the longest run yet
	// numRunsRead is how many of the ledger's runs of the test were read.
	numRunsRead int
}

// Next returns n runs.
func (r *RandomOrders) Next(l *ledger.Ledger, n int) (all []*Run) {
	for _, rec := range l.RunsOfTest[r.numRunsRead:] {
		r.maxSteps = max(r.maxSteps, recorder.PCTSteps(rec.Trace, r.Test))
	}
	r.numRunsRead = len(l.RunsOfTest)
	for range n {
		order := r.orderOfSeed(r.FirstSeed + r.NumMade)
		r.NumMade++
		all = append(all, &Run{Base: l.RunsOfTest[0], Order: order, Tests: []string{r.Test}, ParentRuns: []int{}, Description: "the order of chance " + string(order)})
	}
	return all
}

// orderOfSeed returns the order of a seed. POS finds most bugs of testdata/reach and SCTBench in
// fewer runs, and PCT those where many goroutines run undisturbed.
func (r *RandomOrders) orderOfSeed(seed int) recorder.Order {
	// Three of four runs are by POS, the fourth by PCT with a depth of three.
	if r.NumMade%4 == 3 {
		return recorder.PCT(seed, 3, r.maxSteps)
	}
	return recorder.POS(seed)
}
