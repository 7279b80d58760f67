package analysis

import (
	"sync"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A secondSchedule makes the schedule of a finding that comes after the first one. Nearly all that replays confirm the first
// one has shown, and to find another takes as long again.
type secondSchedule struct {
	planner   *schedule.Planner
	judge     *sharedJudge
	instances []instance
	at        turn  // the first schedule is of that one
	looked    int   // how many of its schedules were looked at, up to this
	links     int   // links of the cones of that instance, see [ways]
	until     int64 // steps of the planner after which nothing more is looked for
	steps     int64 // what the planner and the judge may do, as above
}

// A sharedJudge is the judge of all findings of a trace, once all is predicted: made when the first one asks, so
// that nothing is kept for most traces. Replays run beside each other, and the judge serves one at a time.
type sharedJudge struct {
	mu    sync.Mutex
	t     *trace.Trace
	judge *feasible.Judge
}

func (j *sharedJudge) check(s schedule.Schedule, v instance) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.judge == nil {
		j.judge = feasible.New(j.t)
	}
	return check(j.t, j.judge, s.From, s.Steps, v.Instance)
}

// find is what schedules does after the first one. It follows from the trace, and not from what else was asked
// for by then: what it takes is counted apart.
func (l *secondSchedule) find() (Recipe, bool) {
	planner := l.planner.WithOwnCount()
	planner.LimitSpent(l.until)
	w := &attempts{planner: planner, plan: planned, instances: l.instances, most: l.links}
	if l.at.others { // those are none of the others
		for range w.attempt(l.at.instance).Keeping() {
		}
	}
	left := l.steps
	for at, its := range w.from(l.at) {
		k := 0
		for s, recipe := range its {
			if k++; at == l.at && k <= l.looked { // to make these again does not count
				left = l.steps + planner.Spent()
				continue
			}
			if planner.Spent() > left {
				return Recipe{}, false
			}
			v := l.instances[at.instance]
			if l.judge.check(s, v) == nil {
				return Recipe{recipe, v.Pattern}, true
			}
			left -= judgeStep * int64(len(s.Steps))
		}
	}
	return Recipe{}, false
}
