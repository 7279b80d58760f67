package analysis

import (
	"context"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/recorder/trace"
)

// askWithPartnersFirst asks for runs to v in which those come first who could free one of those who wait
// for a message, where others than these can.
func (s *solving) askWithPartnersFirst(ctx context.Context, v instance, budget *solver.Budget) (symbolic.Answer, error) {
	over := slices.Concat(v.MissedSignals, s.partners(v.Accesses))
	d := s.solverModel.NewDecider(s.planner.From(v.Accesses...), []symbolic.Target{symbolic.Deadlock(v.Accesses, over)}, s.engine)
	defer d.Close()
	return d.Decide(ctx, 0, budget)
}

// partners returns the operations on the other sides of the channels that goroutines wait for
// at the given ones, but for those that must come after one of these.
func (s *solving) partners(waits []int) (partners []int) {
	type side struct {
		obj  uint64
		recv bool
	}
	wanted := make(map[side]bool)
	for _, i := range waits {
		if obj, recv, ok := s.passes(i); ok {
			wanted[side{obj, !recv}] = true
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	first, last := s.planner.From(waits...), slices.Max(waits)
	for i := first; i < len(s.t.Events) && (i < last || len(partners) < maxPartners); i++ {
		obj, recv, ok := s.passes(i)
		after := func(j int) bool { return i == j || s.o.Before(j, i) }
		if ok && wanted[side{obj, recv}] && !slices.ContainsFunc(waits, after) {
			partners = append(partners, i)
		}
	}
	return partners[max(0, len(partners)-maxPartners):]
}

// passes returns the channel that the operation that event i begins, or may begin, sends to or
// receives from; ok is false if it is none, or a select that has chosen another case.
func (s *solving) passes(i int) (obj uint64, recv, ok bool) {
	e := &s.t.Events[i]
	switch e.Kind {
	case trace.Send, trace.SelectSend:
		return e.Obj, false, true
	case trace.Recv:
		return e.Obj, true, true
	case trace.Select:
		for range 2 { // after what was selected
			if i = s.o.Program().Next(i); i < 0 {
				break
			}
			if done := &s.t.Events[i]; done.Kind.Completes() && (done.Kind.Sends() || done.Kind.Receives()) {
				return done.Obj, done.Kind.Receives(), true
			}
		}
	}
	return 0, false, false
}
