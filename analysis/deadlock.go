package analysis

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/detect"
)

// This file decides deadlocks, by all but solving. There may be hundreds in a long trace,
// and each may need all that came before in its test, so that all of them share what may be
// looked at. The first are those that need the least (needs). Once that is spent, there are
// late schedules only ([schedule.Planner.Late]): what one costs follows from what is between
// the operations, and the first are those of which these are the least apart (spread).

// circlingPart is the part of the work for deadlocks that goes into schedules that have only what they
// need, at first.
const circlingPart = 8

// needs is how many events a schedule for the first instance of c may have.
func (p *predictor) needs(c detect.Candidate) int {
	accesses := c.Instances[0].Accesses
	return slices.Max(accesses) - p.planner.From(accesses...)
}

// inOrder begins with deadlocks: it sorts candidates by what they need.
func (p *predictor) inOrder(cs []detect.Candidate) {
	p.late = false
	p.allow(p.work.Share(circlingPart), 0)
	slices.SortStableFunc(cs, func(a, b detect.Candidate) int { return cmp.Compare(p.needs(a), p.needs(b)) })
}

// goLate turns to late schedules for the candidates that are left, and sorts these by how
// far apart their operations are at least.
func (p *predictor) goLate(cs []detect.Candidate) {
	p.late = true
	p.allow(p.work.Share(directPart), 0)
	apart := func(v, w detect.Instance) int { return cmp.Compare(spread(v.Accesses), spread(w.Accesses)) }
	least := func(c detect.Candidate) int { return spread(slices.MinFunc(c.Instances, apart).Accesses) }
	slices.SortStableFunc(cs, func(a, b detect.Candidate) int { return cmp.Compare(least(a), least(b)) })
}

// decideBlocked is decide for deadlocks.
func (p *predictor) decideBlocked(f Finding, c detect.Candidate) (_ Finding, open []instance) {
	instances := instancesOf(c)
	all := true
	switch {
	case p.its.Over():
		open, all = instances, false
	case p.late:
		open, all = p.lately(&f, instances)
	default:
		open = p.refute(&f, instances)
		p.schedules(&f, open)
	}
	p.charge()
	p.decided(&f, c, open)
	if !all && f.Schedules == nil {
		f.Reason = cmp.Or(f.Reason, givenUp)
	}
	return f, open
}

// lately makes a late schedule for f, for the first instance that has one of those of which
// the operations are the least apart. It returns those that nothing refutes, and whether all
// were looked at.
func (p *predictor) lately(f *Finding, instances []instance) (open []instance, all bool) {
	slices.SortStableFunc(instances, func(v, w instance) int { return cmp.Compare(spread(v.Accesses), spread(w.Accesses)) })
	for k := range instances {
		if !p.charge() {
			return append(open, instances[k:]...), false
		}
		left := p.refute(f, instances[k:k+1])
		p.schedules(f, left)
		open = append(open, left...)
		if f.Schedules != nil {
			break
		}
	}
	return open, true
}
