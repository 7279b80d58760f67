//go:build (linux || darwin) && (amd64 || arm64) && !noz3

package solver

// term returns Z3's term for b.
func (z *z3) term(b Bool) uintptr {
	t := z.node(int32(b >> 1))
	if b&1 == 1 {
		return z.api.mkNot(z.ctx, t)
	}
	return t
}

// node returns Z3's term for a node of the formula, made once.
func (z *z3) node(id int32) uintptr {
	if int(id) >= len(z.nodes) {
		z.nodes = append(z.nodes, make([]uintptr, len(z.f.nodes)-len(z.nodes))...)
	}
	if z.nodes[id] == 0 {
		z.nodes[id] = z.newNode(z.f.nodes[id])
	}
	return z.nodes[id]
}

func (z *z3) newNode(n node) uintptr {
	switch n.kind {
	case constant:
		return z.api.mkTrue(z.ctx)
	case variable:
		return z.constant("bool "+z.f.names[n.a], z.boolSort)
	case before:
		return z.api.mkLe(z.ctx, z.event(n.a), z.event(n.b))
	case atMost:
		return z.api.mkLe(z.ctx, z.sum(n.a), z.number(n.k))
	case equal:
		return z.api.mkEq(z.ctx, z.sum(n.a), z.number(n.k))
	case iff:
		return z.api.mkIff(z.ctx, z.term(Bool(n.a)), z.term(Bool(n.b)))
	default:
		args := make([]uintptr, 0, n.b-n.a)
		for _, c := range z.f.args[n.a:n.b] {
			args = append(args, z.term(c))
		}
		return z.api.mkAnd(z.ctx, uint32(len(args)), &args[0])
	}
}

func (z *z3) constant(name string, sort uintptr) uintptr {
	return z.api.mkConst(z.ctx, z.api.mkStringSymbol(z.ctx, name), sort)
}

func (z *z3) number(n int64) uintptr { return z.api.mkInt64(z.ctx, n, z.intSort) }

func (z *z3) event(e int32) uintptr {
	return z.integer(&z.events, e, "event "+z.f.names[z.f.events[e]])
}

func (z *z3) variable(v int32) uintptr {
	return z.integer(&z.ints, v, "int "+z.f.names[z.f.ints[v]])
}

// integer returns the i-th constant of the list, made once.
func (z *z3) integer(list *[]uintptr, i int32, name string) uintptr {
	if int(i) >= len(*list) {
		*list = append(*list, make([]uintptr, int(i)+1-len(*list))...)
	}
	if (*list)[i] == 0 {
		(*list)[i] = z.constant(name, z.intSort)
	}
	return (*list)[i]
}

func (z *z3) sum(id int32) uintptr {
	var parts []uintptr
	for _, t := range z.f.sums[id] {
		x := z.variable(t.v)
		if t.coef != 1 {
			factors := []uintptr{z.number(t.coef), x}
			x = z.api.mkMul(z.ctx, 2, &factors[0])
		}
		parts = append(parts, x)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return z.api.mkAdd(z.ctx, uint32(len(parts)), &parts[0])
}
