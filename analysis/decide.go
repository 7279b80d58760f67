package analysis

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/internal/bug"
)

// A decider decides single candidates by all tiers but solving.
type decider struct {
	*effort
	refuter  *refuter
	proposer *proposer
}

// newDecider returns one for the subject.
func newDecider(s *subject) *decider {
	e := &effort{subject: s}
	return &decider{effort: e, refuter: &refuter{effort: e}, proposer: &proposer{effort: e}}
}

// An instance is one of a candidate, and what must come before what if it is a bug.
type instance struct {
	detect.Instance
	guide []causality.Edge
}

// instancesOf are those of c, of which nothing else is known yet.
func instancesOf(c detect.Candidate) []instance {
	instances := make([]instance, len(c.Instances))
	for k, v := range c.Instances {
		instances[k].Instance = v
	}
	return instances
}

// decide decides one candidate, by all but solving. It returns the instances that
// nothing refutes.
func (d *decider) decide(c detect.Candidate) (f Finding, open []instance) {
	f = Finding{Kind: c.Kind, Name: c.Name, Status: bug.Undecided, Pattern: c.Instances[0].Pattern, Accesses: d.o.ReplaceWakes(c.Instances[0].Accesses)}
	if c.IsSingleEvent() {
		d.locate(&f)
		all := d.refuter.withFormula(instancesOf(c))
		if open = d.refuter.mayDiffer(all, maxAlone); len(open) == 0 && c.Exhaustive {
			f.Status, f.Reason = bug.Infeasible, "no order of the recorded events leads to it"
			if len(all) > 0 {
				f.Tier = TierMust
			}
		} else if len(open) == 0 {
			f.overBudget(fmt.Sprintf("not the first %d ways, and there are more", len(c.Instances)))
		}
		return f, open // what it takes is for the solver to say
	}
	if c.Instances[0].IsDeadlock {
		return d.decideBlocked(f, c)
	}
	if d.allowance.Over() {
		f.Reason = givenUp
		d.locate(&f)
		return f, instancesOf(c)
	}
	open = d.refuter.refute(&f, instancesOf(c))
	d.proposer.propose(&f, open)
	d.conclude(&f, c, open)
	return f, open
}

// conclude notes in f what became of c, of which nothing has refuted the instances that are
// withFormula.
func (d *decider) conclude(f *Finding, c detect.Candidate, open []instance) {
	switch {
	case len(f.Schedules) > 0:
		f.Status, f.Tier, f.Reason = bug.Predicted, f.Schedules[0].Tier(), ""
		f.Pattern, f.Accesses = f.Schedules[0].Pattern, f.Schedules[0].Accesses
	case len(open) == 0 && c.Exhaustive:
		f.Status = bug.Infeasible
	default:
		f.Tier = ""
	}
	d.locate(f)
}

// givenUp is why nothing is known of a candidate.
const givenUp = "the search was given up"

// isPartial reports whether c is a pattern that has more matches than instances.
func (d *decider) isPartial(c detect.Candidate) bool { return len(c.Tuples) > 0 && !c.Exhaustive }

// hasSmallShare reports whether the candidate at hand is a race that may take so little that
// all of its instances are not tried, where there are more: neighbours are as good.
func (d *decider) hasSmallShare(c detect.Candidate) bool {
	return d.triesNeighbours(c) && d.allowance.Steps < smallWork
}

// triesNeighbours reports whether c is a race of which neighbours are tried before its further instances: where
// the nearest ones lead nowhere, those are as far from it. Who wants more schedules than these have needs all.
func (d *decider) triesNeighbours(c detect.Candidate) bool {
	return len(c.Places) > 0 && !c.Exhaustive && d.opts.known(c.Name) != TriedBefore && d.opts.Schedules <= maxTried
}

// firstInstances returns c with the instances that are tried at first.
func (d *decider) firstInstances(c detect.Candidate) detect.Candidate {
	if d.isPartial(c) || d.triesNeighbours(c) {
		c.Instances = c.Instances[:min(len(c.Instances), maxTried)]
	}
	return c
}

// decideRest looks at those instances of c that were not tried at first, and notes in the finding f if that
// decides c.
func (d *decider) decideRest(f *Finding, c *candidate) {
	others := c.Candidate
	others.Instances = others.Instances[maxTried:]
	g, open := d.decide(others)
	if g.Status == bug.Predicted {
		*f = g
	}
	c.open = slices.DeleteFunc(c.open, func(v instance) bool { // of the round before
		return includes(others.Instances, v.Instance)
	})
	c.open = append(c.open, open...)
}

// includes reports whether v is one of all instances of its candidate.
func includes(all []detect.Instance, v detect.Instance) bool {
	return slices.ContainsFunc(all, func(o detect.Instance) bool { return slices.Equal(o.Accesses, v.Accesses) })
}

// spread is how far accesses are apart.
func spread(accesses []int) int { return slices.Max(accesses) - slices.Min(accesses) }
