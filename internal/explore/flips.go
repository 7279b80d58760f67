package explore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/gopredict/gopredict/analysis/flips"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file runs tests on where one choice is made otherwise: an operation is put off
// (analysis/flips), so that the program does what no recording shows. What blocks for ever
// at the end of such a run is confirmed like that of the recorded one, and other bugs are
// predicted from its trace. It has choices of its own, which are flipped in turn.

const (
	// maxFlipped is how many flips of one test are run, and maxFlippedPackage of all tests of
	// a package that has several.
	maxFlipped, maxFlippedPackage = 40, 256
	// maxPlain is how many of those of one test put off operations on locks and their like.
	maxPlain = 8
	// maxRuns is how many runs of one test there may have been, of any sort, when another
	// flip is run.
	maxRuns = 56
	// flippedTime is the time that all flips may take in any case. Beyond that they may take
	// as long as the other runs of the packages, so that the whole takes twice as long as
	// without. It is no time that is measured but what runs take by their size, so that a busy
	// machine flips as much as an idle one.
	flippedTime = 3 * time.Second
	// aRun is what a run of a short test takes, with what is predicted from it, for every
	// flippedEvents another second, and the time of tests that took longer than longTest.
	aRun          = 15 * time.Millisecond
	flippedEvents = 200_000
	longTest      = 250 * time.Millisecond
)

// kindFlipped is the kind of the witnesses that lead to flips. They are in no report.
const kindFlipped = "flipped"

// tierFlip is the tier of what a run has shown in which a choice was made otherwise.
const tierFlip = "flip"

// A flip is one of a trace.
type flip struct {
	flips.Flip
	of    *confirmation // of the trace
	delay replayer.Delay
}

// flipped runs the flips of each test, of those last that are too long to be recorded again.
func flipped(ctx context.Context, e *explored) error {
	tests := slices.Clone(e.tests)
	size := make(map[string]int)
	for _, r := range e.firsts {
		several, its := sizes(r.trace)
		maps.Copy(size, its)
		for _, test := range several {
			if !slices.Contains(tests, test) {
				tests = append(tests, test)
			}
		}
	}
	if len(tests) == 0 {
		return nil
	}
	x := &flipping{
		explored: e, size: size, order: make(map[*confirmation]*order.Order),
		most: min(maxFlipped, max(1, maxFlippedPackage/len(tests))), runs: maxRuns * int64(len(tests)),
	}
	if took := time.Duration(e.run.Seconds * float64(time.Second) / float64(len(size))); took > longTest {
		x.took = took
	}
	var one time.Duration // of all tests
	for _, test := range tests {
		one += x.cost(test)
	}
	e.flips += one / time.Duration(len(tests)) * time.Duration(1+e.Exploration.runs.Load())
	for _, test := range tests {
		if err := x.test(ctx, test); err != nil {
			return err
		}
	}
	return nil
}

// A flipping is the state of that.
type flipping struct {
	*explored
	size  map[string]int // events, by test
	took  time.Duration  // one test in the first recording; 0 of short ones
	most  int            // flips of one test
	runs  int64          // of the package, when another flip is run
	order map[*confirmation]*order.Order
}

// cost is what a run of a test takes, by its size.
func (x *flipping) cost(test string) time.Duration {
	return aRun + x.took + time.Duration(x.size[test])*time.Second/flippedEvents
}

// test runs the flips of one test, those of the recordings first, then those of the runs
// that came of flips, and last those that are alike others but in another run.
func (x *flipping) test(ctx context.Context, test string) error {
	var queue, again []flip
	kept := 0  // events of the traces that flips are listed of
	plain := 0 // that were listed
	known := make(map[string]bool)
	list := func(c *confirmation) {
		for _, f := range x.list(c, test) {
			if f.Plain() {
				if plain++; plain > maxPlain {
					continue
				}
			}
			if known[f.Key] {
				again = append(again, f)
			} else {
				known[f.Key] = true
				queue = append(queue, f)
			}
		}
	}
	longest, listed := 1, make(map[*confirmation]bool)
	for _, r := range slices.Concat(x.firsts, x.recordings) { // these have the first ones too
		if began(r.trace, test) && !listed[r.confirmation] {
			listed[r.confirmation] = true
			list(r.confirmation)
			longest = max(longest, len(r.trace.Events))
		}
	}
	atOnce := max(1, min(flipsAtOnce, againEvents/longest))
	for left := x.most; left > 0 && x.left > 0 && x.explored.runs.Load() < x.runs && x.flips > 0; {
		if len(queue) == 0 {
			queue, again = again, nil
		}
		if len(queue) == 0 {
			break
		}
		now := queue[:min(len(queue), left, atOnce)]
		queue, left = queue[len(now):], left-len(now)
		x.flips -= time.Duration(len(now)) * x.cost(test)
		runs, err := x.run(ctx, now)
		if err != nil {
			return err
		}
		for k, r := range runs {
			if r.endless {
				return nil // the next may take as long
			}
			if r.due && now[k].delay == replayer.Last {
				late := now[k]
				late.delay = replayer.Overdue
				again = append(again, late)
			}
			if r.next == nil || !x.tally.news(r.next.trace) {
				continue
			}
			if err := x.look(ctx, r.next); err != nil {
				return err
			}
			if kept += len(r.next.trace.Events); kept <= againEvents {
				list(r.next)
			}
		}
	}
	return nil
}

// flipsAtOnce is how many flips are run beside each other, before what they have shown is
// looked at: the same number on each machine, as what comes of a run may lead to others; and
// fewer of long tests, as their traces take memory.
const flipsAtOnce = 8

// list returns the flips of a test in the trace of c.
func (x *flipping) list(c *confirmation, test string) (all []flip) {
	o, made := x.order[c]
	if !made {
		first := *c.trace
		first.Events = first.Events[:min(len(first.Events), flips.Within)]
		if o, _ = order.New(&first); c.toward == nil { // all tests ask for it
			x.order[c] = o
		}
	}
	if o == nil {
		return nil
	}
	for _, f := range flips.Of(c.trace, o, test) {
		all = append(all, flip{f, c, replayer.Last})
	}
	return all
}

// A flippedRun is what came of a flip.
type flippedRun struct {
	next    *confirmation // nil: it did not come there
	due     bool          // a timer could have fired before what was put off
	endless bool          // its time was over before it had ended
}

// run runs flips beside each other.
func (x *flipping) run(ctx context.Context, fs []flip) ([]flippedRun, error) {
	runs, errs := make([]flippedRun, len(fs)), make([]error, len(fs))
	err := fs[0].of.inTime(ctx, func(limit context.Context) error {
		each(x.workers, len(fs), func(i int) { runs[i], errs[i] = fs[i].run(limit) })
		return errors.Join(errs...)
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.Is(err, errTimeOver):
		x.Failed = true
		x.warn("%s: %v", fs[0].of.run.Package.Path, err)
	}
	for i := range runs {
		if runs[i].next != nil {
			runs[i].next.tally, runs[i].next.tests = x.tally, countTests(runs[i].next.trace)
		}
	}
	return runs, nil
}

// run runs to a flip and on from there.
func (f *flip) run(ctx context.Context) (flippedRun, error) {
	c := f.of
	steps, hold := upTo(c.trace, f.At)
	w, err := witness.FromSchedule(c.trace, steps, []int{f.At}, hold, witness.Meta{
		Kind: kindFlipped, Package: c.run.Package.Path, Files: c.files, Source: c.source, Extent: witness.Whole, Index: c.index,
	})
	if err != nil {
		return flippedRun{}, err
	}
	w.Violation[0].Case = f.Case
	next, r, err := c.goOn(ctx, w, func(bin replayer.Binary, opts replayer.Options) (replayer.Result, error) {
		return replayer.PutOff(ctx, bin, w, c.code, f.delay, opts)
	})
	out := flippedRun{next: next}
	for _, v := range r.Verdicts {
		out.due, out.endless = v.Due, v.Outcome.TimedOut
	}
	return out, err
}

// look confirms what the run of c has shown, and what is predicted from it.
func (x *flipping) look(ctx context.Context, c *confirmation) error {
	if err := c.stuck(ctx); err != nil {
		return err
	}
	if len(c.trace.Events) > againEvents {
		return nil
	}
	findings, err := c.predictMore(ctx)
	if err != nil {
		return err
	}
	return c.confirm(ctx, findings)
}
