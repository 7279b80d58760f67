package explore

import (
	"context"

	"github.com/gopredict/gopredict/recorder"
)

// This file records tests alone. One that was recorded after others may have found what
// these left behind, in caches, pools and variables of the package, where a replay,
// which runs it alone, does not.
//
// The test is recorded in the order in which the candidate was found, as that may be what
// it needs; a few replays then show whether the test alone is any better, before all of
// its candidates are replayed anew.

// probes is how many candidates of a test that was recorded alone are replayed to see
// whether that helps, and maxAlone how many tests are.
const probes, maxAlone = 3, 32

// worth reports whether a test is recorded once more, alone, and takes what that costs from the
// allowance. If more runs were asked for, each is.
func (e *explored) worth(test string) bool {
	return e.opts.Runs > 0 || e.opts.Explore.explores() || e.further.take(e.further.cost(e.size[funcOf(test)]))
}

// alone records those tests alone of which candidates left their schedules, and replays
// these as that shows them.
func alone(ctx context.Context, e *explored) error {
	y := e.tally
	type which struct {
		test  string
		order recorder.Order
	}
	var all []which
	names := make(map[which][]string)
	for _, s := range y.left {
		w := which{s.test, s.order}
		if names[w] == nil {
			all = append(all, w)
		}
		names[w] = append(names[w], s.name)
	}
	y.left = nil
	for _, w := range all[:min(len(all), maxAlone)] {
		if e.left() == 0 {
			break
		}
		if !e.worth(w.test) {
			continue
		}
		for _, name := range names[w] {
			delete(y.settled, name)
		}
		c, findings, err := e.recordAgain(ctx, e.run, w.order, []string{w.test}, y)
		if err != nil {
			return err
		}
		if c != nil {
			c.alone = true
			first := min(probes, len(findings))
			before := c.confirmed.Load()
			if err := c.confirm(ctx, findings[:first]); err != nil {
				return err
			}
			if c.confirmed.Load() > before {
				if err := c.confirm(ctx, findings[first:]); err != nil {
					return err
				}
			}
		}
		for _, name := range names[w] {
			y.settled[name] = true
		}
	}
	return nil
}
