package analysis

import (
	"iter"

	"github.com/gopredict/gopredict/analysis/schedule"
)

// attempts are the schedules that may lead to instances of a candidate: all those of one and then those of the next, but
// of patterns first those of each in which reads find what they found. Nearly all findings of patterns have one.
type attempts struct {
	planner   *schedule.Planner
	plan      func(planner *schedule.Planner, v instance, most int) *schedule.Attempt
	instances []instance
	attempts  []*schedule.Attempt // by instance; nil before its turn
	links     []int               // by instance: those of its cones, at most
	most      int                 // links of the cones of the next instance
	spent     int64               // what the planner had done when the last instance began
}

// A turn is that of the schedules of an instance, of a pattern those in which reads find what they found, or the others.
type turn struct {
	others   bool
	instance int
}

// from yields the schedules from that turn on.
func (w *attempts) from(first turn) iter.Seq2[turn, iter.Seq2[schedule.Schedule, schedule.Recipe]] {
	pattern := w.instances[0].Pattern != nil
	return func(yield func(turn, iter.Seq2[schedule.Schedule, schedule.Recipe]) bool) {
		for at := first; ; at.instance++ {
			if at.instance == len(w.instances) {
				if at.others || !pattern {
					return
				}
				at = turn{others: true}
			}
			attempt := w.attempt(at.instance)
			its := attempt.All()
			switch {
			case at.others:
				its = attempt.Others()
			case pattern:
				its = attempt.Keeping()
			}
			if !yield(at, its) {
				return
			}
		}
	}
}

// attempt makes the schedules for instance n. What was looked at for those before it, that were not found too, is
// less for its cones.
func (w *attempts) attempt(n int) *schedule.Attempt {
	if w.attempts == nil {
		w.attempts, w.links, w.spent = make([]*schedule.Attempt, len(w.instances)), make([]int, len(w.instances)), w.planner.Spent()
	}
	if w.attempts[n] == nil {
		v := w.instances[n]
		if now := w.planner.Spent(); !v.IsDeadlock {
			w.most = max(0, w.most-int(now-w.spent))
			w.spent = now
		}
		w.attempts[n], w.links[n] = w.plan(w.planner, v, w.most), w.most
	}
	return w.attempts[n]
}

// attempt makes the schedules that may lead to v, with cones of most links.
func planned(planner *schedule.Planner, v instance, most int) *schedule.Attempt {
	switch {
	case v.IsDeadlock:
		return planner.Deadlock(v.Accesses, v.guide)
	case v.Pattern == nil:
		return planner.Race(v.Accesses[0], v.Accesses[1], v.guide, most)
	}
	return planner.Sequence(v.Accesses, v.guide, most)
}
