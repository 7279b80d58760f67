package rewrite

import (
	"go/ast"
	"go/types"
)

// This file puts in the events that tell what functions hand to each other; see
// trace.Flow.

// hands reports whether an event of the operation op at n tells of what is handed over.
func (e *editor) hands(op string, n ast.Node) bool {
	s, ok := e.spot(op, n, "")
	return ok && e.provenance.Handed(s) > 0
}

// markStmt is the statement that notes an event of the operation op at n.
func (e *editor) markStmt(op string, n ast.Node) string {
	return e.hook("Mark") + "(" + e.site(op, n, e.handedName(n), false) + ");"
}

// markedExpr is the text that evaluates an expression, as text does, and notes such an event.
func (e *editor) markedExpr(op string, n ast.Node, text string) string {
	return e.hook("Marked") + "(" + text + "," + e.site(op, n, e.handedName(n), false) + ")"
}

// handedName is what the site of n shows.
func (e *editor) handedName(n ast.Node) string {
	if _, ok := n.(*ast.BlockStmt); ok {
		return e.fn
	}
	return e.source(n)
}

// entered is the statement that notes that a function with the body begins.
func (e *editor) entered(body *ast.BlockStmt) string {
	if !e.hands("enter", body) {
		return ""
	}
	return e.markStmt("enter", body)
}

// noteCall notes at which operand of c, a call, its arguments are complete.
func (e *editor) noteCall(c *ast.CallExpr) {
	if len(c.Args) == 0 || c == e.later || !e.hands("call", c) {
		return
	}
	if x := e.evaluatedLast(c.Args, 0, len(c.Args)); x != nil && e.passes(x) {
		e.complete[x] = c
	}
}

// passes reports whether x has the same type as the argument of a hook.
func (e *editor) passes(x ast.Expr) bool {
	t := e.info.TypeOf(x)
	return !e.untyped(x) || types.Identical(t, types.Typ[types.Bool]) || types.Identical(t, types.Typ[types.UntypedBool])
}

// callMark is the statement that notes the arguments of the call that s consists of,
// where they are all constant.
func (e *editor) callMark(s ast.Stmt) string {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	c, ok := ast.Unparen(x.X).(*ast.CallExpr)
	if !ok || len(c.Args) == 0 || e.hasCall(c.Fun) || !e.hands("call", c) {
		return ""
	}
	for _, arg := range c.Args {
		if !e.constant(arg) {
			return ""
		}
	}
	return e.markStmt("call", c)
}

// gotten is the text that evaluates the call c, as text does, and notes its result.
func (e *editor) gotten(c *ast.CallExpr, text string) string {
	t := e.info.TypeOf(c)
	if c == e.later || t == nil || e.isTuple(c) || e.info.Types[c].IsVoid() || !e.hands("result", c) {
		return text
	}
	site := e.site("result", c, e.source(c), false)
	if what := whatIs(t); what != 0 {
		return e.hook("OperandOf") + "(" + text + "," + head(site, what) + ")"
	}
	return e.hook("Operand") + "(" + text + "," + site + ")"
}

// tupleMark is the statement that notes the results of the call that s assigns, if
// these are several.
func (e *editor) tupleMark(s ast.Stmt) string {
	c := e.tupleCall(s)
	if c == nil {
		return ""
	}
	return ";" + e.markStmt("result", c)
}

func (e *editor) tupleCall(s ast.Stmt) *ast.CallExpr {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return nil
	}
	c, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok || !e.isTuple(c) || !e.hands("result", c) {
		return nil
	}
	return c
}

// afterInit is the text of a condition, which is text, after the statement init: with
// a note of the results of the call in that.
func (e *editor) afterInit(init ast.Stmt, cond ast.Expr, text string) string {
	if init == nil || e.info.TypeOf(cond) == nil || !types.Identical(types.Default(e.info.TypeOf(cond)), types.Typ[types.Bool]) {
		return text
	}
	c := e.tupleCall(init)
	if c == nil {
		return text
	}
	return e.hook("Marked") + "(true," + e.site("result", c, e.source(c), false) + ")&&" + text
}

// returned is what comes before the return statement s, and the result at which all of
// them are evaluated, if there are events for that.
func (e *editor) returned(s *ast.ReturnStmt) (before string, last ast.Expr) {
	if !e.hands("return", s) {
		return "", nil
	}
	constant := true // or named
	for _, x := range s.Results {
		constant = constant && e.constant(x)
	}
	if constant {
		return e.markStmt("return", s), nil
	}
	last = e.evaluatedLast(s.Results, 0, len(s.Results))
	if last == nil || !e.passes(last) {
		return "", nil
	}
	return "", last
}
