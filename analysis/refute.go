package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A refuter finds instances of candidates that no order of the recorded events reaches: by lock
// acquisition histories and by the cycles of causality graphs (Kahlon and Wang, CAV 2010), and of
// assertions by what must come before what.
type refuter struct {
	*effort
	ownership ownership
}

// refute returns the instances that nothing refutes. If there are none, f has
// the tier and the reason that refuted the first.
func (r *refuter) refute(f *Finding, instances []instance) (open []instance) {
	left, props := make([]instance, 0, len(instances)), make([]causality.Property, 0, len(instances))
	for _, v := range instances {
		if v.IsDeadlock { // the history of locks between is looked at
			r.allowance.Spend(int64(spread(v.Accesses)) / historyShare)
		}
		if v.Pattern != nil {
			left, props = append(left, v), append(props, r.graphs.Sequence(v.Accesses...))
			continue
		}
		held, needed, ok := r.lockedOut(v.Accesses)
		ok = ok && r.opts.uses(TierHistory)
		if !ok {
			left, props = append(left, v), append(props, r.graphs.Meeting(v.Accesses...))
		} else if f.Reason == "" {
			f.Tier = TierHistory
			f.Reason = fmt.Sprintf("the lock acquired at %s is still held there, and the other access needs %s before", r.describe(held), r.describe(needed))
		}
	}
	cyclic := make([]bool, len(left))
	for _, group := range r.graphs.Partition(props) {
		members := make([]causality.Property, len(group))
		for n, k := range group {
			members[n] = props[k]
		}
		g := r.graphs.Chopped(members...)
		for n, k := range group {
			left[k].guide, cyclic[k] = g.Edges(n), g.Cyclic()>>n&1 != 0 && r.opts.uses(TierCausality)
			if cyclic[k] && f.Reason == "" {
				f.Tier, f.Reason = TierCausality, r.describeCycle(g.Cycle(n))
			}
		}
	}
	for k, v := range left {
		if !cyclic[k] {
			open = append(open, v)
		}
	}
	return open
}

// lockedOut is [order.Order.ExcludedByHistory] for any two of the accesses.
func (r *refuter) lockedOut(accesses []int) (held, needed int, ok bool) {
	for k, j := range accesses {
		for _, i := range accesses[:k] {
			if held, needed, ok = r.o.ExcludedByHistory(i, j); ok {
				return held, needed, true
			}
		}
	}
	return 0, 0, false
}

// describeCycle describes events each of which would have to come before the next.
func (r *refuter) describeCycle(events []int) string {
	var names []string
	for _, i := range events {
		names = append(names, fmt.Sprintf("%s: %s", r.t.Goroutines[r.t.Events[i].G].Name(), r.describe(i)))
	}
	return fmt.Sprintf("each of these would have to come before the next, and the last before the first: %s", strings.Join(names, ", "))
}

// withFormula returns the instances that another order of the recorded events may turn to a
// violation: not conditions of which no formula tells what they follow from. That is taken
// to be as it was, and so are they.
func (r *refuter) withFormula(instances []instance) []instance {
	return slices.DeleteFunc(instances, func(v instance) bool {
		at := v.Accesses[0]
		return r.t.Events[at].Kind == trace.Branch && r.flow.InstanceAt(at) == nil
	})
}

// mayDiffer returns those of the instances, conditions and others, that may come out otherwise, by
// more than what must come before what. Once these are more than most, it takes the others for such.
func (r *refuter) mayDiffer(instances []instance, most int) (left []instance) {
	if len(r.t.Events) > maxSolved {
		return instances
	}
	for k, v := range instances {
		if !r.opts.uses(TierMust) || !r.ownership.isOwned(r.subject, v.Accesses[0]) && !r.model().FixedByOrder(v.Accesses[0]) {
			left = append(left, v)
		}
		if len(left) > most {
			return append(left, instances[k+1:]...)
		}
	}
	return left
}
