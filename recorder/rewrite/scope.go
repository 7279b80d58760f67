package rewrite

import (
	"go/ast"
	"go/token"
)

// An evaluationScope is a part of a statement whose calls are all evaluated before its loads: the
// operands of one statement, the operands of one call, or one operand of && or ||. Hooks are
// calls, too, so a load needs care if calls or hooks follow it in its scope.
type evaluationScope struct {
	lastCallStart token.Pos // largest start of a call or receive
	lastHookStart token.Pos // largest start of what may get a hook
	// finalCall is the last call or receive that is evaluated in any case.
	// postponed are hooks that have to be called after it, each for loads before it.
	finalCall ast.Expr
	postponed []string
}

// inScope renders text in a new scope that consists of nodes.
func (e *expressions) inScope(render func() string, nodes ...ast.Node) string {
	outer := e.scope
	e.scope = &evaluationScope{lastCallStart: e.lastCall(nodes...), lastHookStart: e.lastHook(nodes...), finalCall: e.finalCall(nodes...)}
	text := render()
	e.scope = outer
	return text
}

// inOwnScope renders the expression x in a scope of its own.
func (e *expressions) inOwnScope(render func(ast.Expr) string, x ast.Expr) string {
	return e.inScope(func() string { return render(x) }, x)
}

// beforeCall reports whether a call or receive follows x in its scope.
func (e *expressions) beforeCall(x ast.Expr) bool { return e.scope.lastCallStart >= x.End() }

// postpone calls the hook, whose text is rendered in a scope of its own, after
// the calls that follow x in its scope. It reports false if there is no place
// for it.
func (e *expressions) postpone(x ast.Expr, hook func() string) bool {
	s := e.scope
	if s.finalCall == nil || s.finalCall.Pos() < x.End() || e.isTuple(s.finalCall) {
		return false
	}
	s.postponed = append(s.postponed, e.inScope(hook))
	return true
}

// hookOrPostpone is the text that evaluates x with a hook: at once, or after the calls that follow
// x in its scope. There is no hook if x calls something itself, or has no place for it.
func (e *expressions) hookOrPostpone(x ast.Expr, hook func() string) string {
	switch {
	case !e.beforeCall(x):
		return hook()
	case e.hasCall(x):
		return e.valueText(x)
	}
	e.postpone(x, hook)
	return e.textOf(x)
}

// afterCalls renders x in a scope with the same hooks but without calls.
func (e *expressions) afterCalls(render func(ast.Expr) string, x ast.Expr) string {
	outer := e.scope
	e.scope = &evaluationScope{lastHookStart: outer.lastHookStart}
	text := render(x)
	e.scope = outer
	return text
}

// addPostponed adds the hooks that were put off until after x to text, which
// evaluates x.
func (e *expressions) addPostponed(x ast.Expr, text string) string {
	if x != e.scope.finalCall {
		return text
	}
	for _, hook := range e.scope.postponed {
		text = e.helper("then") + "(" + text + "," + hook + ")"
	}
	e.scope.postponed = nil
	return text
}
