package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A refuter refutes instances that no order of the recorded events reaches: by lock acquisition
// histories and by cycles of causality graphs (Kahlon and Wang, CAV 2010), and assertions by what must
// come before what.
type refuter struct {
	*effort
	ownership ownership
}

// refute returns the instances that nothing refutes. If there are none, f has the tier and the reason
// that refuted the first one.
func (r *refuter) refute(f *Finding, instances []instance) (open []instance) {
	left, properties := make([]instance, 0, len(instances)), make([]causality.Property, 0, len(instances))
	for _, v := range instances {
		if v.IsDeadlock { // ExcludedByHistory looks at the locks in between
			r.allowance.Spend(int64(spread(v.Accesses)) / historyShare)
		}
		if v.Pattern != nil {
			left, properties = append(left, v), append(properties, r.graphs.Sequence(v.Accesses...))
			continue
		}
		held, needed, excluded := r.excludedByHistory(v.Accesses)
		if !excluded || !r.opts.uses(TierHistory) {
			left, properties = append(left, v), append(properties, r.graphs.Meeting(v.Accesses...))
		} else if f.Reason == "" {
			f.Tier = TierHistory
			f.Reason = fmt.Sprintf("the lock acquired at %s is still held there, and the other access needs %s before", r.describe(held), r.describe(needed))
		}
	}
	cyclic := make([]bool, len(left))
	for _, group := range r.graphs.Partition(properties) {
		members := make([]causality.Property, len(group))
		for n, k := range group {
			members[n] = properties[k]
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

// excludedByHistory is [order.Order.ExcludedByHistory] for any two of the accesses.
func (r *refuter) excludedByHistory(accesses []int) (held, needed int, excluded bool) {
	for k, j := range accesses {
		for _, i := range accesses[:k] {
			if held, needed, excluded = r.order.ExcludedByHistory(i, j); excluded {
				return held, needed, true
			}
		}
	}
	return 0, 0, false
}

// describeCycle returns a text for events each of which would have to come before the next.
func (r *refuter) describeCycle(events []int) string {
	var names []string
	for _, i := range events {
		names = append(names, fmt.Sprintf("%s: %s", r.trace.Goroutines[r.trace.Events[i].G].Name(), r.describe(i)))
	}
	return fmt.Sprintf("each of these would have to come before the next, and the last before the first: %s", strings.Join(names, ", "))
}

// withFormula returns the instances that another order of the recorded events may make violations. It
// leaves out conditions without a formula of what they follow from: orders that the solver finds keep them
// as recorded.
func (r *refuter) withFormula(instances []instance) []instance {
	return slices.DeleteFunc(instances, func(v instance) bool {
		at := v.Accesses[0]
		return r.trace.Events[at].Kind == trace.Branch && r.flow.InstanceAt(at) == nil
	})
}

// mayDiffer returns the instances, single events, that may come out otherwise, as far as what must come
// before what tells. Once it has more than most, it does not look at the others.
func (r *refuter) mayDiffer(instances []instance, most int) (left []instance) {
	if len(r.trace.Events) > maxSolved {
		return instances
	}
	for k, v := range instances {
		if at := v.Accesses[0]; !r.opts.uses(TierMust) || !r.ownership.isOwned(r.subject, at) && !r.model().FixedByOrder(at) {
			left = append(left, v)
		}
		if len(left) > most {
			return append(left, instances[k+1:]...)
		}
	}
	return left
}
