package rewrite

import (
	"go/ast"
	"go/types"

	"github.com/gopredict/gopredict/recorder/properties"
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
	alone := y == nil || before != "" || !e.hasCall(y)
	address := "&" + e.alone(e.address, x)
	if !e.stable(x) && !full {
		load := e.memory("Load", x, address, e.updateSite(x, true))
		site := e.site("write", x, e.source(x), false)
		return "*" + e.hook("Write") + "(" + e.accessed(properties.Writes, x, load, site) + "," + site + ")" + op + "=" + operand
	}
	keep := ""
	if !e.stable(x) {
		t := e.temp()
		keep = t + ":=" + e.onLines(x, s, address) + ";"
		address = t
	}
	load := "*" + e.memory("Load", x, address, e.updateSite(x, alone))
	if before == "" && y != nil && !e.hasCall(y) && e.lastHook(y).IsValid() {
		load = e.early(load)
	}
	text := e.memory("Store", x, address, e.site("write", x, e.source(x), false)) + ".Set(" + load + op + operand + ")"
	if before+keep == "" {
		return text
	}
	return e.sequence(s, before, keep+text)
}

// updateSite is the site of the load of x in x op= y. alone says that no call
// comes between the load and the store.
func (e *editor) updateSite(x ast.Expr, alone bool) string {
	text := e.site("read", x, e.source(x), isNumeric(e.info.TypeOf(x)))
	if alone {
		e.onlyUpdates()
	}
	return text
}

// onlyUpdates says of the site that was made last, a load's, that the value
// reaches only the store of its statement, to the same memory.
func (e *editor) onlyUpdates() { e.sites[len(e.sites)-1].Update = true }

// updates reports whether y, in x = y, may be computed from x without a call:
// then a load of x in it is like that of x op= y.
func (e *editor) updates(x, y ast.Expr) bool {
	if _, basic := underlying(e.info.TypeOf(x)).(*types.Basic); !basic {
		return false
	}
	ok := true
	ast.Inspect(y, func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); lit {
			ok = false
		}
		return ok
	})
	return ok && !e.hasCall(y)
}

// isUpdated reports whether x is the variable that the assignment stores to.
func (e *editor) isUpdated(x ast.Expr) bool {
	return e.updated != nil && e.source(x) == e.source(ast.Unparen(e.updated))
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
		if !e.beforeCall(ix.X) && !e.sharing.Elements(ix.X) {
			e.onlyUpdates()
			m = e.mapHookText("MapWrite", ix.X, m)
		}
		return e.in(x, at(ix.X, m), at(ix.Index, e.value(ix.Index)))
	}, x)
	if before == "" {
		return text + op + "=" + operand
	}
	return e.sequence(s, before, e.onLines(x, s, text)+op+"="+operand)
}

// updateOperand evaluates y of x op= y.
func (e *editor) updateOperand(op string, y ast.Expr) string {
	switch op {
	case "/", "%", "<<", ">>":
		return e.value(y) // may make it panic
	}
	return e.data(y)
}
