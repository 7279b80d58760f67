package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/internal/bug"
)

// A candidate is one of the detectors' candidates with what is known of it so far.
type candidate struct {
	detect.Candidate
	finding *Finding
	open    []instance // the instances that nothing has refuted
}

// isOpen reports whether nothing has decided c.
func (c *candidate) isOpen() bool { return c.finding.Status == bug.Undecided }

// isPartial reports whether c is a pattern that has more matches than instances.
func (c *candidate) isPartial() bool { return len(c.Tuples) > 0 && !c.Exhaustive }

// withInstances returns a candidate for the same finding with other instances, which are not all.
func (c *candidate) withInstances(instances ...detect.Instance) detect.Candidate {
	return detect.Candidate{Kind: c.Kind, Name: c.Name, Instances: instances}
}

// An instance is one of a candidate, with the edges of its causality graph.
type instance struct {
	detect.Instance
	guide []causality.Edge // what must come before what if the instance is a bug
}

// instancesOf returns instances of which nothing else is known yet.
func instancesOf(found []detect.Instance) []instance {
	instances := make([]instance, len(found))
	for k, v := range found {
		instances[k].Instance = v
	}
	return instances
}

// A decider decides single candidates by all tiers but solving.
type decider struct {
	*effort
	refuter  *refuter
	proposer *proposer
}

// newDecider returns the decider of a subject.
func newDecider(s *subject) *decider {
	e := &effort{subject: s}
	return &decider{effort: e, refuter: &refuter{effort: e}, proposer: &proposer{effort: e}}
}

// decide decides one candidate. It returns the instances that nothing refutes.
func (d *decider) decide(c detect.Candidate) (f Finding, open []instance) {
	f = Finding{Kind: c.Kind, Name: c.Name, Status: bug.Undecided, Pattern: c.Instances[0].Pattern, Accesses: d.order.ReplaceWakes(c.Instances[0].Accesses)}
	switch {
	case c.IsSingleEvent():
		return f, d.refuteSingleEvents(&f, c)
	case c.Instances[0].IsDeadlock:
		return f, d.decideDeadlock(&f, c)
	case d.allowance.Over():
		f.Reason = givenUp
		d.locate(&f)
		return f, instancesOf(c.Instances)
	}
	open = d.refuter.refute(&f, instancesOf(c.Instances))
	d.proposer.propose(&f, open)
	d.conclude(&f, c, open)
	return f, open
}

// refuteSingleEvents refutes instances that are one event each. Only the solver finds schedules for the
// others, which it returns.
func (d *decider) refuteSingleEvents(f *Finding, c detect.Candidate) (open []instance) {
	d.locate(f)
	all := d.refuter.withFormula(instancesOf(c.Instances))
	open = d.refuter.mayDiffer(all, maxEventsOfAssertion)
	switch {
	case len(open) > 0:
	case !c.Exhaustive:
		f.overBudget(fmt.Sprintf("not the first %d ways, and there are more", len(c.Instances)))
	default:
		f.Status, f.Reason = bug.Infeasible, "no order of the recorded events leads to it"
		if len(all) > 0 {
			f.Tier = TierMust
		}
	}
	return open
}

// conclude sets the status of f by its schedules and by the instances of c that nothing has refuted.
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

// givenUp is the reason of findings whose candidates got no work.
const givenUp = "the search was given up"

// triesNeighbours reports whether c is a race of which neighbours are tried before its further instances.
// Where the nearest instances have no schedule, the others are as far from one. If more than maxTried
// schedules are wanted, all instances are needed.
func (d *decider) triesNeighbours(c detect.Candidate) bool {
	return len(c.Places) > 0 && !c.Exhaustive && d.opts.knownOf(c.Name) != TriedBefore && d.opts.Schedules <= maxTried
}

// decideUntried tries the instances of c that were not tried at first.
func (d *decider) decideUntried(c *candidate) {
	others := c.Candidate
	others.Instances = others.Instances[maxTried:]
	f, open := d.decide(others)
	if f.Status == bug.Predicted {
		*c.finding = f
	}
	c.open = append(c.open, open...)
}

// decideRemaining decides c, of which all are the instances that the must clock leaves. Those of tried
// have no schedule.
func (d *decider) decideRemaining(c *candidate, all, tried, groups []detect.Instance) {
	f := c.finding
	if len(all) == 0 {
		f.Status, f.Tier, f.Reason = bug.Infeasible, TierMust, "one of the accesses must come before the other one's goroutine is there, in each run of the recorded events"
		if c.Instances[0].Pattern != nil {
			f.Reason = "one of the accesses must come before another one that has to be before it, or a lock keeps it out, in each run of the recorded events"
		}
		c.Instances, c.Exhaustive = groups, true
		return
	}
	slices.SortStableFunc(all, func(a, b detect.Instance) int { return cmp.Compare(spread(a.Accesses), spread(b.Accesses)) })
	// Schedules for more take too long.
	nearest := slices.DeleteFunc(slices.Clone(all[:min(len(all), anomaly.MaxPairs)]), func(v detect.Instance) bool { return includes(tried, v) })
	reason := f.Reason
	if len(nearest) > 0 {
		found, _ := d.decide(c.withInstances(nearest...))
		if found.Status == bug.Predicted {
			*f = found
			return
		}
		reason = found.Reason
	}
	f.Reason = ""
	if c.open = d.refuter.refute(f, instancesOf(all)); len(c.open) == 0 {
		f.Status = bug.Infeasible
	} else {
		f.Tier, f.Reason = "", reason
	}
	// A proof has to hold for the groups, too: a run that departs may do what the must clock refutes.
	c.Instances, c.Exhaustive = append(all, groups...), true
}

// onePerTests returns the first one of the instances for each set of tests. It fails if these are too
// many.
func (d *decider) onePerTests(all []detect.Instance) (groups []detect.Instance, ok bool) {
	seen := make(map[string]bool)
	for _, v := range all {
		if key := d.testKey(v); !seen[key] {
			seen[key] = true
			groups = append(groups, v)
		}
	}
	return groups, len(groups) <= maxGroups
}

// testKey returns a key for the tests of v, and for where a schedule of them begins.
func (s *subject) testKey(v detect.Instance) string {
	return fmt.Sprint(s.planner.RecordedPrefix(v.Accesses...), "\x00", strings.Join(s.tests.TestsOf(v.Accesses), "\x00"))
}

// includes reports whether v is one of the instances.
func includes(all []detect.Instance, v detect.Instance) bool {
	return slices.ContainsFunc(all, func(o detect.Instance) bool { return slices.Equal(o.Accesses, v.Accesses) })
}

// spread returns how many events there are from the first to the last of the accesses.
func spread(accesses []int) int { return slices.Max(accesses) - slices.Min(accesses) }
