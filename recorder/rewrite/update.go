package rewrite

import (
	"go/ast"

	"github.com/gopredict/gopredict/recorder/properties"
)

// incDec is the text of x++ or x--.
func (e *editor) incDec(s *ast.IncDecStmt, blockAllowed bool) string {
	return update{e.expressions, s, s.X, s.Tok.String()[:1], nil, blockAllowed}.text()
}

// An update is x op= y in the making, where y is nil for x++ and x--. The address
// of x is evaluated once.
type update struct {
	*expressions
	stmt         ast.Stmt
	variable     ast.Expr
	operator     string
	rightOperand ast.Expr
	blockAllowed bool // a block may stand in its place
}

// text is the text of the update.
func (u update) text() string {
	s, x, op, y, blockAllowed := u.stmt, u.variable, u.operator, u.rightOperand, u.blockAllowed
	_, element := u.mapElement(x)
	switch {
	case element:
		return u.updateElement()
	case !u.storeNeedsHook(x):
		ps := []piece{replace(x, u.targetText(x))}
		if y != nil {
			ps = append(ps, replace(y, u.operand()))
		}
		return u.spliceNode(s, ps...)
	case y != nil && u.hasCall(y) && !u.hasStableAddress(x) && (!blockAllowed || u.hasCall(x) || u.isUntyped(y)):
		return u.spliceNode(s, replace(y, u.inOwnScope(u.valueText, y)))
	}
	before, operand := u.heldOperand(blockAllowed)
	alone := y == nil || before != "" || !u.hasCall(y)
	address := "&" + u.inOwnScope(u.address, x)
	if !u.hasStableAddress(x) && !blockAllowed {
		load := u.accessHook("Load", x, address, u.updateSite(x, true))
		site := u.site("write", x, u.textOf(x), false)
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
	text := u.accessHook("Store", x, address, u.site("write", x, u.textOf(x), false)) + ".Set(" + load + op + operand + ")"
	if before+keep == "" {
		return text
	}
	return u.twoPartBlock(s, before, keep+text)
}

// isUpdated reports whether x is the variable that the assignment stores to.
func (e *expressions) isUpdated(x ast.Expr) bool {
	return e.updatedVar != nil && e.textOf(x) == e.textOf(ast.Unparen(e.updatedVar))
}

// heldOperand is the right operand of an update. If it contains calls, and blockAllowed, it is evaluated beforehand.
func (u update) heldOperand(blockAllowed bool) (before, operand string) {
	y := u.rightOperand
	if y == nil {
		return "", "1"
	}
	text := u.inScope(func() string { return u.operand() }, y)
	if !blockAllowed || !u.hasCall(y) || u.isUntyped(y) {
		return "", "(" + text + ")"
	}
	t := u.temp()
	return t + ":=" + text + ";", t
}

// updateElement is text for an element of a map.
func (u update) updateElement() string {
	s, x, op, y := u.stmt, u.variable, u.operator, u.rightOperand
	before, operand := u.heldOperand(u.blockAllowed && !u.hasCall(x))
	ix, _ := u.mapElement(x)
	if before == "" && y != nil && u.hasCall(y) {
		return u.spliceNode(s, replace(y, u.inOwnScope(u.valueText, y)))
	}
	text := u.inScope(func() string {
		m := u.mapHook("MapRead", ix.X)
		if !u.beforeCall(ix.X) && !u.skipsElements(ix.X) {
			u.onlyUpdates()
			m = u.mapHookText("MapWrite", ix.X, m)
		}
		return u.spliceNode(x, replace(ix.X, m), replace(ix.Index, u.valueText(ix.Index)))
	}, x)
	if before == "" {
		return text + op + "=" + operand
	}
	return u.twoPartBlock(s, before, u.keepLines(x, s, text)+op+"="+operand)
}

// operand evaluates y.
func (u update) operand() string {
	switch u.operator {
	case "/", "%", "<<", ">>":
		return u.valueText(u.rightOperand) // may make it panic
	}
	return u.dataValue(u.rightOperand)
}
