package analysis

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/bug"
)

// The tiers that decide, as the report names them: those that refute, and the
// schedulers that find a schedule, of which the solver also refutes.
const (
	TierHistory   = "history"
	TierMust      = "must"
	TierCausality = "causality"
	TierCone      = string(schedule.Cone)
	TierTurned    = string(schedule.Turned)
	TierPecan     = string(schedule.Pecan)
	TierSliced    = string(schedule.Sliced)
	TierSolver    = string(schedule.Solver)
)

// The steps that look beyond the nearest instances of a candidate. Findings name the tier that
// conclude there.
const (
	StepPairs   = "pairs"   // all pairs of accesses of a race
	StepMatches = "matches" // all matches of a pattern
)

// Options say how far to go.
type Options struct {
	// Kinds are the kinds of bugs to look for; none stands for all of them.
	Kinds []bug.Kind
	// Patterns are looked for besides the built-in ones of these kinds.
	Patterns []anomaly.Pattern
	// Properties are those that the package declares of which the trace is, and built-in ones.
	Properties []property.Property
	// Schedules is the greatest number of schedules for one finding that are made at once; 0 stands for 1, and in
	// several windows, of which nothing is kept, for mostSchedules. [Finding.Recipes] makes the others.
	Schedules int
	Solving   Solving
	// Known is asked what other traces have told of the candidate of that name
	// (Finding.Name). nil: nothing is known of any.
	KnowledgeOf func(name string) Knowledge
	// Scheduled is set where only findings that have schedules are wanted. Of the others it is not looked into
	// whether a run departs: their status tells of the recorded events only.
	OnlyScheduled bool
	// Without names tiers that are switched off, as findings name them, or [StepPairs] and
	// [StepMatches]. It is for measuring what each of them finds that no other does.
	DisabledTiers []string
	// extend is set for further traces of a package. Of many of these little is asked.
	isFurtherTrace bool
}

// Known is what is known of a candidate before a trace is analyzed.
type Knowledge int

// What can be known.
const (
	Unknown Knowledge = iota
	// Tried candidates are findings only if there is a schedule. None is looked for by
	// solving, but for those that nothing else decides.
	TriedBefore
	Settled // no finding any more, whatever the trace shows
)

// uses reports whether a tier or step is not switched off.
func (o *Options) uses(tier string) bool { return !slices.Contains(o.DisabledTiers, tier) }

// known is what other traces have told of the candidate of that name.
func (o *Options) knownOf(name string) Knowledge {
	if o.KnowledgeOf == nil {
		return Unknown
	}
	return o.KnowledgeOf(name)
}

// Solving says how candidates are decided that nothing else decides.
type Solving struct {
	// Engine makes the solver for a formula; nil stands for the built-in one.
	Engine func(*solver.Formula) (solver.Engine, error)
	// Budget is for each candidate, as far as there is work left for the trace. What is zero in it
	// stands for [solver.Second] and 1 GB.
	Budget solver.Budget
}

// engine is what makes solvers.
func (s *Solving) engine() func(*solver.Formula) (solver.Engine, error) {
	if s.Engine != nil {
		return s.Engine
	}
	return func(f *solver.Formula) (solver.Engine, error) { return solver.NewBuiltin(f), nil }
}

// budget is for each candidate.
func (s *Solving) budget() solver.Budget {
	return solver.Budget{Steps: cmp.Or(s.Budget.Steps, solver.Second), Memory: cmp.Or(s.Budget.Memory, 1<<30)}
}
