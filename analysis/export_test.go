package analysis

import (
	"context"

	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/recorder/trace"
)

var (
	GatherAll = gather
	BlockedIn = blockedIn
)

// Cuts are where windows of t of at least so many events begin but the first one.
func Cuts(t *trace.Trace, least int, properties []property.Property) []int {
	at, _ := cuts(t, least, properties)
	return at
}

// PredictInWindows is Predict for windows of at least so many events.
func PredictInWindows(ctx context.Context, t *trace.Trace, least int, opts Options) (*Result, error) {
	return divide(t, least, opts.Properties).Predict(ctx, opts)
}

// PredictReading is PredictInWindows that reads each window again; ok is not set if it is one only.
func PredictReading(ctx context.Context, t *trace.Trace, least int, opts Options) (r *Result, ok bool, err error) {
	d := divide(t, least, opts.Properties)
	if ok = d.Drop(); ok {
		r, err = d.Predict(ctx, opts)
	}
	return r, ok, err
}

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

// InWindows are the windows of t of at least so many events.
func InWindows(t *trace.Trace, least int) (all []*trace.Trace) {
	d := divide(t, least, nil)
	for _, w := range d.windows {
		all = append(all, d.part(w, t.Events[w.from:w.to:w.to]))
	}
	return all
}
