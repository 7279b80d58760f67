package finding

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/reduce"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// TruncatedWarning says that not all patterns were found.
const TruncatedWarning = "the search for atomicity violations ended early, as there are too many ways to choose accesses: there may be more of them; -run=NAME selects fewer tests"

// TooLongWarning says that assertions of some tests were not predicted.
var TooLongWarning = fmt.Sprintf("failing assertions were not predicted for tests that have more than %d events, with those of tests that ran at the same time: -run=NAME selects fewer tests", dataflow.MaxEvents)

// Predict is [analysis.Predict], but returns as soon as ctx is done. During the analysis of a
// long trace not all of its events are in memory.
func Predict(ctx context.Context, t *trace.Trace, opts analysis.Options) (*analysis.Result, error) {
	d := reduce.Divide(t, opts.Properties)
	predict := func() (*analysis.Result, error) { return analysis.PredictWindows(ctx, d, opts) }
	if !d.Drop() {
		return UnlessDone(ctx, predict)
	}
	// The windows are read from the file, one at a time.
	t.Events = nil
	runtime.GC() // before what comes in their place
	r, err := UnlessDone(ctx, predict)
	runtime.GC()
	return r, cmp.Or(err, reduce.ReadEvents(t))
}

// RacyEvents is [analysis.FindRacyEvents], but returns as soon as ctx is done.
func RacyEvents(ctx context.Context, t *trace.Trace, opts analysis.Options) (*analysis.RacyEvents, error) {
	return UnlessDone(ctx, func() (*analysis.RacyEvents, error) { return analysis.FindRacyEvents(ctx, t, opts) })
}

// UnlessDone calls f and returns its result, or returns as soon as ctx is done: work on long
// traces can take minutes, and parts of it do not look at ctx. Function f then goes on until
// the command ends, so it must not write to what others use.
func UnlessDone[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := f()
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
