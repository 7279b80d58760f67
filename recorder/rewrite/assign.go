package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/properties"
)

// An assignment is one in the making, or a short variable declaration. blockAllowed is as for
// stmtText.
type assignment struct {
	*expressions
	stmt         *ast.AssignStmt
	blockAllowed bool
}

// text is the text of the assignment.
func (a assignment) text() string {
	s := a.stmt
	switch {
	case s.Tok == token.DEFINE:
		return a.defineText()
	case s.Tok != token.ASSIGN:
		op := strings.TrimSuffix(s.Tok.String(), "=")
		return update{a.expressions, s, s.Lhs[0], op, s.Rhs[0], a.blockAllowed}.text()
	case len(s.Lhs) == 1:
		return a.assignOne()
	case a.blockAllowed:
		return a.assignMany()
	case len(s.Lhs) == 2 && len(s.Rhs) == 2 && a.storesBothInOne(s):
		return a.assignTwo()
	}
	return a.withoutStoreHooks()
}

// assignTwo is the text of x, y = v, w, which paired says can have hooks.
func (a assignment) assignTwo() string {
	s := a.stmt
	var refs, values []string
	for i, x := range s.Lhs {
		site := a.site("write", x, a.textOf(x), false)
		refs = append(refs, a.hook("Store")+"("+a.noteFieldAccess(properties.Writes, x, "&"+a.inOwnScope(a.address, x), site)+","+site+")")
		values = append(values, a.inOwnScope(a.dataValue, s.Rhs[i]))
	}
	return a.hook("Both") + "(" + strings.Join(refs, ",") + ").Set(" + strings.Join(values, ",") + ")"
}

// withoutStoreHooks is the text of an assignment without hooks for its stores.
func (a assignment) withoutStoreHooks() string {
	s := a.stmt
	var ps []piece
	for _, x := range s.Lhs {
		ps = append(ps, replace(x, a.targetText(x)))
	}
	for _, x := range s.Rhs {
		ps = append(ps, replace(x, a.dataValue(x)))
	}
	return a.spliceNode(s, ps...)
}

// targetText is the text of an operand on the left-hand side of an assignment,
// with hooks for the loads that select it.
func (a *expressions) targetText(x ast.Expr) string {
	if isBlank(x) {
		return a.textOf(x)
	}
	if ix, ok := a.mapElement(x); ok {
		return a.spliceNode(x, replace(ix.X, a.valueText(ix.X)), replace(ix.Index, a.valueText(ix.Index)))
	}
	return a.address(x)
}

// assignOne is the text of x = y.
func (a assignment) assignOne() string {
	s := a.stmt
	lhs, rhs := s.Lhs[0], s.Rhs[0]
	if ix, ok := a.mapElement(lhs); ok {
		return a.assignElement(ix)
	}
	if !a.storeNeedsHook(lhs) {
		return a.withoutStoreHooks()
	}
	if a.computesFrom(lhs, rhs) {
		a.updatedVar = lhs
		defer func() { a.updatedVar = nil }()
	}
	direct := func() string {
		gap := a.textBetween(lhs.End(), s.TokPos) + a.textBetween(s.TokPos+1, rhs.Pos())
		return a.store(lhs, a.inOwnScope(a.address, lhs), gap+a.inOwnScope(a.dataValue, rhs))
	}
	if a.hasStableAddress(lhs) || a.neitherPanicsNorCalls(rhs) {
		return direct()
	}
	t := ""
	if a.blockAllowed {
		t = a.temp()
	}
	hold, ok := a.assignableFromTemporary(rhs, a.info.TypeOf(lhs), t)
	switch {
	case a.blockAllowed && ok:
		p := a.assigneeAlone(lhs, false)
		return a.twoPartBlock(s, p.define()+t+":="+a.inOwnScope(a.dataValue, rhs)+";", a.store(lhs, a.keepLines(lhs, s, p.text), hold))
	case !a.hasCall(rhs):
		return direct()
	}
	return a.spliceNode(s, replace(rhs, a.inOwnScope(a.dataValue, rhs)))
}

// assignElement is the text of m[k] = v.
func (a assignment) assignElement(ix *ast.IndexExpr) string {
	s := a.stmt
	rhs := s.Rhs[0]
	if a.blockAllowed && a.hasCall(rhs) {
		t := a.temp()
		if hold, ok := a.assignableFromTemporary(rhs, a.info.TypeOf(s.Lhs[0]), t); ok {
			p := a.assigneeAlone(s.Lhs[0], false)
			return a.twoPartBlock(s, p.define()+t+":="+a.inOwnScope(a.dataValue, rhs)+";", a.keepLines(s.Lhs[0], s, p.text)+"="+hold)
		}
	}
	return a.spliceNode(s, replace(ix.X, a.mapHook("MapWrite", ix.X)), replace(ix.Index, a.valueText(ix.Index)), replace(rhs, a.dataValue(rhs)))
}

// defineText is the text of a short variable declaration. The variables that it
// declares are not shared yet; those that it only assigns may be.
func (a assignment) defineText() string {
	s := a.stmt
	var ps []piece
	behind := ""
	for i, x := range s.Lhs {
		id := x.(*ast.Ident)
		v, ok := a.info.Uses[id].(*types.Var)
		if !a.blockAllowed || !ok || !a.isSharedVar(v) || a.hasNoSize(v.Type()) {
			continue
		}
		if len(s.Rhs) == 1 {
			t := a.temp()
			ps = append(ps, replace(id, t))
			behind += ";" + a.store(id, id.Name, a.assignedText(s, i, t))
			continue
		}
		behind += ";" + a.hook("Write") + "(&" + id.Name + "," + a.site("write", id, id.Name, false) + ")"
	}
	for _, x := range s.Rhs {
		ps = append(ps, replace(x, a.dataValue(x)))
	}
	return a.spliceNode(s, ps...) + behind
}

// assignMany is the text of an assignment with several operands on the left.
// Their operands and the right-hand sides are evaluated first, then the
// assignments happen from left to right.
func (a assignment) assignMany() string {
	s := a.stmt
	hooked := false
	for _, x := range s.Lhs {
		_, element := a.mapElement(x)
		hooked = hooked || element || a.storeNeedsHook(x)
	}
	if !hooked {
		return a.withoutStoreHooks()
	}
	if len(s.Rhs) != len(s.Lhs) {
		return a.assignTuple()
	}
	var before temporaries
	var stores []string
	var assignees []assignee
	for _, x := range s.Lhs {
		p := assignee{text: "_"}
		if !isBlank(x) {
			p = a.assignee(x, true)
		}
		before.add(p.temporaries)
		assignees = append(assignees, p)
	}
	for i, x := range s.Rhs {
		v, ok := a.holdValue(&before, s.Rhs, i, a.info.TypeOf(s.Lhs[i]))
		if !ok {
			return a.withoutStoreHooks()
		}
		if isBlank(s.Lhs[i]) && a.isConstant(x) {
			continue
		}
		stores = append(stores, a.assignTo(i, assignees[i], v))
	}
	return a.twoPartBlock(s, before.define(), strings.Join(stores, ";"))
}

// assignTo is the statement that assigns v to the left-hand side number i of
// s, which p took apart.
func (a assignment) assignTo(i int, p assignee, v string) string {
	s := a.stmt
	x := s.Lhs[i]
	text := a.keepLines(x, s, p.text)
	if a.storeNeedsHook(x) {
		return a.store(x, text, v)
	}
	if r := receiveOf(s); r != nil && a.communication == ast.Node(r) && a.spansLines(x, s) {
		text += a.lineDirective(s.Pos()) // a select stores on the first line of its clause
	}
	return text + "=" + v
}

// assignTuple is the text of an assignment of the results of a call, or of an
// expression and its ok.
func (a assignment) assignTuple() string {
	s := a.stmt
	if slices.ContainsFunc(s.Lhs, func(x ast.Expr) bool { return a.hasCall(x) }) {
		return a.withoutStoreHooks() // its calls come first: rare
	}
	temps, stores := a.storesOfTemporaries()
	return a.twoPartBlock(s, strings.Join(temps, ",")+":="+a.inOwnScope(a.valueText, s.Rhs[0])+";", stores)
}

// storesOfTemporaries returns the names of temporaries for the results of the right-hand side, and
// the statements that assign these: the operands on the left are evaluated before the first store.
func (a assignment) storesOfTemporaries() (temps []string, text string) {
	var operands temporaries
	var stores []string
	for i, x := range a.stmt.Lhs {
		if isBlank(x) {
			temps = append(temps, "_")
			continue
		}
		t := a.temp()
		temps = append(temps, t)
		p := a.assigneeAlone(x, true)
		operands.add(p.temporaries)
		stores = append(stores, a.assignTo(i, p, a.assignedText(a.stmt, i, t)))
	}
	return temps, operands.define() + strings.Join(stores, ";")
}
