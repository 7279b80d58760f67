package rewrite

import (
	"go/ast"
)

// incDec is the text of x++ or x--.
func (e *editor) incDec(s *ast.IncDecStmt, full bool) string {
	return e.update(s, s.X, s.Tok.String()[:1], nil, full)
}

// update is the text of x op= y, where y is nil for x++ and x--. The address
// of x is evaluated once.
func (e *editor) update(s ast.Stmt, x ast.Expr, op string, y ast.Expr, full bool) string {
	_, element := e.mapElement(x)
	switch {
	case element:
		return e.updateElement(s, x, op, y, full)
	case !e.storable(x):
		ps := []piece{at(x, e.target(x))}
		if y != nil {
			ps = append(ps, at(y, e.updateOperand(op, y)))
		}
		return e.in(s, ps...)
	case y != nil && e.hasCall(y) && !e.stable(x) && (!full || e.hasCall(x) || e.untyped(y)):
		return e.in(s, at(y, e.alone(e.value, y)))
	}
	before, operand := e.heldOperand(op, y, full)
	numeric := isNumeric(e.info.TypeOf(x))
	address := "&" + e.alone(e.address, x)
	if !e.stable(x) && !full {
		load := e.hook("Load") + "(" + address + "," + e.site("read", x, e.source(x), numeric) + ")"
		return "*" + e.hook("Write") + "(" + load + "," + e.site("write", x, e.source(x), false) + ")" + op + "=" + operand
	}
	keep := ""
	if !e.stable(x) {
		t := e.temp()
		keep = t + ":=" + address + ";"
		address = t
	}
	load := "*" + e.hook("Load") + "(" + address + "," + e.site("read", x, e.source(x), numeric) + ")"
	if before == "" && y != nil && !e.hasCall(y) && e.lastHook(y).IsValid() {
		load = e.early(load)
	}
	text := e.hook("Store") + "(" + address + "," + e.site("write", x, e.source(x), false) + ").Set(" + load + op + operand + ")"
	if before+keep == "" {
		return text
	}
	return e.sequence(s, before, keep+text)
}

// heldOperand is the right operand of an update. If it contains calls, and a
// block can be made, it is evaluated beforehand.
func (e *editor) heldOperand(op string, y ast.Expr, full bool) (before, operand string) {
	if y == nil {
		return "", "1"
	}
	text := e.within(func() string { return e.updateOperand(op, y) }, y)
	if !full || !e.hasCall(y) || e.untyped(y) {
		return "", "(" + text + ")"
	}
	t := e.temp()
	return t + ":=" + text + ";", t
}

// updateElement is update for an element of a map.
func (e *editor) updateElement(s ast.Stmt, x ast.Expr, op string, y ast.Expr, full bool) string {
	before, operand := e.heldOperand(op, y, full && !e.hasCall(x))
	ix, _ := e.mapElement(x)
	if before == "" && y != nil && e.hasCall(y) {
		return e.in(s, at(y, e.alone(e.value, y)))
	}
	text := e.within(func() string {
		m := e.mapHook("MapRead", ix.X)
		if !e.beforeCall(ix.X) {
			m = e.mapHookText("MapWrite", ix.X, m)
		}
		return e.in(x, at(ix.X, m), at(ix.Index, e.value(ix.Index)))
	}, x)
	text += op + "=" + operand
	if before == "" {
		return text
	}
	return e.sequence(s, before, text)
}

// updateOperand evaluates y of x op= y.
func (e *editor) updateOperand(op string, y ast.Expr) string {
	switch op {
	case "/", "%", "<<", ">>":
		return e.value(y) // may make it panic
	}
	return e.data(y)
}
