package confirm

import (
	"context"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/explore/strategy"
)

// Predict predicts from a recording that is not the first one of the package. There is no
// result if it cannot be analyzed.
func (c *Confirmer) Predict(ctx context.Context, r *recording.Recording, opts analysis.Options) (*analysis.Result, []finding.Finding, error) {
	bound, end := c.Replays.Clock.LimitAnalysis(ctx)
	defer end()
	result, err := finding.Predict(bound, r.Trace, opts)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil { // the user has not asked for this trace
		return nil, nil, nil
	}
	c.Candidates.NotePredicted(result)
	findings, err := c.Enter(r, result)
	return result, findings, err
}

// Enter makes the findings of a result with their witnesses, and enters those into the ledger
// that no run of the program can reach.
func (c *Confirmer) Enter(r *recording.Recording, result *analysis.Result) ([]finding.Finding, error) {
	findings, infeasible, err := finding.Of(r, result, c.Candidates.Names())
	if err != nil {
		return nil, err
	}
	for _, f := range infeasible {
		if e := c.Entry(finding.NotReplayed(r, f, bug.Infeasible)); !c.Ledger.Outdone(&e.Finding) {
			c.Add(e)
		}
	}
	return findings, nil
}

// PredictOpen predicts from a further recording what is not settled, of the kinds; none are
// all. A long recording is not searched for patterns.
func (c *Confirmer) PredictOpen(ctx context.Context, r *recording.Recording, kinds []bug.Kind) ([]finding.Finding, error) {
	if len(r.Trace.Events) > patternEvents && !c.Strategy.Exploring {
		if kinds = WithoutPatterns(kinds); len(kinds) == 0 {
			return nil, nil
		}
	}
	opts := c.Analysis
	opts.KnowledgeOf, opts.Kinds = c.known, kinds
	opts.Solving.Budget.Steps = strategy.FurtherSolving
	_, findings, err := c.Predict(ctx, r, opts)
	return findings, err
}

// known says what is known of a candidate in a further recording. Patterns of accesses that
// only such recordings have are findings only if there is a schedule: it takes more to refute
// them than to find one, and they have the least effect.
func (c *Confirmer) known(name string) analysis.Knowledge {
	k := c.Candidates.Known(name)
	if kind, _, _ := strings.Cut(name, "\x00"); k == analysis.Unknown && finding.IsPattern(bug.Kind(kind)) && !c.Strategy.Exploring {
		return analysis.TriedBefore
	}
	return k
}

// WithoutPatterns returns those of the kinds that are no patterns of accesses; no kinds are all.
func WithoutPatterns(kinds []bug.Kind) []bug.Kind {
	if len(kinds) == 0 {
		kinds = bug.Kinds()
	}
	return slices.DeleteFunc(slices.Clone(kinds), finding.IsPattern)
}

// Wants reports whether bugs of a kind are looked for.
func (c *Confirmer) Wants(kind bug.Kind) bool {
	return len(c.Analysis.Kinds) == 0 || slices.Contains(c.Analysis.Kinds, kind)
}
