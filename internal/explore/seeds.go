package explore

import (
	"context"

	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer"
)

// This file proposes runs in orders of chance, for what no proposer with a reason comes to.

// firstSeed is that of the first such run: those of the recordings are smaller.
const firstSeed = 101

// seeds are the runs of a test in such orders.
type seeds struct {
	*frontier
	made int
}

func (s *seeds) next(_ context.Context, runs []*confirmation, _ int) ([]*attempt, error) {
	order := recorder.Seed(firstSeed + s.made)
	s.made++
	a := &attempt{of: runs[0], what: "the order of chance " + string(order)}
	a.run = func(ctx context.Context) (*confirmation, replayer.Result, error) {
		return s.inOrder(ctx, order)
	}
	return []*attempt{a}, nil
}

// inOrder records the test alone.
func (x *frontier) inOrder(ctx context.Context, order recorder.Order) (*confirmation, replayer.Result, error) {
	args := replayer.ArgsOf(x.run.Args, []string{x.test}, replayer.SubtestFilter(x.run.Args), recordTime(x.run.Seconds))
	c, err := x.recordOnce(ctx, x.run, order, args, x.tally)
	return c, replayer.Result{}, err
}
