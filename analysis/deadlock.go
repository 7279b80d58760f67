package analysis

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/detect"
)

// This file decides deadlocks, by all but solving. A long trace may have hundreds, each of which may
// need all that came before in its test, so all of them share one budget. Those that need the least
// come first. Once the budget is spent, only schedules are made that begin at a causality barrier
// ([schedule.Planner.DeadlockFromBarrier]). What one costs follows from what is between its operations, so those come
// first whose operations are the closest.

// prefix is how many events a schedule for the first instance of c may have.
func (d *decider) prefix(c detect.Candidate) int {
	accesses := c.Instances[0].Accesses
	return slices.Max(accesses) - d.planner.From(accesses...)
}

// startDeadlocks begins with deadlocks: it sorts candidates by what they need.
func (d *decider) startDeadlocks(cs []detect.Candidate) {
	d.proposer.afterBarrier = false
	d.allow(d.work.Share(waitCyclePart), 0)
	slices.SortStableFunc(cs, func(a, b detect.Candidate) int { return cmp.Compare(d.prefix(a), d.prefix(b)) })
}

// turnToBarriers turns to late schedules for the candidates that are left, and sorts these by how
// far apart their operations are at least.
func (d *decider) turnToBarriers(cs []detect.Candidate) {
	d.proposer.afterBarrier = true
	d.allow(d.work.Share(directPart), 0)
	apart := func(v, w detect.Instance) int { return cmp.Compare(spread(v.Accesses), spread(w.Accesses)) }
	least := func(c detect.Candidate) int { return spread(slices.MinFunc(c.Instances, apart).Accesses) }
	slices.SortStableFunc(cs, func(a, b detect.Candidate) int { return cmp.Compare(least(a), least(b)) })
}

// decideBlocked is decide for deadlocks.
func (d *decider) decideBlocked(f Finding, c detect.Candidate) (_ Finding, open []instance) {
	instances := instancesOf(c)
	all := true
	switch {
	case d.allowance.Over():
		open, all = instances, false
	case d.proposer.afterBarrier:
		open, all = d.decideAfterBarrier(&f, instances)
	default:
		open = d.refuter.refute(&f, instances)
		d.proposer.propose(&f, open)
	}
	d.charge()
	d.conclude(&f, c, open)
	if !all && f.Schedules == nil {
		f.Reason = cmp.Or(f.Reason, givenUp)
	}
	return f, open
}

// decideAfterBarrier makes a late schedule for f, for the first instance that has one of those of which
// the operations are the least apart. It returns those that nothing refutes, and whether all
// were looked at.
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
