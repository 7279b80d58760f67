package explore

import (
	"context"

	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
)

// This file proposes runs in orders of chance, for what no proposer with a reason comes to.

// byChance are the runs of a test in such orders, of which the seeds follow each other.
type byChance struct {
	*frontier
	made  int
	steps int // of the longest run yet
	seen  int // of the runs
}

func (x *byChance) next(_ context.Context, runs []*confirmation, n int) (all []*attempt, err error) {
	for _, c := range runs[x.seen:] {
		x.steps = max(x.steps, recorder.Steps(c.trace, x.test))
	}
	x.seen = len(runs)
	for range n {
		order := x.order(x.opts.Seed + x.made)
		x.made++
		all = append(all, &attempt{of: runs[0], parents: []int{}, what: "the order of chance " + string(order), run: func(ctx context.Context) (*confirmation, replayer.Result, error) {
			return x.inOrder(ctx, order)
		}})
	}
	return all, nil
}

// order returns the order of a seed. Of the programs of testdata/kinds/reach and SCTBench's kind
// POS needs fewer runs for most, and PCT for those where many goroutines run undisturbed.
func (x *byChance) order(seed int) recorder.Order {
	if x.made%4 == 3 {
		return recorder.PCT(seed, 3, x.steps)
	}
	return recorder.POS(seed)
}

// inOrder records the test alone.
func (x *frontier) inOrder(ctx context.Context, order recorder.Order) (*confirmation, replayer.Result, error) {
	args := replayer.ArgsOf(x.run.Args, []string{x.test}, replayer.SubtestFilter(x.run.Args), recordTime(x.run.Seconds))
	c, err := x.recordOnce(ctx, x.run, order, args, x.tally)
	return c, replayer.Result{}, err
}
