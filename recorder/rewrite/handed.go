package rewrite

import (
	"go/ast"
	"go/types"
)

// This file puts in the events that tell what functions hand to each other; see
// dataflow.Flow.

// noteStmt is the statement that notes an event of the operation op at n.
func (w *hookWriter) noteStmt(op string, n ast.Node) string {
	return w.hook("Mark") + "(" + w.site(op, n, w.handedText(n), false) + ");"
}

// noteAfterExpr is the text that evaluates an expression, as text does, and notes such an event.
func (w *hookWriter) noteAfterExpr(op string, n ast.Node, text string) string {
	return w.hook("Marked") + "(" + text + "," + w.site(op, n, w.handedText(n), false) + ")"
}

// handedText is what the site of n shows.
func (w *hookWriter) handedText(n ast.Node) string {
	if _, ok := n.(*ast.BlockStmt); ok {
		return w.funcName
	}
	return w.textOf(n)
}

// noteEntry is the statement that notes that a function with the body begins.
func (w *hookWriter) noteEntry(body *ast.BlockStmt) string {
	if !w.handsOver("enter", body) {
		return ""
	}
	return w.noteStmt("enter", body)
}

// markLastArgument notes at which operand of c, a call, its arguments are complete.
func (e *expressions) markLastArgument(c *ast.CallExpr) {
	if len(c.Args) == 0 || c == e.deferredCall || !e.handsOver("call", c) {
		return
	}
	if x := e.evaluatedLast(c.Args, 0, len(c.Args)); x != nil && e.keepsType(x) {
		e.completedAt[x] = c
	}
}

// noteConstantArguments is the statement that notes the arguments of the call that s consists of,
// where they are all constant.
func (w *hookWriter) noteConstantArguments(s ast.Stmt) string {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	c, ok := ast.Unparen(x.X).(*ast.CallExpr)
	if !ok || len(c.Args) == 0 || w.hasCall(c.Fun) || !w.handsOver("call", c) {
		return ""
	}
	for _, arg := range c.Args {
		if !w.isConstant(arg) {
			return ""
		}
	}
	return w.noteStmt("call", c)
}

// noteResult is the text that evaluates the call c, as text does, and notes its result.
func (e *expressions) noteResult(c *ast.CallExpr, text string) string {
	t := e.info.TypeOf(c)
	if c == e.deferredCall || t == nil || e.isTuple(c) || e.info.Types[c].IsVoid() || !e.handsOver("result", c) {
		return text
	}
	site := e.site("result", c, e.textOf(c), false)
	if what := valueKind(t); what != 0 {
		return e.hook("OperandOf") + "(" + text + "," + hookHead(site, what) + ")"
	}
	return e.hook("Operand") + "(" + text + "," + site + ")"
}

// noteTupleResults is the statement that notes the results of the call that s assigns, if
// these are several.
func (w *hookWriter) noteTupleResults(s ast.Stmt) string {
	c := w.tupleCall(s)
	if c == nil {
		return ""
	}
	return ";" + w.noteStmt("result", c)
}

// noteInitResults is the text of a condition, which is text, after the statement init: with
// a note of the results of the call in that.
func (w *hookWriter) noteInitResults(init ast.Stmt, cond ast.Expr, text string) string {
	if init == nil || w.info.TypeOf(cond) == nil || !types.Identical(types.Default(w.info.TypeOf(cond)), types.Typ[types.Bool]) {
		return text
	}
	c := w.tupleCall(init)
	if c == nil {
		return text
	}
	return w.hook("Marked") + "(true," + w.site("result", c, w.textOf(c), false) + ")&&" + text
}

// noteReturn is what comes before the return statement, and the result at which all of
// them are evaluated, if there are events for that.
func (e returnEdit) noteReturn() (before string, last ast.Expr) {
	s := e.stmt
	if !e.handsOver("return", s) {
		return "", nil
	}
	constant := true // or named
	for _, x := range s.Results {
		constant = constant && e.isConstant(x)
	}
	if constant {
		return e.noteStmt("return", s), nil
	}
	last = e.evaluatedLast(s.Results, 0, len(s.Results))
	if last == nil || !e.keepsType(last) {
		return "", nil
	}
	return "", last
}
