package rewrite

import (
	"go/ast"
	"slices"

	"github.com/gopredict/gopredict/recorder/provenance"
)

// roles are the roles of the events of operations that formulas speak of.
var roles = map[string]provenance.Role{
	"read": provenance.Reads, "write": provenance.Writes, "atomic": provenance.Atomics,
	"assert": provenance.Asserts, "branch": provenance.Branches, "guard": provenance.Guards, "operand": provenance.Evaluates,
	"call": provenance.PassesArguments, "enter": provenance.ReceivesArguments, "return": provenance.ReturnsResults, "result": provenance.ReceivesResults,
}

// eventSpot returns the place of an event of the operation op at n; false if formulas
// speak of none there. An access whose site shows other text than n, which is
// what expr tells, is of memory that n leads to.
func (af *accessFilter) eventSpot(op string, n ast.Node, expr string) (provenance.Spot, bool) {
	role, ok := roles[op]
	s := provenance.Spot{Fset: af.fset, Pos: n.Pos(), Role: role}
	switch role {
	case provenance.Branches, provenance.ReceivesArguments, provenance.ReturnsResults:
		return s, ok
	case provenance.Reads, provenance.Writes:
		ok = ok && expr == af.textOf(n)
	}
	x, isExpr := n.(ast.Expr)
	if !ok || !isExpr {
		return s, false
	}
	s.Pos = provenance.ValuePos(x)
	return s, true
}

// isOperand reports whether a formula needs the value of x, and a hook can note it.
func (af *accessFilter) isOperand(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.BinaryExpr:
	default:
		return false
	}
	return af.keepsType(x) && af.provenance.IsOperand(provenance.Spot{Fset: af.fset, Pos: provenance.ValuePos(x), Role: provenance.Evaluates})
}

// assertion returns the operand of c, a call of an assertion of which it is known
// when it holds, that is evaluated last: its hook notes the assertion. It is nil
// if c is none.
func (af *accessFilter) assertion(c *ast.CallExpr) ast.Expr {
	first, n, ok := provenance.AssertedOperands(af.callee(c))
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
	s, ok := af.eventSpot(op, n, "")
	return ok && af.provenance.HandedCount(s) > 0
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
