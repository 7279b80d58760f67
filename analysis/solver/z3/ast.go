package z3

// An AST is a term in a [Context]: a number, a boolean, or what operators make of them. Equal
// terms are the same AST, and == compares them. The methods take the terms of one context only,
// and operands that fit; see [Context.Err].
type AST struct {
	ctx *Context
	raw uintptr
}

// Bool returns the boolean variable of that name, the same each time. (To Z3 it is a function
// without parameters, and so a constant.)
func (c *Context) Bool(name string) AST {
	return c.term(func() uintptr { return c.api.MkConst(c.raw, c.symbol(name), c.api.MkBoolSort(c.raw)) })
}

// Int returns the integer variable of that name, the same each time. Its values have any size.
func (c *Context) Int(name string) AST {
	return c.term(func() uintptr { return c.api.MkConst(c.raw, c.symbol(name), c.api.MkIntSort(c.raw)) })
}

// Number returns the integer v.
func (c *Context) Number(v int64) AST {
	return c.term(func() uintptr { return c.api.MkInt64(c.raw, v, c.api.MkIntSort(c.raw)) })
}

// True returns the boolean that holds.
func (c *Context) True() AST {
	return c.term(func() uintptr { return c.api.MkTrue(c.raw) })
}

// Not negates a.
func (a AST) Not() AST {
	return a.ctx.term(func() uintptr { return a.ctx.api.MkNot(a.ctx.raw, a.raw) })
}

// And says that a and all of bs hold.
func (a AST) And(bs ...AST) AST { return a.join(a.ctx.api.MkAnd, bs) }

// Iff says that a and b both hold or both do not.
func (a AST) Iff(b AST) AST { return a.pair(a.ctx.api.MkIff, b) }

// Implies says that b holds if a does.
func (a AST) Implies(b AST) AST { return a.pair(a.ctx.api.MkImplies, b) }

// Eq says that a and b are the same value.
func (a AST) Eq(b AST) AST { return a.pair(a.ctx.api.MkEq, b) }

// Le says that a is at most b.
func (a AST) Le(b AST) AST { return a.pair(a.ctx.api.MkLe, b) }

// Add returns the sum of a and bs.
func (a AST) Add(bs ...AST) AST { return a.join(a.ctx.api.MkAdd, bs) }

// Mul returns the product of a and bs.
func (a AST) Mul(bs ...AST) AST { return a.join(a.ctx.api.MkMul, bs) }

// String returns a as Z3 writes it.
func (a AST) String() string {
	if !a.ctx.usable() {
		return ""
	}
	return a.ctx.api.ASTToString(a.ctx.raw, a.raw)
}

// pair returns the term that operator f makes of a and b.
func (a AST) pair(f func(ctx, a, b uintptr) uintptr, b AST) AST {
	return a.ctx.term(func() uintptr { return f(a.ctx.raw, a.raw, b.raw) })
}

// join returns the term that operator f makes of a and bs.
func (a AST) join(f func(ctx uintptr, n uint32, args *uintptr) uintptr, bs []AST) AST {
	raws := append([]uintptr{a.raw}, handles(bs)...)
	return a.ctx.term(func() uintptr { return f(a.ctx.raw, uint32(len(raws)), &raws[0]) })
}

// term returns the term that a call makes. After an error it is void, and nothing is called.
func (c *Context) term(make func() uintptr) AST {
	if !c.usable() {
		return AST{ctx: c}
	}
	raw := make()
	if !c.check() {
		return AST{ctx: c}
	}
	return AST{c, raw}
}

// handles returns Z3's handles of terms.
func handles(terms []AST) []uintptr {
	raws := make([]uintptr, len(terms))
	for i, t := range terms {
		raws[i] = t.raw
	}
	return raws
}
