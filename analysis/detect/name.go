package detect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/internal/bug"
)

// merge joins candidates that the reader of a report could not tell apart: the
// reads of x in x*x, and different patterns at the same places.
func (in *Input) merge(cs []Candidate) []Candidate {
	var merged []Candidate
	of := make(map[string]int)
	for _, c := range cs {
		c.Name = in.name(c.Kind, c.Instances[0].Accesses)
		if p := c.Instances[0].Property; p != nil {
			c.Name += "\x00" + p.Name
		}
		if k, ok := of[c.Name]; ok {
			m := &merged[k]
			m.Instances = append(slices.Clip(m.Instances), c.Instances...)
			m.Exhaustive = m.Exhaustive && c.Exhaustive
			if m.Places = append(slices.Clip(m.Places), c.Places...); len(c.Places) == 0 {
				m.Places = nil
			}
			m.Tuples = append(slices.Clip(m.Tuples), c.Tuples...)
			continue
		}
		of[c.Name] = len(merged)
		merged = append(merged, c)
	}
	for k := range merged {
		in.sort(&merged[k])
	}
	return merged
}

// sort puts instances within one test first, for they are the easiest to replay,
// then those of accesses that are not repeated, for they need fewer steps,
// and then those whose accesses are near to each other.
func (in *Input) sort(c *Candidate) {
	slices.SortStableFunc(c.Instances, func(a, b Instance) int {
		return cmp.Or(cmp.Compare(in.apart(a), in.apart(b)), cmp.Compare(a.repeats(), b.repeats()), cmp.Compare(a.spread(), b.spread()))
	})
	most := [2]int{anomaly.MaxPairs, anomaly.MaxPairs / 2} // by repeats
	switch {
	case c.Kind == bug.Assertion:
		most[0] = maxAssertions
	case c.Kind == bug.LockMisuse:
		most[0] = maxUnlocks
	case c.IsSingleEvent():
		most[0] = maxFailures
	}
	all := len(c.Instances)
	c.Instances = slices.DeleteFunc(c.Instances, func(v Instance) bool {
		most[v.repeats()]--
		return most[v.repeats()] < 0
	})
	c.Exhaustive = c.Exhaustive && len(c.Instances) == all
}

// repeats returns 1 for a repeated access, else 0.
func (v Instance) repeats() int {
	if v.again {
		return 1
	}
	return 0
}

// spread is how far accesses are apart; of those of a deadlock how far they are from the
// beginning, for all that is before leads there.
func (v Instance) spread() int {
	if v.IsDeadlock {
		return slices.Max(v.Accesses)
	}
	return slices.Max(v.Accesses) - slices.Min(v.Accesses)
}

// apart returns 0 for accesses of one test, else 1.
func (in *Input) apart(v Instance) int {
	if tests := in.Tests.TestsOf(v.Accesses); len(tests) > 1 || tests[0] == "" {
		return 1
	}
	return 0
}

// name describes a kind and accesses by what the sources show of them.
func (in *Input) name(kind bug.Kind, accesses []int) string {
	sites := make([]string, 0, len(accesses))
	for _, i := range accesses {
		e := &in.Trace.Events[i]
		if s, ok := in.Trace.Sites[e.Site]; ok {
			sites = append(sites, s.Func+"\x00"+s.Expr+"\x00"+cmp.Or(s.Op, e.Kind.String())+"\x00"+strconv.Itoa(s.Line))
		} else {
			sites = append(sites, fmt.Sprintf("%s site %d", e.Kind, e.Site))
		}
	}
	slices.Sort(sites)
	return string(kind) + "\x00" + strings.Join(sites, "\x00")
}
