package theory

import (
	"context"
	"time"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/measure/run"
)

// A comparison is what two engines took for the same formulas: those that the
// first one's answers and models led to.
type comparison struct {
	took      [2]time.Duration // processor time
	checks    int
	undecided int // by the second one, within the budget of the first
	differ    int // checks to which one said that it holds, and the other that it cannot
}

// compared is an engine that puts the questions to another one as well.
type compared struct {
	solver.Engine
	second  solver.Engine
	left    *solver.Budget // of the second one
	pending []solver.Bool  // asserted, and not yet passed on
	*comparison
}

// engine makes an engine, the built-in one, that notes in c what Z3 takes for the
// same, which has a budget of its own for all checks.
func (c *comparison) engine(f *solver.Formula, budget solver.Budget) (*compared, error) {
	z, err := solver.NewZ3(f)
	if err != nil {
		return nil, err
	}
	return &compared{Engine: solver.NewBuiltin(f), second: z, left: &budget, comparison: c}, nil
}

// each has both engines do something, and notes how long it takes.
func (e *compared) each(do func(k int, engine solver.Engine) error) error {
	pending := e.pending
	e.pending = nil
	for k, engine := range []solver.Engine{e.Engine, e.second} {
		watch := run.Start()
		engine.Assert(pending...)
		if err := do(k, engine); err != nil {
			return err
		}
		e.took[k] += watch.Lap()
	}
	return nil
}

func (e *compared) Assert(bs ...solver.Bool) { e.pending = append(e.pending, bs...) }

// Check asks both; the first one's answer counts.
func (e *compared) Check(ctx context.Context, budget *solver.Budget, assumptions ...solver.Bool) (solver.Answer, error) {
	var answers [2]solver.Answer
	budgets := []*solver.Budget{budget, e.left}
	err := e.each(func(k int, engine solver.Engine) (err error) {
		answers[k], err = engine.Check(ctx, budgets[k], assumptions...)
		return err
	})
	e.checks++
	switch {
	case answers[1] == solver.Unknown:
		e.undecided++
	case answers[0] != solver.Unknown && answers[0] != answers[1]:
		e.differ++
	}
	return answers[0], err
}

func (e *compared) Close() {
	e.Engine.Close()
	e.second.Close()
}
