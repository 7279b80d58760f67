package explore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file explores packages beside each other: replays wait for what the tests wait for, and
// the analysis of a trace is for the most part of one processor. Each package is explored by itself,
// as if it were a shard, so that what comes of one does not depend on which of them is the faster.

const (
	// packagesAtOnce is how many packages are explored at the same time, at most. Their replays share
	// the processors.
	packagesAtOnce = 4
	// smallTrace is how many events a trace has at most that may be in memory beside that of another package
	// which is long.
	smallTrace = 1 << 19
	// longBytes is how many bytes those have together that are longer, if there is more than one of them.
	longBytes = 24 << 20
)

// A prediction is what came of the first recording of a package, before anything is replayed.
type prediction struct {
	trace  *trace.Trace // nil: there is nothing to analyze
	whole  bool         // the trace is not damaged, and was written to its end
	notes  notes
	early  *early                                       // its recordings in other orders
	sized  func() (tests []string, size map[string]int) // see sizes
	result *analysis.Result
	err    error // there is no result: why
}

// notes are what is to be told of a package in the report, once its first recording was looked at.
type notes struct{ warnings, incomplete []string }

func (n *notes) warn(format string, args ...any) {
	n.warnings = append(n.warnings, fmt.Sprintf(format, args...))
}

// note adds to the report what was noted.
func (x *inPackage) note(n notes) {
	x.Report.Warnings = append(x.Report.Warnings, n.warnings...)
	for _, why := range n.incomplete {
		x.incomplete(why)
	}
}

// predict analyzes the first recording of a package.
func (x *inPackage) predict(ctx context.Context, run recorder.Run) *prediction {
	x.kept.Add(-int64(x.reserved))
	x.status.Set("predicting", run.Package.Path)
	p := new(prediction)
	if p.trace, p.whole = x.read(run, &p.notes); p.trace != nil {
		x.status.Set("predicting", fmt.Sprintf("%s, %d events", run.Package.Path, p.trace.Logged()))
		p.sized = sizesOnce(p.trace)
		p.early = x.recordEarly(ctx, run, p.trace, p.sized)
		p.result, p.err = Predict(ctx, p.trace, x.analysis(run))
	}
	return p
}

// Explore explores the packages that runs are the first recordings of, and adds them to the report in their
// order. The error is for what concerns all of them, or that ctx has ended: the report has what is known by then.
func (x *Exploration) Explore(ctx context.Context, runs []recorder.Run) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	kept := x.bound(runs)
	ends := x.oneByOne(ctx, runs, kept)
	if most := x.atOnce(); most > 1 {
		ends = x.allBeside(ctx, runs, kept, most)
	}
	var first error
	for p, err := range ends {
		x.join(p)
		if err != nil && first == nil {
			first = err
			stop(err)
		}
	}
	return first
}

// atOnce returns how many packages are explored beside each other.
func (x *setting) atOnce() int {
	switch {
	case x.opts.Explore.explores(): // maybe for a time, which is that of each in turn
		return 1
	case x.opts.Beside > 0:
		return min(x.opts.Beside, packagesAtOnce)
	}
	return min(runtime.GOMAXPROCS(0), packagesAtOnce)
}

// oneByOne yields what came of each of runs, of which the next one is explored then.
func (x *setting) oneByOne(ctx context.Context, runs []recorder.Run, kept []time.Duration) iter.Seq2[*inPackage, error] {
	return func(yield func(*inPackage, error) bool) {
		for k, run := range runs {
			p := x.in()
			p.reserved = kept[k]
			if ctx.Err() != nil {
				p.ran(run)
				yield(p, context.Cause(ctx))
				continue
			}
			var predicted *prediction
			if run.Trace != "" {
				predicted = p.predict(ctx, run)
			}
			yield(p, p.add(ctx, run, predicted))
		}
	}
}

// allBeside yields what came of each of runs, in their order. They are explored most at a time: those of which the
// traces are short, as far as these are together as long as one of them for each processor, and beside
// these longer ones, one of them or as many as have longBytes together. Of the short ones those come first of which the
// least time is kept, as what they leave is for others, and of the long ones those of which the most is, as their
// analysis is waited for. There is no other one in the place of a long one before that is explored, or, if it has many
// events, until it was.
func (x *setting) allBeside(ctx context.Context, runs []recorder.Run, kept []time.Duration, most int) iter.Seq2[*inPackage, error] {
	procs := runtime.GOMAXPROCS(0)
	room := semaphore.NewWeighted(int64(procs * shortBytes))
	predicting, exploring := semaphore.NewWeighted(int64(procs)), semaphore.NewWeighted(int64(most))
	all := make([]*beside, len(runs))
	var short, long []*beside
	for k, run := range runs {
		b := &beside{inPackage: x.in(), run: run, ended: make(chan error, 1)}
		all[k], b.reserved = b, kept[k]
		info, err := os.Stat(run.Trace)
		if err == nil {
			b.size = info.Size()
		}
		switch {
		case run.Trace == "" || err != nil:
			b.ended <- b.add(ctx, run, nil)
		case b.size > int64(procs*shortBytes):
			long = append(long, b)
		default:
			short = append(short, b)
		}
	}
	slices.SortStableFunc(short, func(a, b *beside) int { return cmp.Compare(a.reserved, b.reserved) })
	slices.SortStableFunc(long, func(a, b *beside) int { return cmp.Compare(b.reserved, a.reserved) })
	go func() {
		room := semaphore.NewWeighted(longBytes)
		for _, b := range long {
			its := min(b.size, longBytes)
			if room.Acquire(ctx, its) != nil {
				b.skip(ctx)
				continue
			}
			go func() {
				p := b.predict(ctx, b.run)
				begun, over := func() {}, func() { room.Release(its) }
				if p.trace == nil || len(p.trace.Events) <= smallTrace {
					begun, over = over, begun
				}
				defer over()
				b.explore(ctx, exploring, p, begun)
			}()
		}
	}()
	go func() {
		for _, b := range short {
			if room.Acquire(ctx, b.size) != nil || predicting.Acquire(ctx, 1) != nil {
				b.skip(ctx)
				continue
			}
			go func() {
				p := b.predict(ctx, b.run)
				predicting.Release(1)
				b.explore(ctx, exploring, p, func() { room.Release(b.size) })
			}()
		}
	}()
	return func(yield func(*inPackage, error) bool) {
		for _, b := range all {
			yield(b.inPackage, <-b.ended)
		}
	}
}

// A beside is a package that is explored beside others.
type beside struct {
	*inPackage
	run   recorder.Run
	size  int64 // of its trace
	ended chan error
}

// explore explores the package, of which p was predicted, once there is room for it, and calls begun then.
func (b *beside) explore(ctx context.Context, room *semaphore.Weighted, p *prediction, begun func()) {
	if room.Acquire(ctx, 1) == nil {
		defer room.Release(1)
	}
	begun()
	b.ended <- b.add(ctx, b.run, p)
}

// skip ends with what the tests have shown, as ctx has ended.
func (b *beside) skip(ctx context.Context) {
	b.ran(b.run)
	b.ended <- context.Cause(ctx)
}

// join adds what came of a package to the report, and publishes its witnesses: but for bugs that another one
// has shown before.
func (x *Exploration) join(p *inPackage) {
	if p.drafted != nil {
		p.drafted.withdrawTold(x.told)
		p.drafted.publish()
	}
	r := &p.Report
	for k := range r.Findings {
		if f := &r.Findings[k]; f.Status == bug.Confirmed {
			x.told[f.Sites()] = true
		}
	}
	x.Failed = x.Failed || p.Failed
	x.Report.Join(r)
	for _, why := range r.Incomplete {
		incomplete(&x.Report, why)
	}
}
