package schedule

import (
	"iter"
	"slices"
)

// Meet looks for pairs of accesses, one of first and one of second, to which goroutines
// come by the cone of both in recorded order, and yields a schedule for some of them, with
// its recipe. Each list has accesses of one goroutine, ascending. If there is a pair of which
// the cone with all reads is free of its own accesses, a sync-preserving race, one is
// yielded.
//
// The cone of a pair only grows with either access. So if it has the first one in it, so
// have those of that one and all later ones of the other goroutine: one cone grows along the
// lists, and the whole takes as long as that (Mathur, Pavlogiannis and Viswanathan, Optimal
// Prediction of Synchronization-Preserving Races, POPL 2021, Algorithm 2).
//
// Pairs of which one must come before the other need not be looked at: before says so. It is
// given up where a cone has more than most links.
func (p *Planner) Meet(first, second []int32, before func(i, j int) bool, most int) iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) {
		if slices.Contains(p.without, Cone) {
			return
		}
		for _, m := range []method{directAll, directMatter} {
			if !p.walk(m, first, second, before, most, yield) {
				return
			}
		}
	}
}

// keeps is what a direct method keeps.
func (m method) keeps() keptReads {
	if m == directAll {
		return allReads
	}
	return readsThatMatter
}

// walk is Meet by one method. It reports whether more is wanted.
func (p *Planner) walk(m method, first, second []int32, before func(i, j int) bool, most int, yield func(Schedule, Recipe) bool) bool {
	var c *cone
	for len(first) > 0 && len(second) > 0 {
		i, j := int(first[0]), int(second[0])
		switch {
		case i < j && before(i, j):
			first = first[1:]
			continue
		case j < i && before(j, i):
			second = second[1:]
			continue
		}
		v := target{accesses: []int{min(i, j), max(i, j)}}
		if b := p.of(v); c == nil || c.base != b {
			c = p.newCone(b, m.keeps(), nil, nil)
			c.maxClosed = most
		}
		closed := c.closedCount
		c.addTarget(v)
		p.spent.Add(int64(c.closedCount - closed))
		switch {
		case c.closedCount > most:
			return true
		case c.includes(i):
			first = first[1:]
		case c.includes(j):
			second = second[1:]
		default:
			if s, ok := p.make(m, v); ok && !yield(s, Recipe{Accesses: p.o.ReplaceWakes(v.accesses), target: v, p: p, method: m}) {
				return false
			}
			// What has kept it from being one is not known: on to the next.
			if i < j {
				first = first[1:]
			} else {
				second = second[1:]
			}
		}
	}
	return true
}

// Second looks for accesses of second that may meet an earlier one of first, by the cone of
// both in recorded order, and yields a schedule for each pair that it comes to, with its
// recipe. The first one of a pair begins with all that happened before a causality barrier, so
// that it takes no longer to make and to judge than what is between; then comes the cone. The lists are as those
// of Meet, and so is the one cone. Accesses of which done says so are passed over. If there is
// a pair with an access of second of which the cone with all reads is free of its own accesses,
// one with that is yielded.
func (p *Planner) Second(first, second []int32, before func(i, j int) bool, done func(j int) bool) iter.Seq2[Schedule, Recipe] {
	return func(yield func(Schedule, Recipe) bool) {
		for _, m := range []method{directAll, directMatter} {
			if !p.walkSecond(m, first, second, before, done, yield) {
				return
			}
		}
	}
}

// walkSecond is Second by one method. It reports whether more is wanted.
func (p *Planner) walkSecond(m method, first, second []int32, before func(i, j int) bool, done func(j int) bool, yield func(Schedule, Recipe) bool) bool {
	var c *cone
	for _, at := range second {
		j := int(at)
		if done(j) {
			continue
		}
		for ; len(first) > 0 && int(first[0]) < j; first = first[1:] {
			i := int(first[0])
			if before(i, j) {
				continue
			}
			v := target{accesses: []int{i, j}}
			if b := p.of(v); c == nil || c.base != b {
				c = p.newCone(b, m.keeps(), nil, nil)
			}
			c.addTarget(v)
			if c.includes(i) {
				continue
			}
			// What has kept it from being one is not known, if it is none: on to the next
			// one of second, as the cone cannot shrink again.
			for _, v.fromBarrier = range []bool{true, false} {
				if s, ok := p.make(m, v); ok && !done(j) && !yield(s, Recipe{Accesses: p.o.ReplaceWakes(v.accesses), target: v, p: p, method: m}) {
					return false
				}
			}
			break
		}
	}
	return true
}
