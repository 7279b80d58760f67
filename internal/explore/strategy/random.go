package strategy

import (
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/recorder"
)

// Random proposes runs of a test in random orders, for what no strategy with a reason
// reaches. The seeds follow each other, so that the number of a run is enough to repeat it.
//
// The orders are those of partial order sampling (Yuan, Yang and Gu, CAV 2018) and of
// probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010).
type Random struct {
	Options
	Test string
	Made int

	steps int // of the longest run yet
	// lookedAt counts the runs of the ledger that were looked at.
	lookedAt int
}

// Next returns n runs.
func (r *Random) Next(l *ledger.Ledger, n int) (all []*Run) {
	for _, rec := range l.TestRuns[r.lookedAt:] {
		r.steps = max(r.steps, recorder.PCTSteps(rec.Trace, r.Test))
	}
	r.lookedAt = len(l.TestRuns)
	for range n {
		order := r.order(r.Seed + r.Made)
		r.Made++
		all = append(all, &Run{Base: l.TestRuns[0], Order: order, Tests: []string{r.Test}, Parents: []int{}, Toward: "the order of chance " + string(order)})
	}
	return all
}

// order returns the order of a seed. POS finds most bugs of testdata/reach and SCTBench in
// fewer runs, and PCT those where many goroutines run undisturbed.
func (r *Random) order(seed int) recorder.Order {
	if r.Made%4 == 3 {
		return recorder.PCT(seed, 3, r.steps)
	}
	return recorder.POS(seed)
}
