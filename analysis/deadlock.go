package analysis

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/detect"
)

// This file decides deadlocks, by all tiers but solving. A long trace may have hundreds of them, and
// each may need all that came before in its test. So they share one budget, and those that need the
// fewest events come first. Once the budget is spent, only schedules are made that begin at a causality
// barrier ([schedule.Planner.DeadlockFromBarrier]). What one of these costs follows from what is between its operations,
// so those come first whose operations are closest.

// startDeadlocks begins with deadlocks: it sorts candidates by how many events a schedule for their first
// instance may have.
func (d *decider) startDeadlocks(cs []detect.Candidate) {
	d.proposer.afterBarrier = false
	d.allow(d.work.Share(waitCyclePart), 0)
	length := func(c detect.Candidate) int {
		accesses := c.Instances[0].Accesses
		return slices.Max(accesses) - d.planner.RecordedPrefix(accesses...)
	}
	slices.SortStableFunc(cs, func(a, b detect.Candidate) int { return cmp.Compare(length(a), length(b)) })
}

// turnToBarriers makes schedules after barriers for the candidates that are left, those first whose
// operations are closest.
func (d *decider) turnToBarriers(cs []detect.Candidate) {
	d.proposer.afterBarrier = true
	d.allow(d.work.Share(directPart), 0)
	bySpread := func(v, w detect.Instance) int { return cmp.Compare(spread(v.Accesses), spread(w.Accesses)) }
	least := func(c detect.Candidate) int { return spread(slices.MinFunc(c.Instances, bySpread).Accesses) }
	slices.SortStableFunc(cs, func(a, b detect.Candidate) int { return cmp.Compare(least(a), least(b)) })
}

// decideDeadlock is decide for deadlocks.
func (d *decider) decideDeadlock(f *Finding, c detect.Candidate) (open []instance) {
	instances := instancesOf(c.Instances)
	all := true
	switch {
	case d.allowance.Over():
		open, all = instances, false
	case d.proposer.afterBarrier:
		open, all = d.decideAfterBarrier(f, instances)
	default:
		open = d.refuter.refute(f, instances)
		d.proposer.propose(f, open)
	}
	d.charge()
	d.conclude(f, c, open)
	if !all && f.Schedules == nil {
		f.Reason = cmp.Or(f.Reason, givenUp)
	}
	return open
}

// decideAfterBarrier makes a schedule for the first instance that has one after a barrier, those first
// whose operations are closest. It returns the instances that nothing refutes, and whether it looked at
// all.
func (d *decider) decideAfterBarrier(f *Finding, instances []instance) (open []instance, all bool) {
	slices.SortStableFunc(instances, func(v, w instance) int { return cmp.Compare(spread(v.Accesses), spread(w.Accesses)) })
	for k := range instances {
		if !d.charge() {
			return append(open, instances[k:]...), false
		}
		left := d.refuter.refute(f, instances[k:k+1])
		d.proposer.propose(f, left)
		open = append(open, left...)
		if f.Schedules != nil {
			break
		}
	}
	return open, true
}
