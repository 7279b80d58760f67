package explore

import (
	"cmp"
	"context"
	"iter"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gopredict/gopredict/internal/explore/recording"
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
	reserved := x.session.clock.Start(runs)
	ends := x.session.oneByOne(ctx, runs, reserved)
	if most := x.session.packagesAtOnce(); most > 1 {
		ends = x.session.concurrently(ctx, runs, reserved, most)
	}
	var first error
	for l, err := range ends {
		x.join(l)
		if err != nil && first == nil {
			first = err
			stop(err)
		}
	}
	return first
}

// packagesAtOnce returns how many packages are explored concurrently.
func (s *session) packagesAtOnce() int {
	switch {
	case s.opts.Explore.beyondFlips(): // maybe for a time, which is that of each in turn
		return 1
	case s.opts.Concurrent > 0:
		return min(s.opts.Concurrent, maxPackages)
	}
	return min(runtime.GOMAXPROCS(0), maxPackages)
}

// oneByOne yields the loops of runs once they have ended; the next one begins then.
func (s *session) oneByOne(ctx context.Context, runs []recorder.Run, reserved []time.Duration) iter.Seq2[*loop, error] {
	return func(yield func(*loop, error) bool) {
		for k, run := range runs {
			l := s.newLoop(run)
			l.reserved = reserved[k]
			if ctx.Err() != nil {
				l.addPackage()
				yield(l, context.Cause(ctx))
				continue
			}
			var p *prediction
			if run.Trace != "" {
				p = l.predictFirst(ctx)
			}
			yield(l, l.run(ctx, p))
		}
	}
}

// concurrently yields the loops of runs once they have ended, in the order of runs. Packages
// with short traces are predicted from concurrently, as many as there are processors, as
// long as their traces together are as long as one short trace for each processor. Beside
// them go those with long traces, one or as many as have longTraces bytes together. Of the
// short ones, those come first that the least time is reserved for, as what they leave is
// for others; of the long ones, those that the most is reserved for, as their analysis is
// waited for. At most so many packages are explored at a time. A long one makes room for the
// next when it is explored or, if its trace has many events, when it has ended.
func (s *session) concurrently(ctx context.Context, runs []recorder.Run, reserved []time.Duration, most int) iter.Seq2[*loop, error] {
	processors := int64(runtime.GOMAXPROCS(0))
	exploring := semaphore.NewWeighted(int64(most))
	all := make([]*queued, len(runs))
	var short, long []*queued
	for k, run := range runs {
		q := &queued{loop: s.newLoop(run), exploring: exploring, ended: make(chan error, 1)}
		all[k], q.reserved = q, reserved[k]
		info, err := os.Stat(run.Trace)
		if err == nil {
			q.size = info.Size()
		}
		switch {
		case run.Trace == "" || err != nil:
			q.ended <- q.run(ctx, nil)
		case q.size > processors*recording.ShortTrace:
			long = append(long, q)
		default:
			short = append(short, q)
		}
	}
	slices.SortStableFunc(short, func(a, b *queued) int { return cmp.Compare(a.reserved, b.reserved) })
	slices.SortStableFunc(long, func(a, b *queued) int { return cmp.Compare(b.reserved, a.reserved) })
	go exploreLong(ctx, long)
	go exploreShort(ctx, short, processors)
	return func(yield func(*loop, error) bool) {
		for _, q := range all {
			yield(q.loop, <-q.ended)
		}
	}
}

// exploreLong explores packages with long traces.
func exploreLong(ctx context.Context, long []*queued) {
	memory := semaphore.NewWeighted(longTraces)
	for _, q := range long {
		size := min(q.size, longTraces)
		if memory.Acquire(ctx, size) != nil {
			q.skip(ctx)
			continue
		}
		go func() {
			p := q.predictFirst(ctx)
			onBegin, onEnd := func() {}, func() { memory.Release(size) }
			if p.trace == nil || len(p.trace.Events) <= smallTrace {
				onBegin, onEnd = onEnd, onBegin
			}
			defer onEnd()
			q.explore(ctx, p, onBegin)
		}()
	}
}

// exploreShort explores packages with short traces.
func exploreShort(ctx context.Context, short []*queued, processors int64) {
	memory, predicting := semaphore.NewWeighted(processors*recording.ShortTrace), semaphore.NewWeighted(processors)
	for _, q := range short {
		if memory.Acquire(ctx, q.size) != nil || predicting.Acquire(ctx, 1) != nil {
			q.skip(ctx)
			continue
		}
		go func() {
			p := q.predictFirst(ctx)
			predicting.Release(1)
			q.explore(ctx, p, func() { memory.Release(q.size) })
		}()
	}
}

// A queued package is explored concurrently with others.
type queued struct {
	*loop
	exploring *semaphore.Weighted // packages that are explored
	size      int64               // of the trace, in bytes
	ended     chan error
}

// explore explores the package, from which p was predicted, once there is room for it, and
// calls onBegin then.
func (q *queued) explore(ctx context.Context, p *prediction, onBegin func()) {
	if q.exploring.Acquire(ctx, 1) == nil {
		defer q.exploring.Release(1)
	}
	onBegin()
	q.ended <- q.run(ctx, p)
}

// skip ends with what the tests have shown, as ctx has ended.
func (q *queued) skip(ctx context.Context) {
	q.addPackage()
	q.ended <- context.Cause(ctx)
}
