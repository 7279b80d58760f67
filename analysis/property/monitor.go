package property

import (
	"fmt"
	"strings"
)

// A Monitor is a minimal deterministic automaton over events.
// State 0 is where runs begin.
type Monitor struct {
	Events []string
	Next   [][]int // by state and event
	Accept []bool  // by state: a run that ends here satisfies the property
	// Violated is the state from which nothing satisfies the property, and in which runs
	// stay; -1 if there is none.
	Violated int
}

// Step returns the state after an event.
func (m *Monitor) Step(state, event int) int { return m.Next[state][event] }

// build makes the monitor of the states that can be reached from first. States are equal if
// their keys are.
func build[S any](events []string, first S, key func(S) string, next func(S, int) (S, error), accept func(S) bool) (*Monitor, error) {
	m := &Monitor{Events: events, Violated: -1}
	states := []S{first}
	of := map[string]int{key(first): 0}
	for k := 0; k < len(states); k++ {
		m.Accept = append(m.Accept, accept(states[k]))
		row := make([]int, len(events))
		for e := range events {
			s, err := next(states[k], e)
			if err != nil {
				return nil, err
			}
			id, ok := of[key(s)]
			if !ok {
				if id = len(states); id == MaxStates {
					return nil, tooLarge()
				}
				of[key(s)] = id
				states = append(states, s)
			}
			row[e] = id
		}
		m.Next = append(m.Next, row)
	}
	return m.minimal(), nil
}

// minimal returns the minimal monitor (Hopcroft's algorithm). A breadth-first search numbers
// its states.
func (m *Monitor) minimal() *Monitor {
	n := len(m.Next)
	before := make([][][]int, len(m.Events)) // by event and state: the states from which it leads there
	for e := range m.Events {
		before[e] = make([][]int, n)
		for s, row := range m.Next {
			before[e][row[e]] = append(before[e][row[e]], s)
		}
	}
	block := make([]int, n) // by state
	blocks := make([][]int, 2)
	for s, accepts := range m.Accept {
		if accepts {
			block[s] = 1
		}
		blocks[block[s]] = append(blocks[block[s]], s)
	}
	work := []int{0, 1}
	for len(work) > 0 {
		by := blocks[work[len(work)-1]]
		work = work[:len(work)-1]
		for e := range m.Events {
			into := make(map[int][]int) // by block: its states that lead into by
			var order []int
			for _, s := range by {
				for _, from := range before[e][s] {
					if into[block[from]] == nil {
						order = append(order, block[from])
					}
					into[block[from]] = append(into[block[from]], from)
				}
			}
			for _, b := range order {
				if len(into[b]) == len(blocks[b]) {
					continue
				}
				fresh := len(blocks)
				for _, s := range into[b] {
					block[s] = fresh
				}
				var rest []int
				for _, s := range blocks[b] {
					if block[s] == b {
						rest = append(rest, s)
					}
				}
				blocks[b], blocks = rest, append(blocks, into[b])
				work = append(work, fresh, b) // both, as b may be among what is left to do
			}
		}
	}
	return m.merged(block)
}

// merged returns the monitor of the blocks of states.
func (m *Monitor) merged(block []int) *Monitor {
	out := &Monitor{Events: m.Events, Violated: -1}
	number := map[int]int{block[0]: 0}
	states := []int{0} // one of each block
	for k := 0; k < len(states); k++ {
		row := make([]int, len(m.Events))
		for e, to := range m.Next[states[k]] {
			id, ok := number[block[to]]
			if !ok {
				id = len(states)
				number[block[to]] = id
				states = append(states, to)
			}
			row[e] = id
		}
		out.Next, out.Accept = append(out.Next, row), append(out.Accept, m.Accept[states[k]])
	}
	for s, row := range out.Next {
		stays := !out.Accept[s]
		for _, to := range row {
			stays = stays && to == s
		}
		if stays { // all that satisfy nothing are alike, and so one
			out.Violated = s
		}
	}
	return out
}

// String returns the monitor as text, a line for each state.
func (m *Monitor) String() string {
	var b strings.Builder
	for s, row := range m.Next {
		if s == m.Violated {
			continue
		}
		fmt.Fprintf(&b, "state %d:", s)
		for e, to := range row {
			sep := ","
			if e == 0 {
				sep = ""
			}
			if to == m.Violated {
				fmt.Fprintf(&b, "%s %s violates", sep, m.Events[e])
			} else {
				fmt.Fprintf(&b, "%s %s -> %d", sep, m.Events[e], to)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Dot returns the monitor as a graph for Graphviz, of that name.
func (m *Monitor) Dot(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n\trankdir=LR;\n\tstart [shape=point];\n\tstart -> 0;\n", name)
	for s, row := range m.Next {
		if s == m.Violated {
			fmt.Fprintf(&b, "\t%d [label=\"violated\", shape=octagon];\n", s)
			continue
		}
		shape := "circle"
		if m.Accept[s] {
			shape = "doublecircle"
		}
		fmt.Fprintf(&b, "\t%d [shape=%s];\n", s, shape)
		labels := make(map[int][]string)
		var order []int
		for e, to := range row {
			if labels[to] == nil {
				order = append(order, to)
			}
			labels[to] = append(labels[to], m.Events[e])
		}
		for _, to := range order {
			fmt.Fprintf(&b, "\t%d -> %d [label=%q];\n", s, to, strings.Join(labels[to], ", "))
		}
	}
	b.WriteString("}\n")
	return b.String()
}
