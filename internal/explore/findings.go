package explore

import (
	"context"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Findings returns what was predicted from t, of which nothing was replayed: a finding
// for each bug, with the interleaving that leads there if there is one, and apart those
// that no run can show. Files are named relative to the folder root.
func Findings(ctx context.Context, t *trace.Trace, r *analysis.Result, root string) (predicted, infeasible []report.Finding, err error) {
	c := &confirmation{
		inPackage: (&setting{root: root, files: witness.Files{Root: root}, source: new(witness.Sources)}).in(),
		trace:     t, index: witness.NewIndex(t), tally: newTally(),
	}
	findings, impossible, err := c.findings(r)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range oneEach(findings) {
		ev := c.evidence(f, f.witness)
		ev.Result = replayer.Result{Status: bug.Unconfirmed, Reason: witness.Prose(f.Reason, f.Tests)}
		if f.Status == bug.Predicted { // outside of tests there is no schedule of it any more
			ev.Result.Reason = "not replayed"
		}
		if len(f.Schedules) > 0 {
			recipe := f.Schedules[0]
			if ev.Witness, err = c.witnessOf(ctx, scheduled{f, recipe, recipe.Schedule()}, witness.Small); err != nil {
				return nil, nil, err
			}
		}
		predicted = append(predicted, evidence.NewFinding(ev))
	}
	for _, f := range impossible {
		infeasible = append(infeasible, evidence.NewFinding(c.ruledOut(f)))
	}
	return predicted, infeasible, nil
}

// oneEach returns of the findings of each bug one, which has schedules if any has: to
// the reader, findings at the same lines are one.
func oneEach(findings []finding) []finding {
	var out []finding
	of := make(map[string]int)
	for _, f := range findings {
		sites := sitesOf(f.witness)
		switch k, again := of[sites]; {
		case !again:
			of[sites] = len(out)
			out = append(out, f)
		case len(out[k].Schedules) == 0 && len(f.Schedules) > 0:
			out[k] = f
		}
	}
	return out
}
