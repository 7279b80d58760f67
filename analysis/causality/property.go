package causality

// A Property is a violation as causality constraints (§3.1).
type Property struct {
	Edges []Edge // its seed edges
	Needs []int  // events that a run must perform to show it
}

// Meeting is the property that goroutines are about to execute all of the accesses, two of a
// race or more, at the same time: what comes directly before each of them comes before the
// others.
func (m *Model) Meeting(accesses ...int) Property {
	n := len(accesses) * (len(accesses) - 1)
	p := Property{Edges: make([]Edge, 0, n), Needs: make([]int, 0, n)}
	for _, i := range accesses {
		for _, j := range accesses {
			if i != j {
				p.addEdge(m.previous(i), j)
			}
		}
	}
	return p
}

// Sequence is the property that the accesses happen in the given order, with others in
// between or not. The last one need not happen: its goroutine only reaches it. PECAN's
// unserializable patterns are sequences of three or four.
func (m *Model) Sequence(accesses ...int) Property {
	n := len(accesses)
	p := Property{Edges: make([]Edge, 0, n-1), Needs: make([]int, 0, 2*n-1)}
	for k, i := range accesses {
		if k > 0 {
			p.addEdge(accesses[k-1], i)
		}
		if prev := m.previous(i); prev >= 0 {
			p.Needs = append(p.Needs, prev)
		}
	}
	return p
}

// previous returns the event before i in its goroutine, or -1.
func (m *Model) previous(i int) int { return m.o.Program().Prev(i) }

// addEdge lets event i, if there is one, be performed before event j.
func (p *Property) addEdge(i, j int) {
	if i >= 0 {
		p.Edges = append(p.Edges, Edge{i, j})
		p.Needs = append(p.Needs, i)
	}
}
