package rewrite

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/gopredict/gopredict/recorder/sharing"
)

// This file is about the state of a loop that ranges over a function: whether it is
// over, or in its body. Each call of the body reads and writes it, so that bodies that
// run at the same time race, also if they share nothing else. They can only where an
// iterator has its loop's body called by goroutines that it starts.

// noteSpread notes, at a use of the variable v, that a function that can be ranged over
// calls v, its loop's body, in another goroutine. stack are the nodes around the use.
func (f *variableFacts) noteSpread(v *types.Var, stack []ast.Node) {
	body, ok := types.Unalias(v.Type()).(*types.Signature)
	if !ok || body.Results().Len() != 1 {
		return
	}
	at := -1 // the iterator
	for i, n := range stack {
		var t *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncDecl:
			t = n.Type
		case *ast.FuncLit:
			t = n.Type
		default:
			continue
		}
		if t.Results == nil && t.Params.NumFields() == 1 && t.Params.Pos() <= v.Pos() && v.Pos() < t.Params.End() {
			at = i
		}
	}
	if at < 0 {
		return
	}
	for i := at + 1; i < len(stack); i++ {
		switch n := stack[i].(type) {
		case *ast.GoStmt:
			f.loopBodiesInGoroutines[body.Params().Len()] = true
		case *ast.FuncLit:
			if call, ok := stack[i-1].(*ast.CallExpr); ok && call.Fun != n && f.startsOperand(call) {
				f.loopBodiesInGoroutines[body.Params().Len()] = true
			}
		}
	}
}

// startsOperand reports whether c calls a function that has its operand called by another
// goroutine.
func (f *variableFacts) startsOperand(c *ast.CallExpr) bool {
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := f.info.Uses[sel.Sel].(*types.Func)
	return ok && sharing.RunsOperandLater(fn.Origin().FullName())
}

// noteLoopBody notes each call of the body of a loop that ranges over a function, before the
// call itself looks at the loop's state and panics if that is not what it should be.
func (r *rangeEdit) noteLoopBody(iterator *types.Signature) {
	body, ok := types.Unalias(iterator.Params().At(0).Type()).(*types.Signature)
	if !ok || r.onlyMemory || r.shadowsHelpers || !r.facts.loopBodiesInGoroutines[body.Params().Len()] {
		return
	}
	helper := r.helper("loop" + strconv.Itoa(body.Params().Len()))
	r.operand = helper + "(" + r.operand + "," + r.site("write", r.stmt, "range "+r.textOf(r.stmt.X), false) + ")"
	r.hooked = true
}
