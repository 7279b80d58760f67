package finding

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/internal/untrusted"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Whatever trace can be read and is valid can be analyzed, and what was found be printed.
func FuzzFindings(f *testing.F) {
	for seed := range uint64(4) {
		for _, tr := range []*trace.Trace{tracetest.RandomData(seed, 3, 8), tracetest.Random(seed, tracetest.Config{Goroutines: 3, Events: 8, Sync: tracetest.All, Locks: 2, Locations: 2})} {
			var text strings.Builder
			require.NoError(f, trace.WriteText(&text, tr))
			f.Add(text.String())
		}
	}
	f.Add("T0|fork(T1)|0\nT0|acq(L)|1\nT0|w(V)|2\nT0|rel(L)|3\nT1|w(V)|4\nT1|acq(L)|5\nT1|r(W)|6\nT1|rel(L)|7\nT0|w(W)|8\nT0|join(T1)|9")
	f.Fuzz(func(t *testing.T, in string) {
		read := trace.ReadText
		if strings.Contains(in, "|") {
			read = trace.ReadRAPID
		}
		tr, err := read(strings.NewReader(in))
		if err != nil || len(tr.Events) > 200 || trace.Validate(tr) != nil {
			return
		}
		result, err := Predict(t.Context(), tr, analysis.Options{})
		if err != nil {
			return
		}
		predicted, infeasible, err := ReportPredictions(t.Context(), tr, result, "")
		require.NoError(t, err)
		for _, f := range append(predicted, infeasible...) {
			var text strings.Builder
			require.NoError(t, report.WriteFinding(&text, &f, report.TextOptions{Verbose: true}))
			assert.Equal(t, untrusted.Printable(text.String()), text.String(), "what a terminal gets does nothing there")
		}
	})
}

func TestUnlessDone(t *testing.T) {
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(context.Background())
	n, err := UnlessDone(ctx, func() (int, error) { return 7, nil })
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	_, err = UnlessDone(ctx, func() (int, error) { cancel(over); select {} })
	assert.ErrorIs(t, err, over)
}
