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

// An evaluationOrder answers in which order the gc compiler evaluates parts of a statement,
// and what may go wrong in them.
type evaluationOrder struct{ *typeInfo }

// isCall reports whether n itself is a call or a receive in the sense of the
// order of evaluation.
func (ev *evaluationOrder) isCall(n ast.Expr) bool {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.CallExpr:
		if ev.info.Types[n.Fun].IsType() {
			return false
		}
		if name := ev.builtinName(n); name != "" {
			return !effectFree[name]
		}
		return true
	}
	return false
}

// hasCall reports whether evaluating n performs a call or a receive.
func (ev *evaluationOrder) hasCall(n ast.Node) bool { return ev.lastCall(n).IsValid() }

// lastCall is the largest start of a call or receive that evaluating the nodes
// performs, NoPos if there is none.
func (ev *evaluationOrder) lastCall(nodes ...ast.Node) token.Pos {
	last := token.NoPos
	ev.inspectEvaluated(nodes, func(x ast.Expr) bool {
		if ev.isCall(x) && x.Pos() > last {
			last = x.Pos()
		}
		return true
	})
	return last
}

// hasStableAddress reports whether the address of x is the same whenever it is evaluated
// and evaluating it cannot panic: a variable, or a part of one.
func (ev *evaluationOrder) hasStableAddress(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		_, ok := ev.info.ObjectOf(x).(*types.Var)
		return ok
	case *ast.ParenExpr:
		return ev.hasStableAddress(x.X)
	case *ast.SelectorExpr:
		sel := ev.info.Selections[x]
		if sel == nil {
			_, ok := ev.info.Uses[x.Sel].(*types.Var)
			return ok
		}
		return sel.Kind() == types.FieldVal && !sel.Indirect() && ev.hasStableAddress(x.X)
	case *ast.IndexExpr:
		_, ok := coreType(ev.info.TypeOf(x.X)).(*types.Array)
		return ok && ev.isConstant(x.Index) && ev.hasStableAddress(x.X)
	}
	return false
}

// neitherPanicsNorCalls reports whether evaluating x neither panics nor calls anything. It may
// say no to what is safe.
func (ev *evaluationOrder) neitherPanicsNorCalls(x ast.Expr) bool {
	if ev.isConstant(x) || ev.info.Types[x].IsType() || ev.hasStableAddress(x) {
		return true
	}
	switch x := x.(type) {
	case *ast.Ident, *ast.FuncLit:
		return true // a function, or a variable as above
	case *ast.ParenExpr:
		return ev.neitherPanicsNorCalls(x.X)
	case *ast.UnaryExpr:
		return x.Op != token.ARROW && ev.neitherPanicsNorCalls(x.X)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			return false // these operators may panic
		case token.EQL, token.NEQ:
			_, basic := coreType(ev.info.TypeOf(x.X)).(*types.Basic)
			return basic && ev.neitherPanicsNorCalls(x.X) && ev.neitherPanicsNorCalls(x.Y)
		}
		return ev.neitherPanicsNorCalls(x.X) && ev.neitherPanicsNorCalls(x.Y)
	case *ast.CompositeLit:
		if _, ok := coreType(ev.info.TypeOf(x)).(*types.Map); ok {
			return false // a key may not be hashable
		}
		for _, elt := range x.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			if !ev.neitherPanicsNorCalls(elt) {
				return false
			}
		}
		return true
	}
	return false
}

// isUntyped reports whether x may be an untyped value that is not a constant,
// whose type is decided by where it stands.
func (ev *evaluationOrder) isUntyped(x ast.Expr) bool {
	if ev.isConstant(x) {
		return true
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return ev.isUntyped(x.X)
	case *ast.UnaryExpr:
		return x.Op != token.ARROW && x.Op != token.AND && ev.isUntyped(x.X)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		case token.SHL, token.SHR:
			return ev.isUntyped(x.X)
		}
		return ev.isUntyped(x.X) && ev.isUntyped(x.Y)
	case *ast.CallExpr:
		// Calls of min, max, real, imag and complex with untyped shifts are untyped.
		if name := ev.builtinName(x); name == "min" || name == "max" || name == "real" || name == "imag" || name == "complex" {
			for _, arg := range x.Args {
				if !ev.isUntyped(arg) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// assignableFromTemporary says whether x can be kept in a temporary declared with := and then
// be assigned to a variable of type to, and the text that assigns temporary t.
// An untyped comparison becomes a bool, which is not assignable to a type that
// the user derived from it; comparing it makes it untyped again.
func (ev *evaluationOrder) assignableFromTemporary(x ast.Expr, to types.Type, t string) (text string, ok bool) {
	if !ev.isUntyped(x) {
		return t, true
	}
	tv := ev.info.Types[x]
	if tv.IsNil() {
		return "", false
	}
	basic, ok := coreType(tv.Type).(*types.Basic)
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

// inspectEvaluated calls do for each expression in nodes that is evaluated along with them, the
// outer ones first: what function literals do comes when they are called, and constants are
// none. Where do returns false, it is not called for the parts of that expression.
func (ev *evaluationOrder) inspectEvaluated(nodes []ast.Node, do func(ast.Expr) bool) {
	for _, root := range nodes {
		ast.Inspect(root, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if _, ok := x.(*ast.FuncLit); ok || ev.isConstant(x) {
				return false
			}
			return do(x)
		})
	}
}

// finalCall is the last call or receive that evaluating the nodes performs in
// any case and outside of the operands of other calls, nil if there is none.
func (ev *evaluationOrder) finalCall(nodes ...ast.Node) ast.Expr {
	var final ast.Expr
	ev.inspectEvaluated(nodes, func(x ast.Expr) bool {
		if b, ok := x.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
			return false
		}
		if ev.isCall(x) {
			if final == nil || x.Pos() > final.Pos() {
				final = x
			}
			return false
		}
		return true
	})
	return final
}

// computesFrom reports whether y, in x = y, may be computed from x without a call:
// then a load of x in it is like that of x op= y.
func (ev *evaluationOrder) computesFrom(x, y ast.Expr) bool {
	if _, basic := coreType(ev.info.TypeOf(x)).(*types.Basic); !basic {
		return false
	}
	return !hasFuncLit(y) && !ev.hasCall(y)
}

// keepsType reports whether x has the same type as the argument of a hook.
func (ev *evaluationOrder) keepsType(x ast.Expr) bool {
	t := ev.info.TypeOf(x)
	return !ev.isUntyped(x) || types.Identical(t, types.Typ[types.Bool]) || types.Identical(t, types.Typ[types.UntypedBool])
}

// dereference is the part of the variable x that goes through a pointer to the
// memory that x lies in, nil if none does.
func (ev *evaluationOrder) dereference(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return ev.dereference(x.X)
	case *ast.StarExpr:
		return x
	case *ast.SelectorExpr:
		switch sel := ev.info.Selections[x]; {
		case sel == nil:
			return nil
		case sel.Indirect():
			return x
		}
		return ev.dereference(x.X)
	case *ast.IndexExpr:
		if _, ok := coreType(ev.info.TypeOf(x.X)).(*types.Array); ok && ev.isConstant(x.Index) {
			return ev.dereference(x.X)
		}
	}
	return nil
}

// faultsAtStore reports whether the first instruction of s that touches x is a
// store: values of several words are moved after the pointer was checked, and
// strings are loaded before they are added to.
func (ev *evaluationOrder) faultsAtStore(x ast.Expr, s ast.Stmt) bool {
	switch t := coreType(ev.info.TypeOf(x)).(type) {
	case nil, *types.Struct, *types.Array:
		return false
	case *types.Basic:
		a, ok := s.(*ast.AssignStmt)
		return t.Info()&types.IsString == 0 || ok && a.Tok == token.ASSIGN
	}
	return true
}
