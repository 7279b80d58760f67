package explore

import (
	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer"
	"github.com/gopredict/gopredict/replayer/witness"
)

// Findings returns what was predicted from t, of which nothing was replayed: a finding
// for each bug, with the interleaving that leads there if there is one, and apart those
// that no run can show. Files are named relative to the folder root.
func Findings(t *trace.Trace, r *analysis.Result, root string) (predicted, infeasible []report.Finding, err error) {
	c := &confirmation{
		Exploration: &Exploration{root: root, files: witness.Files{Root: root}, source: new(witness.Sources)},
		trace:       t, tally: newTally(),
	}
	suspects, impossible, err := c.suspects(r)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range oneEach(suspects) {
		ev := c.evidence(s, s.witness)
		ev.Result = replayer.Result{Status: bug.Unconfirmed, Reason: witness.Prose(s.Reason, s.Tests)}
		if len(s.Schedules) > 0 {
			recipe := s.Schedules[0]
			if ev.Witness, err = c.scheduled(attempt{s, recipe, recipe.Schedule()}, witness.Small); err != nil {
				return nil, nil, err
			}
			ev.Result.Reason = "not replayed"
		}
		predicted = append(predicted, report.NewFinding(ev))
	}
	for _, s := range impossible {
		infeasible = append(infeasible, report.NewFinding(c.ruledOut(s)))
	}
	return predicted, infeasible, nil
}

// oneEach returns of the suspects of each bug one, which has schedules if any has.
func oneEach(suspects []suspect) []suspect {
	var out []suspect
	of := make(map[string]int)
	for _, s := range suspects {
		sites := sitesOf(s.witness)
		switch k, again := of[sites]; {
		case !again:
			of[sites] = len(out)
			out = append(out, s)
		case len(out[k].Schedules) == 0 && len(s.Schedules) > 0:
			out[k] = s
		}
	}
	return out
}
