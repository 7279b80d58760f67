package analysis

import (
	"cmp"
	"errors"
	"slices"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/schedule"
)

// A proposer makes direct schedules for candidates (package schedule) and keeps those that the judge
// accepts.
type proposer struct {
	*effort
	afterBarrier bool // of deadlocks only schedules are made that begin at a causality barrier
	eventwise    bool // each event is decided: most of those that no cone leads to are impossible
}

// propose finds feasible schedules for f: as many as are wanted, for the re-run may miss what the trace does
// not show. Without any, f.Reason is why the first one is infeasible.
func (p *proposer) propose(f *Finding, instances []instance) {
	if len(instances) == 0 {
		return
	}
	f.Reason = ""
	tries := &attempts{planner: p.planner, plan: p.attempt, instances: instances, most: p.links}
	for at, its := range tries.from(turn{}) {
		if !p.charge() {
			f.Reason = cmp.Or(f.Reason, givenUp)
			return
		}
		v, looked := instances[at.instance], 0
		for s, recipe := range its {
			looked++
			if !p.charge() && len(f.Schedules) > 0 {
				return
			}
			err := p.check(s.From, s.Steps, v.Instance)
			more := p.charge()
			if err != nil {
				if f.Reason == "" {
					f.Reason = refusal(err)
				}
				if !more {
					return
				}
				continue
			}
			f.Schedules = append(f.Schedules, Recipe{recipe, v.Pattern})
			if len(f.Schedules) == 1 && more {
				p.keepSecond(f, tries, at, looked)
			}
			if !v.IsDeadlock { // further ones are not worth as much
				p.allowance = p.allowance.Part(furtherCones * int64(p.links))
			}
			if len(f.Schedules) == p.opts.Schedules || !more || v.IsDeadlock && p.afterBarrier {
				return
			}
		}
	}
	if len(f.Schedules) == 0 {
		p.proposeSliced(f, instances)
	}
	if f.Reason == "" {
		f.Reason = "no order of the events that the accesses need leads to them"
	}
}

// proposeSliced finds a schedule for an instance of a property in which branches come out
// otherwise whose control scopes have ended: those that the judge finds do.
func (p *proposer) proposeSliced(f *Finding, instances []instance) {
	if p.scopes.Empty() || !p.opts.uses(TierSliced) {
		return
	}
	for _, v := range instances {
		if v.Property == nil {
			continue
		}
		for turned := []int(nil); len(turned) <= maxTurned; {
			s, recipe, ok := p.planner.Sliced(v.Accesses, v.guide, turned)
			if !ok || !p.charge() {
				break
			}
			err := p.check(s.From, s.Steps, v.Instance)
			if err == nil {
				f.Schedules = append(f.Schedules, Recipe{recipe, v.Pattern})
				return
			}
			no, ok := errors.AsType[*feasible.Infeasible](err)
			if !ok || slices.Contains(turned, no.Event) {
				break
			}
			if _, ok := p.scopes.End(no.Event); !ok {
				break
			}
			turned = append(slices.Clip(turned), no.Event)
		}
	}
}

// attempt makes the schedules that may lead to v, with cones of most links.
func (p *proposer) attempt(planner *schedule.Planner, v instance, most int) *schedule.Attempt {
	switch {
	case v.IsDeadlock && p.afterBarrier:
		return planner.DeadlockFromBarrier(v.Accesses, v.guide)
	case p.eventwise:
		return planner.RaceFromBarrier(v.Accesses[0], v.Accesses[1], v.guide)
	}
	return planned(planner, v, most)
}

// keepSecond notes how f comes to a second schedule, which has one of that turn, of which so many were looked at.
func (p *proposer) keepSecond(f *Finding, w *attempts, at turn, looked int) {
	if p.opts.Schedules >= mostSchedules || p.afterBarrier || p.eventwise {
		return
	}
	f.second = &secondSchedule{
		planner: p.planner, judge: p.shared, instances: w.instances, at: at, looked: looked, links: w.links[at.instance],
		until: max(1, p.allowance.Steps), steps: p.allowance.Steps,
	}
	if !w.instances[0].IsDeadlock {
		f.second.steps = min(p.allowance.Steps, furtherCones*int64(p.links))
	}
}
