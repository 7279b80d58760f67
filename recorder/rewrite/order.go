package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file holds what the rewriter has to know about the order of evaluation.
// The gc compiler evaluates the calls and receives of an expression from left
// to right into temporaries, and everything else afterwards. A hook is a call.

// effectFree lists the builtins that are not evaluated like calls.
var effectFree = map[string]bool{
	"cap": true, "complex": true, "imag": true, "len": true, "make": true, "max": true, "min": true,
	"new": true, "real": true,
	"Add": true, "Alignof": true, "Offsetof": true, "Sizeof": true, "Slice": true, "SliceData": true,
	"String": true, "StringData": true,
}

// isCall reports whether n itself is a call or a receive in the sense of the
// order of evaluation.
func (e *editor) isCall(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.CallExpr:
		if e.info.Types[n.Fun].IsType() {
			return false
		}
		if name := e.builtinName(n); name != "" {
			return !effectFree[name]
		}
		return true
	}
	return false
}

// hasCall reports whether evaluating n performs a call or a receive.
func (e *editor) hasCall(n ast.Node) bool { return e.lastCall(n).IsValid() }

// lastCall is the largest start of a call or receive that evaluating the nodes
// performs, NoPos if there is none.
func (e *editor) lastCall(nodes ...ast.Node) token.Pos {
	last := token.NoPos
	for _, root := range nodes {
		ast.Inspect(root, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			if x, ok := n.(ast.Expr); ok && e.info.Types[x].Value != nil {
				return false // a constant: not evaluated
			}
			if n != nil && e.isCall(n) && n.Pos() > last {
				last = n.Pos()
			}
			return true
		})
	}
	return last
}

// builtinName is the name of the builtin function that c calls, "" if it calls
// something else.
func (e *editor) builtinName(c *ast.CallExpr) string {
	var id *ast.Ident
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return ""
	}
	if b, ok := e.info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// constant reports whether x is evaluated at compile time: a constant or nil.
func (e *editor) constant(x ast.Expr) bool {
	tv := e.info.Types[x]
	return tv.Value != nil || tv.IsNil()
}

// stable reports whether the address of x is the same whenever it is evaluated
// and evaluating it cannot panic: a variable, or a part of one.
func (e *editor) stable(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		_, ok := e.info.ObjectOf(x).(*types.Var)
		return ok
	case *ast.ParenExpr:
		return e.stable(x.X)
	case *ast.SelectorExpr:
		sel := e.info.Selections[x]
		if sel == nil {
			_, ok := e.info.Uses[x.Sel].(*types.Var)
			return ok
		}
		return sel.Kind() == types.FieldVal && !sel.Indirect() && e.stable(x.X)
	case *ast.IndexExpr:
		_, ok := underlying(e.info.TypeOf(x.X)).(*types.Array)
		return ok && e.constant(x.Index) && e.stable(x.X)
	}
	return false
}

// safe reports whether evaluating x neither panics nor calls anything. It may
// say no to what is safe.
func (e *editor) safe(x ast.Expr) bool {
	if e.constant(x) || e.info.Types[x].IsType() || e.stable(x) {
		return true
	}
	switch x := x.(type) {
	case *ast.Ident, *ast.FuncLit:
		return true // a function, or a variable as above
	case *ast.ParenExpr:
		return e.safe(x.X)
	case *ast.UnaryExpr:
		return x.Op != token.ARROW && e.safe(x.X)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			return false // may panic
		case token.EQL, token.NEQ:
			_, basic := underlying(e.info.TypeOf(x.X)).(*types.Basic)
			return basic && e.safe(x.X) && e.safe(x.Y)
		}
		return e.safe(x.X) && e.safe(x.Y)
	case *ast.CompositeLit:
		if _, ok := underlying(e.info.TypeOf(x)).(*types.Map); ok {
			return false // a key may not be hashable
		}
		for _, elt := range x.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			if !e.safe(elt) {
				return false
			}
		}
		return true
	}
	return false
}

// untyped reports whether x may be an untyped value that is not a constant,
// whose type is decided by where it stands.
func (e *editor) untyped(x ast.Expr) bool {
	if e.constant(x) {
		return true
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.untyped(x.X)
	case *ast.UnaryExpr:
		return x.Op != token.ARROW && x.Op != token.AND && e.untyped(x.X)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		case token.SHL, token.SHR:
			return e.untyped(x.X)
		}
		return e.untyped(x.X) && e.untyped(x.Y)
	case *ast.CallExpr:
		// min, max, real, imag and complex of untyped shifts.
		if name := e.builtinName(x); name == "min" || name == "max" || name == "real" || name == "imag" || name == "complex" {
			for _, arg := range x.Args {
				if !e.untyped(arg) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// holdable says whether x can be kept in a temporary declared with := and then
// be assigned to a variable of type to, and the text that assigns temporary t.
// An untyped comparison becomes a bool, which is not assignable to a type that
// the user derived from it; comparing it makes it untyped again.
func (e *editor) holdable(x ast.Expr, to types.Type, t string) (text string, ok bool) {
	if !e.untyped(x) {
		return t, true
	}
	tv := e.info.Types[x]
	if tv.IsNil() {
		return "", false
	}
	basic, ok := underlying(tv.Type).(*types.Basic)
	if !ok {
		return "", false
	}
	if basic.Info()&types.IsBoolean != 0 {
		if to == nil || types.Identical(to, types.Typ[types.Bool]) || types.IsInterface(to) {
			return t, types.Identical(tv.Type, types.Typ[types.Bool]) || types.Identical(tv.Type, types.Typ[types.UntypedBool])
		}
		return t + "==(0==0)", true
	}
	return t, types.Identical(tv.Type, types.Typ[types.Int])
}

// underlying is t's underlying type; for a type parameter, the underlying type
// that all types of its type set have in common, nil if there is none.
func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		return commonType(tp.Constraint(), 0)
	}
	return t.Underlying()
}

// commonType is the one underlying type of the types that constraint admits.
func commonType(constraint types.Type, depth int) types.Type {
	iface, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return constraint.Underlying()
	}
	if depth > 10 {
		return nil // a cycle: the package does not compile anyway
	}
	var common types.Type
	join := func(t types.Type) bool {
		if t == nil || common != nil && !types.Identical(common, t) {
			return false
		}
		common = t
		return true
	}
	for i := range iface.NumEmbeddeds() {
		switch t := types.Unalias(iface.EmbeddedType(i)).(type) {
		case *types.Union:
			for j := range t.Len() {
				if !join(commonType(t.Term(j).Type(), depth+1)) {
					return nil
				}
			}
		default:
			if u := commonType(t, depth+1); u != nil && !join(u) {
				return nil
			}
		}
	}
	return common
}
