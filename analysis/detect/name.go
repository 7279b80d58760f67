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

// merge joins candidates that the reader of a report could not tell apart: the two reads of x in x*x, and
// different patterns at the same places.
func (in *Input) merge(cs []Candidate) []Candidate {
	var merged []Candidate
	of := make(map[string]int)
	for _, c := range cs {
		c.Name = in.nameOf(c.Kind, c.Instances[0].Accesses)
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
		in.sortInstances(&merged[k])
	}
	return merged
}

// sortInstances sorts the instances of c by how easy they are to replay. Those within one test come first,
// then those of accesses that are not repeated, which need fewer steps, then those whose accesses are near
// to each other. It drops instances beyond the bounds.
func (in *Input) sortInstances(c *Candidate) {
	slices.SortStableFunc(c.Instances, func(a, b Instance) int {
		return cmp.Or(cmp.Compare(in.testRank(a), in.testRank(b)), cmp.Compare(a.repeatRank(), b.repeatRank()), cmp.Compare(a.spread(), b.spread()))
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
		most[v.repeatRank()]--
		return most[v.repeatRank()] < 0
	})
	c.Exhaustive = c.Exhaustive && len(c.Instances) == all
}

// repeatRank returns 1 for repeated accesses, else 0.
func (v Instance) repeatRank() int {
	if v.isRepeated {
		return 1
	}
	return 0
}

// spread returns how many events there are between the accesses. For a deadlock it counts from the beginning
// of the trace, as all events before it lead there.
func (v Instance) spread() int {
	if v.IsDeadlock {
		return slices.Max(v.Accesses)
	}
	return slices.Max(v.Accesses) - slices.Min(v.Accesses)
}

// testRank returns 0 for accesses of one test, else 1.
func (in *Input) testRank(v Instance) int {
	if tests := in.Tests.TestsOf(v.Accesses); len(tests) > 1 || tests[0] == "" {
		return 1
	}
	return 0
}

// nameOf returns a name of a kind and accesses by their places in the sources.
func (in *Input) nameOf(kind bug.Kind, accesses []int) string {
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
