package explore

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file predicts from recorded runs before their packages have their turn: replays wait
// for what the tests wait for, and the analysis of a trace is for the most part of one
// processor.

// aheadUnit is what the lengths of the files of traces are counted in that are analyzed ahead: for each
// processor, these are together as long as that of one short trace, as they are in memory until their
// packages have their turn.
const aheadUnit = 1 << 14

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

// notes are what is to be told of a package in the report, once it has its turn there.
type notes struct{ warnings, incomplete []string }

func (n *notes) warn(format string, args ...any) {
	n.warnings = append(n.warnings, fmt.Sprintf(format, args...))
}

// note adds to the report what was noted.
func (x *Exploration) note(n notes) {
	x.Report.Warnings = append(x.Report.Warnings, n.warnings...)
	for _, why := range n.incomplete {
		x.incomplete(why)
	}
}

// predict analyzes the first recording of a package; it calls begin with the number of events
// before that.
func (x *Exploration) predict(ctx context.Context, run recorder.Run, begin func(events int)) *prediction {
	p := new(prediction)
	if p.trace, p.whole = x.read(run, &p.notes); p.trace != nil {
		begin(p.trace.Logged())
		p.sized = sizesOnce(p.trace)
		p.early = x.recordEarly(ctx, run, p.trace, p.sized)
		p.result, p.err = Predict(ctx, p.trace, x.analysis(run))
	}
	return p
}

// ahead are the predictions that are made before their packages have their turn, by the files
// of their traces.
type ahead struct {
	made map[string]chan *prediction
	held chan struct{}  // one for each unit of those that are in memory
	took map[string]int // how many units each has: none of long ones
	long chan struct{}  // one for the long one that is in memory
}

// Ahead begins to predict from recorded runs, as many at the same time as there are processors, and beside
// these from one that is long: there is none in memory beside it, until its package has had its turn.
// Add takes what comes of that, and has to be called for the runs in their order.
func (x *Exploration) Ahead(ctx context.Context, runs []recorder.Run) {
	procs := runtime.GOMAXPROCS(0)
	a := &ahead{made: make(map[string]chan *prediction), took: make(map[string]int), held: make(chan struct{}, procs*shortBytes/aheadUnit), long: make(chan struct{}, 1)}
	var all, long []recorder.Run
	for _, run := range runs {
		info, err := os.Stat(run.Trace)
		if run.Trace == "" || err != nil {
			continue
		}
		a.made[run.Trace] = make(chan *prediction, 1)
		if info.Size() > int64(procs*shortBytes) {
			long = append(long, run)
			continue
		}
		all = append(all, run)
		a.took[run.Trace] = max(1, int(info.Size()+aheadUnit-1)/aheadUnit)
	}
	x.ahead = a
	go func() {
		for _, run := range long {
			select {
			case a.long <- struct{}{}:
			case <-ctx.Done():
				return
			}
			a.made[run.Trace] <- x.predict(ctx, run, func(int) {})
		}
	}()
	go func() {
		working := make(chan struct{}, procs)
		for _, run := range all {
			for range a.took[run.Trace] {
				select {
				case a.held <- struct{}{}:
				case <-ctx.Done():
					return
				}
			}
			working <- struct{}{}
			go func() {
				defer func() { <-working }()
				a.made[run.Trace] <- x.predict(ctx, run, func(int) {})
			}()
		}
	}()
}

// of returns what was predicted from run, and waits for it; nil if that is not done ahead.
func (a *ahead) of(ctx context.Context, run recorder.Run) *prediction {
	if a == nil || a.made[run.Trace] == nil {
		return nil
	}
	select {
	case p := <-a.made[run.Trace]:
		for range a.took[run.Trace] {
			<-a.held
		}
		return p
	case <-ctx.Done():
		return &prediction{whole: true, err: context.Cause(ctx)}
	}
}

// over notes that the package of run has had its turn.
func (a *ahead) over(run recorder.Run) {
	if a != nil && a.made[run.Trace] != nil && a.took[run.Trace] == 0 {
		select {
		case <-a.long:
		default: // it was ended before it was read
		}
	}
}
