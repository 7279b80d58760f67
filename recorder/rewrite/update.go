package rewrite

import (
	"go/ast"

	"github.com/gopredict/gopredict/recorder/properties"
)

// incDec is the text of x++ or x--.
func (e *editor) incDec(s *ast.IncDecStmt, full bool) string {
	return update{e.expressions, s, s.X, s.Tok.String()[:1], nil, full}.text()
}

// An update is x op= y in the making, where y is nil for x++ and x--. The address
// of x is evaluated once.
type update struct {
	*expressions
	stmt ast.Stmt
	x    ast.Expr
	op   string
	y    ast.Expr
	full bool // a block may stand in its place
}

// text is the text of the update.
func (u update) text() string {
	s, x, op, y, full := u.stmt, u.x, u.op, u.y, u.full
	_, element := u.mapElement(x)
	switch {
	case element:
		return u.updateElement()
	case !u.storeNeedsHook(x):
		ps := []piece{replace(x, u.target(x))}
		if y != nil {
			ps = append(ps, replace(y, u.operand()))
		}
		return u.spliceNode(s, ps...)
	case y != nil && u.hasCall(y) && !u.hasStableAddress(x) && (!full || u.hasCall(x) || u.isUntyped(y)):
		return u.spliceNode(s, replace(y, u.inOwnScope(u.value, y)))
	}
	before, operand := u.heldOperand(full)
	alone := y == nil || before != "" || !u.hasCall(y)
	address := "&" + u.inOwnScope(u.address, x)
	if !u.hasStableAddress(x) && !full {
		load := u.accessHook("Load", x, address, u.updateSite(x, true))
		site := u.site("write", x, u.source(x), false)
		return "*" + u.hook("Write") + "(" + u.noteFieldAccess(properties.Writes, x, load, site) + "," + site + ")" + op + "=" + operand
	}
	keep := ""
	if !u.hasStableAddress(x) {
		t := u.temp()
		keep = t + ":=" + u.keepLines(x, s, address) + ";"
		address = t
	}
	load := "*" + u.accessHook("Load", x, address, u.updateSite(x, alone))
	if before == "" && y != nil && !u.hasCall(y) && u.lastHook(y).IsValid() {
		load = u.loadNow(load)
	}
	text := u.accessHook("Store", x, address, u.site("write", x, u.source(x), false)) + ".Set(" + load + op + operand + ")"
	if before+keep == "" {
		return text
	}
	return u.twoPartBlock(s, before, keep+text)
}

// isUpdated reports whether x is the variable that the assignment stores to.
func (e *expressions) isUpdated(x ast.Expr) bool {
	return e.updated != nil && e.source(x) == e.source(ast.Unparen(e.updated))
}

// heldOperand is the right operand of an update. If it contains calls, and full, it is evaluated beforehand.
func (u update) heldOperand(full bool) (before, operand string) {
	y := u.y
	if y == nil {
		return "", "1"
	}
	text := u.inScope(func() string { return u.operand() }, y)
	if !full || !u.hasCall(y) || u.isUntyped(y) {
		return "", "(" + text + ")"
	}
	t := u.temp()
	return t + ":=" + text + ";", t
}

// updateElement is text for an element of a map.
func (u update) updateElement() string {
	s, x, op, y := u.stmt, u.x, u.op, u.y
	before, operand := u.heldOperand(u.full && !u.hasCall(x))
	ix, _ := u.mapElement(x)
	if before == "" && y != nil && u.hasCall(y) {
		return u.spliceNode(s, replace(y, u.inOwnScope(u.value, y)))
	}
	text := u.inScope(func() string {
		m := u.mapHook("MapRead", ix.X)
		if !u.beforeCall(ix.X) && !u.sharing.SkipsElements(ix.X) {
			u.onlyUpdates()
			m = u.mapHookText("MapWrite", ix.X, m)
		}
		return u.spliceNode(x, replace(ix.X, m), replace(ix.Index, u.value(ix.Index)))
	}, x)
	if before == "" {
		return text + op + "=" + operand
	}
	return u.twoPartBlock(s, before, u.keepLines(x, s, text)+op+"="+operand)
}

// operand evaluates y.
func (u update) operand() string {
	switch u.op {
	case "/", "%", "<<", ">>":
		return u.value(u.y) // may make it panic
	}
	return u.data(u.y)
}
