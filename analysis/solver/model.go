package solver

// A model gives every variable of a formula its value. Both engines answer from one of these: the
// search that goes on does not change it, and it has values for terms that the question did not
// mention, too.
type model struct {
	f          *Formula
	order      []Event
	positionOf []int32        // of each event in order; events that were made since follow
	bools      map[int32]bool // of nodes that are variables; the others are false
	ints       []int64        // of integer variables; the others are 0
	known      []int8         // of each node: 1 true, -1 false, 0 not yet found
}

// newModel returns a model with that order of all events of f.
func newModel(f *Formula, order []Event) *model {
	m := &model{f: f, order: order, positionOf: make([]int32, len(order)), bools: map[int32]bool{}}
	for i, e := range order {
		m.positionOf[e] = int32(i)
	}
	return m
}

// position returns the place of an event in the order.
func (m *model) position(e int32) int32 {
	if int(e) >= len(m.positionOf) {
		return e
	}
	return m.positionOf[e]
}

// value evaluates b.
func (m *model) value(b Bool) bool {
	if more := len(m.f.nodes) - len(m.known); more > 0 {
		m.known = append(m.known, make([]int8, more)...)
	}
	return m.node(int32(b>>1)) != (b&1 == 1)
}

// node evaluates a node, once: nodes share their children.
func (m *model) node(id int32) bool {
	if m.known[id] == 0 {
		m.known[id] = -1
		if m.evaluate(id, m.f.nodes[id]) {
			m.known[id] = 1
		}
	}
	return m.known[id] > 0
}

// evaluate finds out what a node is by its children's values. It is the plain meaning of
// terms, and shares no code with the search, as checks of models are made with it.
func (m *model) evaluate(id int32, n node) bool {
	switch n.kind {
	case constant:
		return true
	case variable:
		return m.bools[id]
	case before:
		return m.position(n.a) < m.position(n.b)
	case atMost:
		return m.sum(n.a).compare(integer(n.k)) <= 0
	case equal:
		return m.sum(n.a).compare(integer(n.k)) == 0
	case iff:
		return m.node(n.a>>1) == m.node(n.b>>1)
	default:
		for _, c := range m.f.args[n.a:n.b] {
			if m.node(int32(c>>1)) == (c&1 == 1) {
				return false
			}
		}
		return true
	}
}

// sum evaluates a sum, whatever its size.
func (m *model) sum(id int32) rational {
	total := integer(0)
	for _, t := range m.f.sums[id] {
		total = total.plus(integer(t.coef).times(integer(m.variable(t.v))))
	}
	return total
}

// variable is the value of an integer variable.
func (m *model) variable(v int32) int64 {
	if int(v) < len(m.ints) {
		return m.ints[v]
	}
	return 0
}

// number evaluates x, modulo 2^64.
func (m *model) number(x Int) int64 {
	e := m.f.exprs[x]
	n := e.k
	for _, t := range m.f.sums[e.sum] {
		n += t.coef * m.variable(t.v)
	}
	return n
}
