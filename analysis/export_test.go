package analysis

import (
	"context"

	"github.com/gopredict/gopredict/recorder/trace"
)

// WorkFor is how many steps there are for deciding the candidates of t.
func WorkFor(t *trace.Trace) int64 { return newWork(&Options{}, len(t.Events)).Steps }

// WorkLeft predicts from t with one of parts of the work that there is for it, and returns how many
// steps that was, and how many of them are left: less than none, if more was done.
func WorkLeft(ctx context.Context, t *trace.Trace, parts int64, opts Options) (whole, left int64, err error) {
	opts.Schedules = mostSchedules
	work := newWork(&opts, len(t.Events))
	work.Steps /= parts
	whole = work.Steps
	_, err = predict(ctx, t, opts, work)
	return whole, work.Steps, err
}
