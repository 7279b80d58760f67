package feasible

import (
	"fmt"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Ran reports whether t, in the order in which its events stand, is a run
// that the program may do, as far as t tells: each event is possible when it
// comes, each read finds what the last write there has left, and the last
// event, a condition, comes out as its formula says. A trace that was
// recorded is one; this is for those that somebody has made up.
func Ran(t *trace.Trace) error {
	steps := make([]int, len(t.Events))
	for i := range steps {
		steps[i] = i
	}
	if err := Check(t, steps, nil); err != nil {
		return err
	}
	p := compiled(t)
	type content struct {
		val   uint64
		known bool
	}
	memory := make(map[uint64]content)
	for i := range t.Events {
		e := &t.Events[i]
		if !e.Kind.IsAccess() {
			continue
		}
		now, written := memory[e.Obj]
		if reads(e.Kind) && written {
			found, known := e.Val, e.HasValue()
			if e.Kind == trace.AtomicRMW && writes(e) {
				found, known = p.flow.ValueBefore(t, i)
			}
			if known && now.known && found != now.val {
				return &Infeasible{Step: i, Event: i, Where: p.describe(i), Reason: fmt.Sprintf("expected to read %#x, which was left there, found %#x", now.val, found)}
			}
		}
		if writes(e) {
			memory[e.Obj] = content{e.Val, e.HasValue()}
		}
	}
	if last := len(t.Events) - 1; last >= 0 && t.Sites[t.Events[last].Site].FailsIf != trace.NoOutcome && p.flow.InstanceAt(last) == nil {
		return &Infeasible{Step: last, Event: last, Where: p.describe(last), Reason: "expected the condition to come out as its formula says, found that it does not"}
	}
	return nil
}
