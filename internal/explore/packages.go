package explore

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sync/semaphore"

	"github.com/gopredict/gopredict/recorder"
)

// This file explores packages concurrently: replays wait for what the tests wait for, and the
// analysis of a trace mostly takes one processor. Each package is explored by itself, as if
// it were a shard, so that its results do not depend on which package is faster.
//
// Memory is the bound: a trace of millions of events takes gigabytes while it is analyzed. So
// packages wait for room by the size of their traces, not for a number of others.

// Explore explores the packages that runs are the first recordings of, and adds them to the
// report in their order. The error is for what concerns all of them, or that ctx has ended;
// the report has what is known by then.
func (x *Exploration) Explore(ctx context.Context, runs []recorder.Run) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	all := make([]*queuedPackage, len(runs))
	for k, run := range runs {
		all[k] = x.session.newQueuedPackage(run)
	}
	// The queue has an order of its own. Results are joined in the order of the packages, so
	// that reports do not depend on it.
	go exploreQueue(ctx, slices.Clone(all), x.session.packagesAtOnce())
	var first error
	for _, q := range all {
		err := <-q.ended
		x.joinReport(q.loop)
		if err != nil && first == nil {
			first = err
			// The other packages end early. The report still gets what is known of them.
			stop(err)
		}
	}
	x.Report.Warnings = append(x.Report.Warnings, x.bounds.warnings(x.session.clock)...)
	return first
}

// packagesAtOnce returns how many packages are explored concurrently.
func (s *session) packagesAtOnce() int {
	switch {
	case s.opts.Explore.exceedsFlips(): // a time for exploring is shared by the packages in turn
		return 1
	case s.opts.MaxConcurrentPackages > 0:
		return min(s.opts.MaxConcurrentPackages, maxPackages)
	}
	return min(runtime.GOMAXPROCS(0), maxPackages)
}

// A queuedPackage waits to be explored, or is explored.
type queuedPackage struct {
	*loop
	hasTrace  bool
	traceSize int64 // in bytes, but at most tracesInMemory
	ended     chan error
}

// newQueuedPackage returns the package whose first recorded run is run.
func (s *session) newQueuedPackage(run recorder.Run) *queuedPackage {
	q := &queuedPackage{loop: s.newLoop(run), ended: make(chan error, 1)}
	if info, err := os.Stat(run.Trace); err == nil {
		q.hasTrace, q.traceSize = true, min(info.Size(), tracesInMemory)
	}
	return q
}

// exploreQueue explores packages, at most that many concurrently, those with the shortest
// traces first: if the user's time ends, most packages were explored. As many traces are
// predicted from concurrently as there are processors, if they fit into memory together.
func exploreQueue(ctx context.Context, queue []*queuedPackage, most int) {
	slices.SortStableFunc(queue, func(a, b *queuedPackage) int { return cmp.Compare(a.traceSize, b.traceSize) })
	memory := semaphore.NewWeighted(tracesInMemory)
	predicting := semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0)))
	exploring := semaphore.NewWeighted(int64(most))
	for _, q := range queue {
		// There is nothing to analyze, so that this takes neither memory nor a processor.
		if !q.hasTrace {
			q.ended <- q.run(ctx, nil)
			continue
		}
		if memory.Acquire(ctx, q.traceSize) != nil || predicting.Acquire(ctx, 1) != nil {
			q.addPackage() // with what the plain run has shown
			q.ended <- context.Cause(ctx)
			continue
		}
		explored := make(chan struct{})
		go func() {
			defer close(explored)
			p := q.predictFirst(ctx)
			predicting.Release(1)
			if exploring.Acquire(ctx, 1) == nil {
				defer exploring.Release(1)
			}
			// A long trace takes memory until its package has ended, a short one only while it
			// is analyzed.
			if p.trace != nil && len(p.trace.Events) > smallTrace {
				defer memory.Release(q.traceSize)
			} else {
				memory.Release(q.traceSize)
			}
			q.ended <- q.run(ctx, p)
		}()
		// The packages take turns with the time for exploring, so that each waits for the one before.
		if most == 1 {
			<-explored
		}
	}
}
