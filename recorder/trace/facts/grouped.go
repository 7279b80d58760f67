package facts

import "slices"

// A grouped is lists of positions or rows, one for each number from 0, in one slice.
type grouped struct {
	first   []int32 // by number: where its list begins in members; the list of the next one follows
	members []int32
}

// A member is a value of the list of a group, which may be None.
type member struct{ group, value int32 }

// groupBy makes the lists of n groups from so many members, and keeps their order.
func groupBy(n, members int, member func(k int) member) grouped {
	g := grouped{first: make([]int32, n+1)}
	for k := range members {
		if m := member(k); m.group != None {
			g.first[m.group+1]++
		}
	}
	for k := range n {
		g.first[k+1] += g.first[k]
	}
	g.members = make([]int32, g.first[n])
	next := slices.Clone(g.first[:n])
	for k := range members {
		if m := member(k); m.group != None {
			g.members[next[m.group]] = m.value
			next[m.group]++
		}
	}
	return g
}

// groupAll is groupBy for members that lie in a slice.
func groupAll(n int, members []member) grouped {
	return groupBy(n, len(members), func(k int) member { return members[k] })
}

// of returns the list of group k.
func (g *grouped) of(k int32) []int32 { return g.members[g.first[k]:g.first[k+1]:g.first[k+1]] }
