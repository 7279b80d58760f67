package facts

// A grouped is lists of positions or rows, one for each number from 0, in one slice.
type grouped struct {
	first   []int32 // by number: where its list begins in all; the list of the next one follows
	members []int32
}

// A member of the list of a group.
type member struct{ group, value int32 }

// groupBy makes the lists of n groups. It keeps the order of the members.
func groupBy(n int, members []member) grouped {
	g := grouped{first: make([]int32, n+1), members: make([]int32, len(members))}
	for _, m := range members {
		g.first[m.group+1]++
	}
	for k := range n {
		g.first[k+1] += g.first[k]
	}
	next := append([]int32(nil), g.first[:n]...)
	for _, m := range members {
		g.members[next[m.group]] = m.value
		next[m.group]++
	}
	return g
}

// of returns the list of group k.
func (g *grouped) of(k int32) []int32 { return g.members[g.first[k]:g.first[k+1]:g.first[k+1]] }
