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
		args := replayer.ArgsOf(s.run.Args, []string{s.test}, replayer.SubtestFilter(s.run.Args), recordTime(s.run.Seconds))
		c, err := s.recordOnce(ctx, s.run, order, args, s.tally)
		return c, replayer.Result{}, err
	}
	return []*attempt{a}, nil
}
