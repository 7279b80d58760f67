package finding

import (
	"context"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Findings returns what was predicted from t, of which nothing was replayed: a finding for
// each bug, with the interleaving that leads there if there is one, and apart those that no
// run can reach. Files are named relative to the folder root.
func Findings(ctx context.Context, t *trace.Trace, result *analysis.Result, root string) (predicted, infeasible []report.Finding, err error) {
	src := recording.Sources{Files: witness.Files{Root: root}, Lines: new(witness.Sources)}
	r := (&recording.Recording{Sources: src}).WithTrace(t)
	findings, impossible, err := Of(r, result, NewNames())
	if err != nil {
		return nil, nil, err
	}
	for _, f := range OnePerBug(findings) {
		ev := NotReplayed(r, f, bug.Unconfirmed)
		if f.Status == bug.Predicted { // outside of tests there is no schedule of it any more
			ev.Result.Reason = "not replayed"
		}
		if len(f.Schedules) > 0 {
			s := Scheduled{Finding: f, Recipe: f.Schedules[0], Order: f.Schedules[0].Schedule()}
			if ev.Witness, err = s.WitnessIn(ctx, r, witness.NeededSteps); err != nil {
				return nil, nil, err
			}
		}
		predicted = append(predicted, evidence.NewFinding(ev))
	}
	for _, f := range impossible {
		infeasible = append(infeasible, evidence.NewFinding(NotReplayed(r, f, bug.Infeasible)))
	}
	return predicted, infeasible, nil
}
