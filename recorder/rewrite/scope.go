package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A scope is a part of a statement whose calls are all evaluated before its
// loads: the operands of one statement, the operands of one call, or one
// operand of && or ||. Hooks are calls, too, so a load needs care if calls or
// hooks follow it in its scope.
type scope struct {
	lastCall token.Pos // largest start of a call or receive
	lastHook token.Pos // largest start of what may get a hook
	// final is the last call or receive that is evaluated in any case. What
	// late holds are hooks that have to be called after it, each with the
	// loads before it that it stands for.
	final ast.Expr
	late  []string
}

// within renders text in a new scope that consists of nodes.
func (e *editor) within(render func() string, nodes ...ast.Node) string {
	outer := e.scope
	e.scope = &scope{lastCall: e.lastCall(nodes...), lastHook: e.lastHook(nodes...), final: e.finalCall(nodes...)}
	text := render()
	e.scope = outer
	return text
}

// alone renders the expression x in a scope of its own.
func (e *editor) alone(render func(ast.Expr) string, x ast.Expr) string {
	return e.within(func() string { return render(x) }, x)
}

// evaluated calls do for each expression in nodes that is evaluated along with them, the
// outer ones first: what function literals do comes when they are called, and constants are
// none. Where do returns false, it is not called for the parts of that expression.
func (e *editor) evaluated(nodes []ast.Node, do func(ast.Expr) bool) {
	for _, root := range nodes {
		ast.Inspect(root, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if _, ok := x.(*ast.FuncLit); ok || e.constant(x) {
				return false
			}
			return do(x)
		})
	}
}

// lastHook is the largest start of an expression in nodes that may get a hook.
func (e *editor) lastHook(nodes ...ast.Node) token.Pos {
	last := token.NoPos
	e.evaluated(nodes, func(x ast.Expr) bool {
		if x.Pos() > last && e.mayHook(x) {
			last = x.Pos()
		}
		return true
	})
	return last
}

// mayHook reports whether evaluating x itself may call a hook.
func (e *editor) mayHook(x ast.Expr) bool {
	if e.asserted[x] != nil || e.complete[x] != nil || e.isOperand(x) {
		return true
	}
	switch x := x.(type) {
	case *ast.IndexExpr:
		if _, ok := underlying(e.info.TypeOf(x.X)).(*types.Map); ok {
			return true
		}
	case *ast.CallExpr:
		return !e.info.Types[x.Fun].IsType() || e.copiesToString(x)
	case *ast.SelectorExpr:
		if sel := e.info.Selections[x]; sel != nil && sel.Kind() == types.MethodVal {
			return true
		}
	case *ast.BinaryExpr:
		return x.Op == token.LAND || x.Op == token.LOR
	}
	return e.info.Types[x].Addressable() && e.shared(x)
}

// finalCall is the last call or receive that evaluating the nodes performs in
// any case and outside of the operands of other calls, nil if there is none.
func (e *editor) finalCall(nodes ...ast.Node) ast.Expr {
	var final ast.Expr
	e.evaluated(nodes, func(x ast.Expr) bool {
		if b, ok := x.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
			return false
		}
		if e.isCall(x) {
			if final == nil || x.Pos() > final.Pos() {
				final = x
			}
			return false
		}
		return true
	})
	return final
}

// beforeCall reports whether a call or receive follows x in its scope.
func (e *editor) beforeCall(x ast.Expr) bool { return e.scope.lastCall >= x.End() }

// postpone calls the hook, whose text is rendered in a scope of its own, after
// the calls that follow x in its scope. It reports false if there is no place
// for it.
func (e *editor) postpone(x ast.Expr, hook func() string) bool {
	s := e.scope
	if s.final == nil || s.final.Pos() < x.End() || e.isTuple(s.final) {
		return false
	}
	s.late = append(s.late, e.within(hook))
	return true
}

// afterCalls renders x in a scope with the same hooks but without calls.
func (e *editor) afterCalls(render func(ast.Expr) string, x ast.Expr) string {
	outer := e.scope
	e.scope = &scope{lastHook: outer.lastHook}
	text := render(x)
	e.scope = outer
	return text
}

// settle adds the hooks that were put off until after x to text, which
// evaluates x.
func (e *editor) settle(x ast.Expr, text string) string {
	if x != e.scope.final {
		return text
	}
	for _, hook := range e.scope.late {
		text = e.helper("then") + "(" + text + "," + hook + ")"
	}
	e.scope.late = nil
	return text
}

// early makes the load that text performs happen where it stands, before the
// hooks that follow.
func (e *editor) early(text string) string { return e.helper("now") + "(" + text + ")" }
