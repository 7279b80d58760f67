package rewrite

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/gopredict/gopredict/recorder/provenance"
)

// spot returns the place of an event of the operation op at n; false if formulas
// speak of none there. expr is what the site shows.
func (af *accessFilter) spot(op string, n ast.Node, expr string) (provenance.Spot, bool) {
	s := provenance.Spot{Fset: af.fset, Pos: n.Pos()}
	switch op {
	case "read", "write":
		x, ok := n.(ast.Expr)
		if !ok || expr != af.source(n) {
			return s, false // of what n leads to
		}
		if s.Pos = namePos(x); op == "write" {
			s.Role = provenance.Writes
		}
	case "atomic", "assert":
		s.Pos, s.Role = n.(*ast.CallExpr).Lparen, provenance.Atomics
		if op == "assert" {
			s.Role = provenance.Asserts
		}
	case "call", "result":
		s.Pos, s.Role = n.(*ast.CallExpr).Lparen, provenance.Calls
		if op == "result" {
			s.Role = provenance.Gets
		}
	case "enter":
		s.Role = provenance.Enters
	case "return":
		s.Role = provenance.Returns
	case "guard":
		s.Pos, s.Role = namePos(n.(ast.Expr)), provenance.Guards
	case "operand":
		s.Pos, s.Role = namePos(n.(ast.Expr)), provenance.Carries
	case "branch":
		s.Role = provenance.Decides
	default:
		return s, false
	}
	return s, true
}

// namePos returns where package ssa has accesses to x, at the name, bracket or
// star, and package provenance its value.
func namePos(x ast.Expr) token.Pos {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		return x.Sel.Pos()
	case *ast.IndexExpr:
		return x.Lbrack
	case *ast.CallExpr:
		return x.Lparen
	case *ast.BinaryExpr:
		return x.OpPos
	default:
		return x.Pos()
	}
}

// isOperand reports whether a formula needs the value of x.
func (af *accessFilter) isOperand(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.BinaryExpr:
	default:
		return false
	}
	return af.provenance.Operand(provenance.Spot{Fset: af.fset, Pos: namePos(x), Role: provenance.Carries})
}

// assertion returns the operand of c, a call of an assertion of which it is known
// when it holds, that is evaluated last: its hook notes the assertion. It is nil
// if c is none.
func (af *accessFilter) assertion(c *ast.CallExpr) ast.Expr {
	first, n, ok := provenance.Assertion(af.callee(c))
	if _, known := af.provenance.Formula(provenance.Spot{Fset: af.fset, Pos: c.Lparen, Role: provenance.Asserts}); !ok || !known || len(c.Args) < first+n {
		return nil
	}
	return af.evaluatedLast(c.Args, first, first+n)
}

// evaluatedLast returns the operand that is evaluated last of those from and below to
// that are not constant; nil if that cannot be said, or there is none.
func (af *accessFilter) evaluatedLast(args []ast.Expr, from, to int) ast.Expr {
	for i := to - 1; i >= from; i-- {
		if x := args[i]; !af.isConstant(x) {
			if af.isTuple(x) || slices.ContainsFunc(args[i+1:], func(x ast.Expr) bool { return af.hasCall(x) }) || af.hasCall(x) && slices.ContainsFunc(args[:i], af.loadsAfterCalls) {
				return nil
			}
			return x
		}
	}
	return nil
}

// loadsAfterCalls reports whether x has loads that come after calls that follow it.
func (af *accessFilter) loadsAfterCalls(x ast.Expr) bool {
	_, call := ast.Unparen(x).(*ast.CallExpr)
	return !call && af.lastHook(x).IsValid()
}

// handsOver reports whether an event of the operation op at n tells of what is handed over.
func (af *accessFilter) handsOver(op string, n ast.Node) bool {
	s, ok := af.spot(op, n, "")
	return ok && af.provenance.Handed(s) > 0
}

func (af *accessFilter) tupleCall(s ast.Stmt) *ast.CallExpr {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return nil
	}
	c, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok || !af.isTuple(c) || !af.handsOver("result", c) {
		return nil
	}
	return c
}
