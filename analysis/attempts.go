package analysis

import (
	"iter"
	"sync"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/recorder/trace"
)

// attempts are the schedules that may lead to instances of a candidate: all those of one instance and
// then those of the next. For patterns, those of each instance come first in which reads find what they
// found. Nearly all findings of patterns have one of these.
type attempts struct {
	planner   *schedule.Planner
	plan      func(planner *schedule.Planner, v instance, maxLinks int) *schedule.Attempt
	instances []instance
	attempts  []*schedule.Attempt // by instance; nil before its turn
	links     []int               // by instance: the bound for the links of its cones
	maxLinks  int                 // the bound for the next instance
	spent     int64               // by the planner when the last instance began
}

// A turn is the turn of some schedules of an instance: for patterns of those in which reads find what
// they found, or of the others.
type turn struct {
	others   bool
	instance int
}

// from yields the schedules from a turn on.
func (w *attempts) from(first turn) iter.Seq2[turn, iter.Seq2[schedule.Schedule, schedule.Recipe]] {
	pattern := w.instances[0].Pattern != nil
	return func(yield func(turn, iter.Seq2[schedule.Schedule, schedule.Recipe]) bool) {
		for now := first; ; now.instance++ {
			if now.instance == len(w.instances) {
				if now.others || !pattern {
					return
				}
				now = turn{others: true}
			}
			attempt := w.attempt(now.instance)
			schedules := attempt.All()
			switch {
			case now.others:
				schedules = attempt.Others()
			case pattern:
				schedules = attempt.Keeping()
			}
			if !yield(now, schedules) {
				return
			}
		}
	}
}

// attempt makes the schedules for instance n. The work for instances before it, which led nowhere, lowers
// the bound for its cones.
func (w *attempts) attempt(n int) *schedule.Attempt {
	if w.attempts == nil {
		w.attempts, w.links, w.spent = make([]*schedule.Attempt, len(w.instances)), make([]int, len(w.instances)), w.planner.Spent()
	}
	if w.attempts[n] == nil {
		v := w.instances[n]
		if now := w.planner.Spent(); !v.IsDeadlock {
			w.maxLinks = max(0, w.maxLinks-int(now-w.spent))
			w.spent = now
		}
		w.attempts[n], w.links[n] = w.plan(w.planner, v, w.maxLinks), w.maxLinks
	}
	return w.attempts[n]
}

// plan makes the schedules that may lead to v, with cones of at most maxLinks links.
func plan(planner *schedule.Planner, v instance, maxLinks int) *schedule.Attempt {
	switch {
	case v.IsDeadlock:
		return planner.Deadlock(v.Accesses, v.guide)
	case v.Pattern == nil:
		return planner.Race(v.Accesses[0], v.Accesses[1], v.guide, maxLinks)
	}
	return planner.Sequence(v.Accesses, v.guide, maxLinks)
}

// A secondSchedule makes the schedule of a finding that comes after the first one. It is made late, as
// replays confirm nearly all bugs by the first one, and to find another takes as long again.
type secondSchedule struct {
	planner      *schedule.Planner
	judge        *sharedJudge
	instances    []instance
	turn         turn  // the first schedule's
	looked       int   // how many schedules of that turn were looked at, the first one included
	links        int   // the bound for the links of that instance's cones, see attempts
	plannerLimit int64 // steps of the planner after which the search ends
	stepsLimit   int64 // for the planner and the judge together
}

// A sharedJudge is the judge of all second schedules of a trace. It is made for the first that asks, as
// most traces have none. Replays run concurrently, and the judge serves one at a time.
type sharedJudge struct {
	mu    sync.Mutex
	trace *trace.Trace
	judge *feasible.Judge
}

func (j *sharedJudge) check(s schedule.Schedule, v instance) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.judge == nil {
		j.judge = feasible.New(j.trace)
	}
	return check(j.trace, j.judge, s.From, s.Steps, v.Instance)
}

// find returns what propose would find after the first schedule. It follows from the trace alone, so its
// work is counted apart from all other work.
func (l *secondSchedule) find() (Recipe, bool) {
	planner := l.planner.WithOwnCount()
	planner.LimitSpent(l.plannerLimit)
	w := &attempts{planner: planner, plan: plan, instances: l.instances, maxLinks: l.links}
	if l.turn.others { // others must not repeat these
		for range w.attempt(l.turn.instance).Keeping() {
		}
	}
	left := l.stepsLimit
	for now, schedules := range w.from(l.turn) {
		k := 0
		for s, recipe := range schedules {
			if k++; now == l.turn && k <= l.looked { // to make these again does not count
				left = l.stepsLimit + planner.Spent()
				continue
			}
			if planner.Spent() > left {
				return Recipe{}, false
			}
			v := l.instances[now.instance]
			if l.judge.check(s, v) == nil {
				return Recipe{recipe, v.Pattern}, true
			}
			left -= judgeStep * int64(len(s.Steps))
		}
	}
	return Recipe{}, false
}
