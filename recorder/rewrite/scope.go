package rewrite

import (
	"go/ast"
	"go/token"
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
func (e *expressions) within(render func() string, nodes ...ast.Node) string {
	outer := e.scope
	e.scope = &scope{lastCall: e.lastCall(nodes...), lastHook: e.lastHook(nodes...), final: e.finalCall(nodes...)}
	text := render()
	e.scope = outer
	return text
}

// alone renders the expression x in a scope of its own.
func (e *expressions) alone(render func(ast.Expr) string, x ast.Expr) string {
	return e.within(func() string { return render(x) }, x)
}

// beforeCall reports whether a call or receive follows x in its scope.
func (e *expressions) beforeCall(x ast.Expr) bool { return e.scope.lastCall >= x.End() }

// postpone calls the hook, whose text is rendered in a scope of its own, after
// the calls that follow x in its scope. It reports false if there is no place
// for it.
func (e *expressions) postpone(x ast.Expr, hook func() string) bool {
	s := e.scope
	if s.final == nil || s.final.Pos() < x.End() || e.isTuple(s.final) {
		return false
	}
	s.late = append(s.late, e.within(hook))
	return true
}

// afterCalls renders x in a scope with the same hooks but without calls.
func (e *expressions) afterCalls(render func(ast.Expr) string, x ast.Expr) string {
	outer := e.scope
	e.scope = &scope{lastHook: outer.lastHook}
	text := render(x)
	e.scope = outer
	return text
}

// settle adds the hooks that were put off until after x to text, which
// evaluates x.
func (e *expressions) settle(x ast.Expr, text string) string {
	if x != e.scope.final {
		return text
	}
	for _, hook := range e.scope.late {
		text = e.helper("then") + "(" + text + "," + hook + ")"
	}
	e.scope.late = nil
	return text
}
