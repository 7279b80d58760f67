package schedule

import (
	"iter"
	"slices"
)

// Meet yields schedules, with their recipes, that lead to pairs of accesses, one of first and one
// of second. Each list has accesses of one goroutine, ascending. If there is a pair of which the cone
// with all reads has none of its accesses, a sync-preserving race, Meet yields one. It takes no pairs
// of which one access must come before the other, as before says, and no cone with more than most links.
func (p *Planner) Meet(first, second []int32, before func(i, j int) bool, most int) iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) {
		// The access that comes first in the trace may be one of either list.
		for _, lists := range [][2][]int32{{first, second}, {second, first}} {
			for s, r := range p.MeetEarlier(lists[0], lists[1], before, nil, most) {
				if !yield(s, r) {
					return
				}
			}
		}
	}
}

// MeetEarlier is [Planner.Meet] for the pairs of which the access of first is the earlier one. It
// yields one for each access of second that is in a sync-preserving race with an earlier one of first.
// It passes over accesses of second for which done holds. If done is nil, it does not insist on each
// access of second: of pairs that share one it may yield several.
//
// The cone of a pair only grows with either access. So if it has the first access in it, so
// have those of that access and all later ones of second: one cone grows along the
// lists, and the whole takes as long as that (Mathur, Pavlogiannis and Viswanathan, Optimal
// Prediction of Synchronization-Preserving Races, POPL 2021, Algorithm 2).
func (p *Planner) MeetEarlier(first, second []int32, before func(i, j int) bool, done func(j int) bool, most int) iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) {
		for _, m := range []method{directAll, directMatter} {
			if !slices.Contains(p.without, Cone) && !p.meetBy(m, first, second, before, done, most, yield) {
				return
			}
		}
	}
}

// keeps returns the reads that a direct method keeps.
func (m method) keeps() keptReads {
	if m == directAll {
		return allReads
	}
	return readsThatMatter
}

// meetBy is MeetEarlier by one method. It reports whether more schedules are wanted.
func (p *Planner) meetBy(m method, first, second []int32, before func(i, j int) bool, done func(j int) bool, most int, yield func(Schedule, Recipe) bool) bool {
	var c *cone
	for _, at := range second {
		j := int(at)
		if done != nil && done(j) {
			continue
		}
		for ; len(first) > 0 && int(first[0]) < j; first = first[1:] {
			i := int(first[0])
			if before(i, j) {
				continue
			}
			v := target{accesses: []int{i, j}}
			// A cone grows from one base. Pairs in the same tests mostly have the same one.
			if b := p.testBase(v); c == nil || c.base != b {
				c = p.newCone(b, m.keeps(), nil, nil)
				c.maxClosed = most
			}
			closed := c.closedCount
			c.addTarget(v)
			p.spent.Add(int64(c.closedCount - closed))
			if c.closedCount > most {
				return true
			}
			// The cone keeps i for good, so that i has no partner among later accesses of second either.
			if c.includes(i) {
				continue
			}
			// The first schedule begins at a causality barrier, and so is short.
			for _, v.fromBarrier = range []bool{true, false} {
				if s, ok := p.make(m, v); ok && !(done != nil && done(j)) && !yield(s, p.recipe(m, v)) {
					return false
				}
			}
			// If the pair is no race, the cause is not known. The cone cannot shrink, so either a later
			// access of first comes next, or this one with a later access of second.
			if done != nil {
				break
			}
		}
	}
	return true
}
