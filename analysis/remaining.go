package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/internal/bug"
)

// decideRemaining decides a candidate of which these are all instances that the must clock leaves; those that were
// tried have no schedule.
func (d *decider) decideRemaining(f *Finding, c *candidate, all, tried, groups []detect.Instance) {
	if len(all) == 0 {
		f.Status, f.Tier, f.Reason = bug.Infeasible, TierMust, "one of the accesses must come before the other one's goroutine is there, in each run of the recorded events"
		if c.Instances[0].Pattern != nil {
			f.Reason = "one of the accesses must come before another one that has to be before it, or a lock keeps it out, in each run of the recorded events"
		}
		c.Instances, c.Exhaustive = groups, true
		return
	}
	slices.SortStableFunc(all, func(a, b detect.Instance) int {
		return cmp.Compare(spread(a.Accesses), spread(b.Accesses))
	})
	// Schedules for more take too long.
	nearest := slices.DeleteFunc(slices.Clone(all[:min(len(all), anomaly.MaxPairs)]), func(v detect.Instance) bool { return includes(tried, v) })
	why := f.Reason
	if len(nearest) > 0 {
		found, _ := d.decide(detect.Candidate{Kind: c.Kind, Name: c.Name, Instances: nearest})
		if found.Status == bug.Predicted {
			*f = found
			return
		}
		why = found.Reason
	}
	f.Reason = ""
	if c.open = d.refuter.refute(f, instancesOf(detect.Candidate{Instances: all})); len(c.open) == 0 {
		f.Status = bug.Infeasible
	} else {
		f.Tier, f.Reason = "", why
	}
	// A proof has to hold for the groups, too: what the must clock refutes a run that
	// departs may do.
	c.Instances, c.Exhaustive = append(all, groups...), true
}

// onePerTests returns the first one of the instances of each base and tests. It is not ok if these
// are too many.
func (d *decider) onePerTests(all []detect.Instance) (groups []detect.Instance, ok bool) {
	seen := make(map[string]bool)
	for _, v := range all {
		key := fmt.Sprint(d.planner.From(v.Accesses...), "\x00", strings.Join(d.tests.TestsOf(v.Accesses), "\x00"))
		if !seen[key] {
			seen[key] = true
			groups = append(groups, v)
		}
	}
	return groups, len(groups) <= maxGroups
}
