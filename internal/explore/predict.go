package explore

import (
	"context"
	"fmt"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A prediction is the analysis of the first recording of a package.
type prediction struct {
	trace *trace.Trace // nil: there is nothing to analyze
	// whole is set if the trace is not damaged, and was written to its end.
	whole  bool
	notes  recording.Notes
	early  *earlyRecordings // in other orders
	result *analysis.Result
	err    error // why there is no result
}

// predictFirst analyzes the first recording of the package.
func (l *loop) predictFirst(ctx context.Context) *prediction {
	run, status := l.ledger.Run, l.session.status
	l.session.clock.Release(l.reserved)
	status.Set("predicting", run.Package.Path)
	p := new(prediction)
	if p.trace, p.whole = recording.Read(run, l.session.build, l.session.opts.Keep, &p.notes); p.trace != nil {
		status.Set("predicting", fmt.Sprintf("%s, %d events", run.Package.Path, p.trace.LoggedEvents()))
		p.early = l.recordEarly(ctx, p.trace)
		p.result, p.err = finding.Predict(ctx, p.trace, l.confirmer.Analysis)
	}
	return p
}
