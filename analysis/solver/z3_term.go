package solver

import "github.com/gopredict/gopredict/analysis/solver/z3"

// term returns Z3's term for b.
func (z *z3Engine) term(b Bool) z3.AST {
	t := z.node(int32(b >> 1))
	if b&1 == 1 {
		return t.Not()
	}
	return t
}

// node returns Z3's term for a node of the formula, made once.
func (z *z3Engine) node(id int32) z3.AST {
	if int(id) >= len(z.nodes) {
		z.nodes = append(z.nodes, make([]z3.AST, len(z.f.nodes)-len(z.nodes))...)
	}
	if z.nodes[id] == (z3.AST{}) {
		z.nodes[id] = z.newNode(z.f.nodes[id])
	}
	return z.nodes[id]
}

// newNode makes Z3's term for a node. Events are its integers, so that their order is
// difference logic there.
func (z *z3Engine) newNode(n node) z3.AST {
	switch n.kind {
	case constant:
		return z.ctx.True()
	case variable:
		return z.ctx.Bool("bool " + z.f.names[n.a])
	case before:
		return z.event(n.a).Le(z.event(n.b))
	case atMost:
		return z.sum(n.a).Le(z.ctx.Number(n.k))
	case equal:
		return z.sum(n.a).Eq(z.ctx.Number(n.k))
	case iff:
		return z.term(Bool(n.a)).Iff(z.term(Bool(n.b)))
	default:
		var children []z3.AST
		for _, c := range z.f.args[n.a:n.b] {
			children = append(children, z.term(c))
		}
		return children[0].And(children[1:]...)
	}
}

func (z *z3Engine) event(e int32) z3.AST {
	return z.integer(&z.events, e, "event "+z.f.EventName(Event(e)))
}

func (z *z3Engine) variable(v int32) z3.AST {
	return z.integer(&z.ints, v, "int "+z.f.names[z.f.ints[v]])
}

// integer returns the i-th constant of the list, made once.
func (z *z3Engine) integer(list *[]z3.AST, i int32, name string) z3.AST {
	if int(i) >= len(*list) {
		*list = append(*list, make([]z3.AST, int(i)+1-len(*list))...)
	}
	if (*list)[i] == (z3.AST{}) {
		(*list)[i] = z.ctx.Int(name)
	}
	return (*list)[i]
}

// sum is the term of a sum of integers.
func (z *z3Engine) sum(id int32) z3.AST {
	var parts []z3.AST
	for _, t := range z.f.sums[id] {
		x := z.variable(t.v)
		if t.coef != 1 {
			x = z.ctx.Number(t.coef).Mul(x)
		}
		parts = append(parts, x)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return parts[0].Add(parts[1:]...)
}
