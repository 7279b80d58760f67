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
	afterBarrier bool // make only schedules of deadlocks that begin at a causality barrier
	eventwise    bool // each event is decided: most of those that no cone leads to are infeasible
}

// propose adds feasible schedules to f, as many as are wanted: a replay may miss what the trace does not
// show. If there is none, f.Reason says why the first one is infeasible.
func (p *proposer) propose(f *Finding, instances []instance) {
	if len(instances) == 0 {
		return
	}
	f.Reason = ""
	tries := &attempts{planner: p.planner, plan: p.plan, instances: instances, maxLinks: p.coneLinks}
	for now, schedules := range tries.from(turn{}) {
		if !p.charge() {
			f.Reason = cmp.Or(f.Reason, givenUp)
			return
		}
		v, looked := instances[now.instance], 0
		for s, recipe := range schedules {
			looked++
			if !p.charge() && len(f.Schedules) > 0 {
				return
			}
			err := p.check(s.From, s.Steps, v.Instance)
			workLeft := p.charge()
			if err != nil {
				if f.Reason == "" {
					f.Reason = reasonOf(err)
				}
				if !workLeft {
					return
				}
				continue
			}
			f.Schedules = append(f.Schedules, Recipe{recipe, v.Pattern})
			if len(f.Schedules) == 1 && workLeft {
				p.keepSecond(f, tries, now, looked)
			}
			if !v.IsDeadlock { // further schedules are not worth as much
				p.allowance = p.allowance.Part(furtherCones * int64(p.coneLinks))
			}
			if len(f.Schedules) == p.opts.Schedules || !workLeft || v.IsDeadlock && p.afterBarrier {
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

// proposeSliced finds a schedule for an instance of a property in which branches come out otherwise whose
// control scopes have ended (Chen and Roşu, 2005). The judge says which branches do.
func (p *proposer) proposeSliced(f *Finding, instances []instance) {
	if p.scopes.IsEmpty() || !p.opts.uses(TierSliced) {
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
			if _, ok := p.scopes.ScopeEnd(no.Event); !ok {
				break
			}
			turned = append(slices.Clip(turned), no.Event)
		}
	}
}

// plan makes the schedules that may lead to v, with cones of at most maxLinks links.
func (p *proposer) plan(planner *schedule.Planner, v instance, maxLinks int) *schedule.Attempt {
	switch {
	case v.IsDeadlock && p.afterBarrier:
		return planner.DeadlockFromBarrier(v.Accesses, v.guide)
	case p.eventwise:
		return planner.RaceFromBarrier(v.Accesses[0], v.Accesses[1], v.guide)
	}
	return plan(planner, v, maxLinks)
}

// keepSecond keeps what f needs to make a second schedule. The first one is of a turn of w, in which that
// many schedules were looked at.
func (p *proposer) keepSecond(f *Finding, w *attempts, now turn, looked int) {
	if p.opts.Schedules >= mostSchedules || p.afterBarrier || p.eventwise {
		return
	}
	f.second = &secondSchedule{
		planner: p.planner, judge: p.shared, instances: w.instances, turn: now, looked: looked, links: w.links[now.instance],
		plannerLimit: max(1, p.allowance.Steps), stepsLimit: p.allowance.Steps,
	}
	if !w.instances[0].IsDeadlock {
		f.second.stepsLimit = min(p.allowance.Steps, furtherCones*int64(p.coneLinks))
	}
}
