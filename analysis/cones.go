package analysis

import (
	"fmt"
	"iter"
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/schedule"
	"github.com/gopredict/gopredict/analysis/waits"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Cones are the parts of one recorded run that lead goroutines to where they were blocked
// at its end.
type Cones struct {
	causes  *waits.Causes
	planner *schedule.Planner
	judge   *feasible.Judge
}

// NewCones takes what [waits.Blocked] has returned.
func NewCones(t *trace.Trace, ws []waits.Wait) (*Cones, error) {
	o, err := order.New(t)
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	return &Cones{waits.NewCauses(t, ws), schedule.NewPlanner(t, o, causality.New(t, o)), feasible.New(t)}, nil
}

// Of yields those for the members of a bug, as schedules that the judge accepts, the
// smaller first. What they do not have may be needed all the same, where the trace does
// not show it.
func (c *Cones) SchedulesFor(members []waits.Wait) iter.Seq[schedule.Schedule] {
	return func(yield func(schedule.Schedule) bool) {
		var last schedule.Schedule
		for _, wide := range []bool{false, true} {
			s := c.planner.Blocked(c.causes.Find(members, wide))
			if wide && slices.Equal(s.Steps, last.Steps) || c.judge.CheckFrom(s.From, s.Steps, s.Violation) != nil {
				continue
			}
			if last = s; !yield(s) {
				return
			}
		}
	}
}
