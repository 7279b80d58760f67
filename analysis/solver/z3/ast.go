package z3

import "fmt"

// An AST is a term in a [Context]: a number, a boolean, or what operators make of
// them. Equal terms are the same AST, and == compares them. The methods take the
// terms of one context only, and sorts that fit; see [Context.Err].
type AST struct {
	ctx *Context
	raw uintptr
}

// Const returns the unknown of that name and sort, the same each time. (To Z3 it
// is a function without parameters, and so a constant.)
func (c *Context) Const(name Symbol, sort Sort) AST {
	if !c.usable() || !c.owns(name.ctx) || !c.owns(sort.ctx) {
		return AST{ctx: c}
	}
	return c.term(c.api.MkConst(c.raw, name.raw, sort.raw))
}

// Int returns the number v, of a sort of numbers.
func (c *Context) Int(v int64, sort Sort) AST {
	if !c.usable() || !c.owns(sort.ctx) {
		return AST{ctx: c}
	}
	return c.term(c.api.MkInt64(c.raw, v, sort.raw))
}

// True returns the boolean that holds.
func (c *Context) True() AST {
	if !c.usable() {
		return AST{ctx: c}
	}
	return c.term(c.api.MkTrue(c.raw))
}

// False returns the boolean that does not hold.
func (c *Context) False() AST {
	if !c.usable() {
		return AST{ctx: c}
	}
	return c.term(c.api.MkFalse(c.raw))
}

// Not negates a.
func (a AST) Not() AST {
	if !a.ctx.usable() {
		return AST{ctx: a.ctx}
	}
	return a.ctx.term(a.ctx.api.MkNot(a.ctx.raw, a.raw))
}

// And says that a and all of bs hold.
func (a AST) And(bs ...AST) AST { return a.join(a.api().MkAnd, bs) }

// Or says that one of a and bs holds.
func (a AST) Or(bs ...AST) AST { return a.join(a.api().MkOr, bs) }

// Xor says that just one of a and b holds.
func (a AST) Xor(b AST) AST { return a.pair(a.api().MkXor, b) }

// Iff says that a and b both hold or both do not.
func (a AST) Iff(b AST) AST { return a.pair(a.api().MkIff, b) }

// Implies says that b holds if a does.
func (a AST) Implies(b AST) AST { return a.pair(a.api().MkImplies, b) }

// Ite is b if a holds, else c.
func (a AST) Ite(b, c AST) AST {
	if !a.ctx.usable() || !a.ctx.owns(b.ctx) || !a.ctx.owns(c.ctx) {
		return AST{ctx: a.ctx}
	}
	return a.ctx.term(a.ctx.api.MkITE(a.ctx.raw, a.raw, b.raw, c.raw))
}

// Eq says that a and b are the same value.
func (a AST) Eq(b AST) AST { return a.pair(a.api().MkEq, b) }

// Distinct says that no two of a and bs are the same value.
func (a AST) Distinct(bs ...AST) AST { return a.join(a.api().MkDistinct, bs) }

// Add returns the sum of a and bs.
func (a AST) Add(bs ...AST) AST { return a.join(a.api().MkAdd, bs) }

// Sub returns a without bs.
func (a AST) Sub(bs ...AST) AST { return a.join(a.api().MkSub, bs) }

// Mul returns the product of a and bs.
func (a AST) Mul(bs ...AST) AST { return a.join(a.api().MkMul, bs) }

// Lt says that a is less than b.
func (a AST) Lt(b AST) AST { return a.pair(a.api().MkLt, b) }

// Le says that a is at most b.
func (a AST) Le(b AST) AST { return a.pair(a.api().MkLe, b) }

// Gt says that a is more than b.
func (a AST) Gt(b AST) AST { return a.pair(a.api().MkGt, b) }

// Ge says that a is at least b.
func (a AST) Ge(b AST) AST { return a.pair(a.api().MkGe, b) }

// Int returns the number that a is; it is not ok if a is none that fits.
func (a AST) Int() (n int64, ok bool) {
	ok = a.ctx.usable() && a.ctx.api.GetNumeralInt64(a.ctx.raw, a.raw, &n)
	return n, ok
}

// Bool returns whether a is true or false, Undef if it is neither.
func (a AST) Bool() LBool {
	if !a.ctx.usable() {
		return Undef
	}
	return LBool(a.ctx.api.GetBoolValue(a.ctx.raw, a.raw))
}

// String returns a as Z3 writes it.
func (a AST) String() string {
	if !a.ctx.usable() {
		return ""
	}
	return a.ctx.api.ASTToString(a.ctx.raw, a.raw)
}

// api returns the functions for terms of a's context.
func (a AST) api() *api {
	a.ctx.usable()
	return a.ctx.api
}

// pair returns what f makes of a and b.
func (a AST) pair(f func(ctx, a, b uintptr) uintptr, b AST) AST {
	if !a.ctx.usable() || !a.ctx.owns(b.ctx) {
		return AST{ctx: a.ctx}
	}
	return a.ctx.term(f(a.ctx.raw, a.raw, b.raw))
}

// join returns what f makes of a and bs.
func (a AST) join(f func(ctx uintptr, n uint32, args *uintptr) uintptr, bs []AST) AST {
	if !a.ctx.usable() {
		return AST{ctx: a.ctx}
	}
	raws, ok := a.ctx.handles(append([]AST{a}, bs...))
	if !ok {
		return AST{ctx: a.ctx}
	}
	return a.ctx.term(f(a.ctx.raw, uint32(len(raws)), &raws[0]))
}

// term returns the term that a call has just made.
func (c *Context) term(raw uintptr) AST {
	if !c.check() {
		return AST{ctx: c}
	}
	return AST{c, raw}
}

// handles returns Z3's handles of terms. It is not ok if one is of another context.
func (c *Context) handles(terms []AST) (raws []uintptr, ok bool) {
	raws = make([]uintptr, len(terms))
	for i, t := range terms {
		if !c.owns(t.ctx) {
			return nil, false
		}
		raws[i] = t.raw
	}
	return raws, true
}

// owns reports whether something that belongs to other belongs to c.
func (c *Context) owns(other *Context) bool {
	if other != c && c.err == nil {
		c.err = fmt.Errorf("z3: expected what belongs to one Context, found what belongs to another one")
	}
	return other == c
}
