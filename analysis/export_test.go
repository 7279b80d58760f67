package analysis

import (
	"context"

	"github.com/gopredict/gopredict/recorder/trace"
)

var (
	Cuts      = cuts
	GatherAll = gather
)

// PredictInWindows is Predict for windows of at least so many events.
func PredictInWindows(ctx context.Context, t *trace.Trace, least int, opts Options) (*Result, error) {
	return predictIn(ctx, windows(t, least), opts)
}

// WorkFor is how many steps there are for deciding the candidates of t.
func WorkFor(t *trace.Trace) int64 { return newWork(&Options{}, len(t.Events)).Steps }
