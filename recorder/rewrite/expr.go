package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// expressions are the text of expressions, with their hooks. What differs by where an
// expression stands is in the fields: the scope of calls, and the statement around it.
type expressions struct {
	*hookWriter
	release string // see Options.Release
	// renderLiteral returns the text of a function literal.
	renderLiteral func(*ast.FuncLit) string
	// results are the results of the function that is being rewritten.
	results *ast.FieldList

	scope        *evaluationScope
	deferredCall *ast.CallExpr // the call of the go or defer statement being rewritten
	// discardedCall is the call that the expression statement being rewritten consists of.
	// updatedVar is the variable that the assignment being rewritten stores to, if the stored
	// value may be computed from it.
	discardedCall *ast.CallExpr
	updatedVar    ast.Expr
	// communication is the send or receive of the clause of a select that is being rewritten.
	communication    ast.Node
	faultsAtOperator map[ast.Expr]token.Pos   // see findStoreFaults
	joinedConditions map[*ast.BinaryExpr]bool // see join
}

// valueText is the text that evaluates x, with a hook for each load of shared
// memory.
func (e *expressions) valueText(x ast.Expr) string { return e.exprText(x, false) }

// dataValue is valueText for an x whose value is only stored or computed with.
func (e *expressions) dataValue(x ast.Expr) string { return e.exprText(x, true) }

// valuesOfChildren is the text of n with hooks in the expressions xs, which are parts of n.
func (e *expressions) valuesOfChildren(n ast.Node, xs ...ast.Expr) string {
	return e.spliceNode(n, e.valuePieces(xs)...)
}

// valuePieces returns the texts that evaluate those of xs that are not nil.
func (e *expressions) valuePieces(xs []ast.Expr) []piece {
	var ps []piece
	for _, x := range xs {
		if x != nil {
			ps = append(ps, replace(x, e.valueText(x)))
		}
	}
	return ps
}

// exprText is the text that evaluates x. flow says that the value of x flows only
// to memory or arithmetic within its statement.
func (e *expressions) exprText(x ast.Expr, flow bool) string {
	text := e.plainExpr(x, flow)
	if c, ok := x.(*ast.CallExpr); ok {
		text = e.noteResult(c, text)
	}
	if e.isOperand(x) {
		text = e.operandOrPostpone(x, text)
	}
	if c := e.assertionAt[x]; c != nil {
		text = e.hook("Assert") + "(" + text + "," + e.site("assert", c, e.textOf(c), false) + ")"
	}
	switch n := e.completedAt[x].(type) {
	case *ast.CallExpr:
		text = e.noteAfterExpr("call", n, text)
	case *ast.ReturnStmt:
		text = e.noteAfterExpr("return", n, text)
	}
	return text
}

// operandOrPostpone is the text that evaluates x, as text does, with a hook that notes its value: at
// once, or after the calls that follow x in its scope, which may change a variable in x. There is
// no hook if there is no place for it.
func (e *expressions) operandOrPostpone(x ast.Expr, text string) string {
	id, _ := x.(*ast.Ident)
	if !e.beforeCall(x) || e.isCall(x) || id != nil && e.isPrivate(id) {
		return e.operand(x, text)
	}
	if e.neitherPanicsNorCalls(x) {
		e.postpone(x, func() string { return e.operand(x, e.textOf(x)) })
	}
	return text
}

// plainExpr is exprText without hooks for operands and assertions.
func (e *expressions) plainExpr(x ast.Expr, flow bool) string {
	tv := e.info.Types[x]
	if tv.IsType() || tv.IsBuiltin() || e.isConstant(x) {
		return e.textOf(x)
	}
	switch x := x.(type) {
	case *ast.Ident, *ast.StarExpr:
		return e.load(x, flow)
	case *ast.ParenExpr:
		return e.spliceNode(x, replace(x.X, e.exprText(x.X, flow)))
	case *ast.FuncLit:
		return e.renderLiteral(x)
	case *ast.CompositeLit:
		return e.compositeLit(x)
	case *ast.SelectorExpr:
		return selectorEdit{e, x}.selectorText(flow)
	case *ast.IndexExpr:
		return e.index(x, flow)
	case *ast.SliceExpr:
		return e.sliceExpr(x)
	case *ast.TypeAssertExpr:
		return e.spliceNode(x, replace(x.X, e.valueText(x.X)))
	case *ast.CallExpr:
		return e.addPostponed(x, e.call(x, flow))
	case *ast.UnaryExpr:
		switch x.Op {
		case token.AND:
			return e.spliceNode(x, replace(x.X, e.address(x.X)))
		case token.ARROW:
			if text, ok := e.fieldReceive(x); ok {
				return e.addPostponed(x, text)
			}
			return e.addPostponed(x, e.spliceNode(x, replace(x.X, e.valueText(x.X))))
		}
		return e.spliceNode(x, replace(x.X, e.exprText(x.X, flow)))
	case *ast.BinaryExpr:
		return e.binary(x, flow)
	}
	return e.textOf(x)
}

// address is the text of the addressable operand x without a load of x itself,
// but with hooks for the loads on the way to it. For an operand that is not
// addressable it is the operand's value.
func (e *expressions) address(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return e.textOf(x)
	case *ast.ParenExpr:
		return e.spliceNode(x, replace(x.X, e.address(x.X)))
	case *ast.StarExpr:
		return e.onFaultLine(x, e.spliceNode(x, replace(x.X, e.valueText(x.X))))
	case *ast.SelectorExpr:
		if sel := e.info.Selections[x]; sel == nil {
			return e.textOf(x)
		} else if sel.Kind() == types.FieldVal {
			return selectorEdit{e, x}.followPath(sel.Index()[:len(sel.Index())-1]).text + e.onFaultLine(x, e.textBetween(x.X.End(), x.End()))
		}
	case *ast.IndexExpr:
		switch coreType(e.info.TypeOf(x.X)).(type) {
		case *types.Array:
			return e.spliceNode(x, replace(x.X, e.address(x.X)), replace(x.Index, e.valueText(x.Index)))
		case *types.Slice, *types.Pointer:
			return e.spliceNode(x, replace(x.X, e.valueText(x.X)), replace(x.Index, e.valueText(x.Index)))
		case nil: // a type parameter, for slices and arrays alike
			return e.spliceNode(x, replace(x.X, e.address(x.X)), replace(x.Index, e.valueText(x.Index)))
		}
	}
	return e.valueText(x)
}

// load is the text that loads x, with a hook if x is a variable that may be
// shared.
//
// Calls that follow in the scope come before the load. The hook is put off
// until after them, together with the evaluation of the address, which could
// otherwise be another one, or panic too early. If there is no place for it
// there, it is called where x stands, provided that the address is certain.
func (e *expressions) load(x ast.Expr, flow bool) string {
	t := e.info.TypeOf(x)
	if !e.info.Types[x].Addressable() || !e.isShared(x) || e.hasNoSize(t) {
		return e.address(x)
	}
	hook := func() string {
		text := e.accessHook("Load", x, "&"+e.address(x), e.site("read", x, e.textOf(x), flow && isNumeric(t)))
		if flow && e.isUpdated(x) {
			e.onlyUpdates()
		}
		return text
	}
	switch {
	case !e.beforeCall(x):
		text := "*" + hook()
		if e.scope.lastHookStart >= x.End() {
			return e.loadNow(text)
		}
		return "(" + text + ")"
	case e.hasCall(x):
		return e.address(x)
	case e.postpone(x, hook):
		return e.textOf(x)
	case e.hasStableAddress(x):
		return "(*" + hook() + ")"
	}
	return e.textOf(x)
}

// compositeLit evaluates the elements of x.
func (e *expressions) compositeLit(x *ast.CompositeLit) string {
	_, isStruct := coreType(e.info.TypeOf(x)).(*types.Struct)
	if ptr, ok := coreType(e.info.TypeOf(x)).(*types.Pointer); ok {
		_, isStruct = coreType(ptr.Elem()).(*types.Struct) // of &T{} where &T is left out
	}
	var ps []piece
	for _, elt := range x.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			ps = append(ps, replace(elt, e.dataValue(elt)))
			continue
		}
		if !isStruct {
			ps = append(ps, replace(kv.Key, e.valueText(kv.Key)))
		}
		ps = append(ps, replace(kv.Value, e.dataValue(kv.Value)))
	}
	return e.spliceNode(x, ps...)
}

// binary evaluates both operands. The right operand of && and || is evaluated
// only if the left one says so: that is a branch.
func (e *expressions) binary(x *ast.BinaryExpr, flow bool) string {
	switch x.Op {
	case token.LAND, token.LOR:
		left := e.conditionText
		if e.joinedConditions[x] {
			left = func(x ast.Expr) string { return e.inOwnScope(e.valueText, x) }
		}
		return e.spliceNode(x, replace(x.X, left(x.X)), replace(x.Y, e.inScope(func() string { return e.exprText(x.Y, flow) }, x.Y)))
	case token.QUO, token.REM, token.SHL, token.SHR:
		return e.spliceNode(x, replace(x.X, e.exprText(x.X, flow)), replace(x.Y, e.valueText(x.Y))) // y may make it panic
	}
	return e.spliceNode(x, replace(x.X, e.exprText(x.X, flow)), replace(x.Y, e.exprText(x.Y, flow)))
}

// conditionText is the text that evaluates x and notes the outcome as a branch.
func (e *expressions) conditionText(x ast.Expr) string {
	if e.isConstant(x) {
		return e.textOf(x)
	}
	if e.onlyMemory || e.sharing.SkipsBranch(x) {
		return e.inOwnScope(e.valueText, x)
	}
	e.joinConditions(x)
	return e.hook("Branch") + "(" + e.inOwnScope(e.valueText, x) + "," + e.site("branch", x, e.textOf(x), false) + ")"
}

// joinConditions notes of which && and || in x, a condition whose outcome is noted, the left
// operand is no branch of its own: whether the right one is evaluated makes no other
// difference than to the outcome. So a condition that fails by its left operand is one
// assertion, and not two of which the second can never fail.
func (e *expressions) joinConditions(x ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			e.joinConditions(x.X)
		}
	case *ast.BinaryExpr:
		if (x.Op == token.LAND || x.Op == token.LOR) && e.neitherPanicsNorCalls(x.Y) && !e.lastHook(x.Y).IsValid() {
			e.joinedConditions[x] = true
			e.joinConditions(x.X)
		}
	}
}

// sliceExpr evaluates x[i:j:k]; of an array it takes the address.
func (e *expressions) sliceExpr(x *ast.SliceExpr) string {
	operand := e.valueText
	if _, ok := coreType(e.info.TypeOf(x.X)).(*types.Array); ok {
		operand = e.address
	}
	ps := append([]piece{replace(x.X, operand(x.X))}, e.valuePieces([]ast.Expr{x.Low, x.High, x.Max})...)
	return e.spliceNode(x, ps...)
}

// index evaluates x[i], which may also be the instance of a generic function.
func (e *expressions) index(x *ast.IndexExpr, flow bool) string {
	if e.info.Types[x.Index].IsType() {
		return e.textOf(x)
	}
	if e.info.Types[x].Addressable() {
		return e.load(x, flow)
	}
	if _, ok := coreType(e.info.TypeOf(x.X)).(*types.Map); ok {
		return e.spliceNode(x, replace(x.X, e.mapHook("MapRead", x.X)), replace(x.Index, e.valueText(x.Index)))
	}
	return e.valuesOfChildren(x, x.X, x.Index)
}

// mapHook evaluates the map m with a hook that notes an access to it.
func (e *expressions) mapHook(fn string, m ast.Expr) string {
	if e.skipsElements(m) {
		return e.valueText(m)
	}
	return e.hookOrPostpone(m, func() string { return e.mapHookText(fn, m, e.valueText(m)) })
}
