package solver

// Mentions are the terms that assertions are made of, level by level. Order needs them: a
// formula has the events of the whole trace, of which one question may speak of ten, and the
// others are in no place that a caller could rely on.
type mentions struct {
	f      *Formula
	seen   []bool    // of each node: some level has it
	levels [][]int32 // nodes, each at the outermost level that mentions it
}

func newMentions(f *Formula) *mentions { return &mentions{f: f, levels: make([][]int32, 1)} }

func (m *mentions) push() { m.levels = append(m.levels, nil) }

// pop forgets what only the newest level mentions.
func (m *mentions) pop() {
	last := len(m.levels) - 1
	for _, id := range m.levels[last] {
		m.seen[id] = false
	}
	m.levels = m.levels[:last]
}

// add notes b and all it is made of.
func (m *mentions) add(b Bool) {
	for len(m.seen) < len(m.f.nodes) {
		m.seen = append(m.seen, false)
	}
	m.node(int32(b >> 1))
}

// node notes a node and all below it.
func (m *mentions) node(id int32) {
	if m.seen[id] {
		return
	}
	m.seen[id] = true
	last := len(m.levels) - 1
	m.levels[last] = append(m.levels[last], id)
	for _, c := range m.f.children(m.f.nodes[id]) {
		m.node(int32(c >> 1))
	}
}

// mentioned returns those of the events that are mentioned.
func (m *mentions) mentioned(events []Event) []Event {
	mentioned := make([]bool, len(m.f.events))
	for _, level := range m.levels {
		for _, id := range level {
			if n := m.f.nodes[id]; n.kind == before {
				mentioned[n.a], mentioned[n.b] = true, true
			}
		}
	}
	var some []Event
	for _, e := range events {
		if mentioned[e] {
			some = append(some, e)
		}
	}
	return some
}
