package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// temporaries are variables that keep what is evaluated before an assignment.
type temporaries struct{ names, inits []string }

// add adds others.
func (t *temporaries) add(others temporaries) {
	t.names, t.inits = append(t.names, others.names...), append(t.inits, others.inits...)
}

// define is the statement that declares the temporaries, if there are any.
func (t temporaries) define() string {
	if len(t.names) == 0 {
		return ""
	}
	return strings.Join(t.names, ",") + ":=" + strings.Join(t.inits, ",") + ";"
}

// holdValue returns the text of the value of xs[i], which is assigned to a variable of type to: a
// temporary of t, unless it is constant. It reports false if no temporary can have the value.
func (e *expressions) holdValue(t *temporaries, xs []ast.Expr, i int, to types.Type) (text string, ok bool) {
	x := xs[i]
	if e.isConstant(x) {
		return e.textOf(x), true
	}
	name := e.temp()
	if text, ok = e.assignableFromTemporary(x, to, name); !ok {
		return "", false
	}
	gap := ""
	if i > 0 {
		gap = e.newlines(xs[i-1].End(), x.Pos())
	}
	t.add(temporaries{[]string{name}, []string{gap + e.dataValue(x)}})
	return text, true
}

// An assignee is the left-hand side of an assignment, with the operands that have
// to be evaluated beforehand kept in temporaries.
type assignee struct {
	temporaries
	text string
}

// assignee keeps the operands of index expressions and pointer indirections in the left-hand side
// x in temporaries: with all each of them, otherwise only those that contain a call.
func (a assignment) assignee(x ast.Expr, all bool) assignee {
	var p assignee
	// operand is the text of x, whose value goes to a variable of type to.
	operand := func(x ast.Expr, to types.Type) string {
		if id, ok := x.(*ast.Ident); ok && a.isPrivate(id) && !a.assigns(a.stmt, id) || a.isConstant(x) {
			return a.textOf(x)
		}
		if !all && !a.hasCall(x) {
			return a.afterCalls(a.valueText, x)
		}
		name := a.temp()
		text, ok := a.assignableFromTemporary(x, to, name)
		if !ok {
			return a.afterCalls(a.valueText, x)
		}
		p.names, p.inits = append(p.names, name), append(p.inits, a.valueText(x))
		return text
	}
	var walk func(x ast.Expr) string
	walk = func(x ast.Expr) string {
		switch x := x.(type) {
		case *ast.ParenExpr:
			return "(" + walk(x.X) + ")"
		case *ast.StarExpr:
			return a.selectionLine(x, x.Pos()) + "*" + operand(x.X, nil)
		case *ast.SelectorExpr:
			sel := a.info.Selections[x]
			switch {
			case sel == nil:
			case isPointer(a.info.TypeOf(x.X)):
				return operand(x.X, nil) + a.selectionLine(x, x.X.End()) + "." + x.Sel.Name
			case sel.Indirect():
				return a.inOwnScope(a.address, x)
			default:
				return walk(x.X) + "." + x.Sel.Name
			}
		case *ast.IndexExpr:
			base, index := "", types.Type(types.Typ[types.Int])
			switch t := coreType(a.info.TypeOf(x.X)).(type) {
			case *types.Array:
				base = walk(x.X)
			case *types.Map:
				base, index = a.mapHookText("MapWrite", x.X, operand(x.X, nil)), t.Key()
			default:
				base = operand(x.X, nil)
			}
			return base + a.selectionLine(x, x.Lbrack) + "[" + operand(x.Index, index) + "]"
		}
		return a.textOf(x)
	}
	p.text = walk(x)
	return p
}

// assigneeAlone is assignee in a scope of its own.
func (a assignment) assigneeAlone(x ast.Expr, all bool) (p assignee) {
	p.text = a.inScope(func() string { p = a.assignee(x, all); return p.text }, x)
	return p
}

// selectionLine goes in front of the token at pos by which x, a part of a left-hand
// side, selects from what a temporary holds.
func (a assignment) selectionLine(x ast.Expr, pos token.Pos) string {
	switch {
	case !a.spansLines(x, a.stmt):
		return ""
	case a.faultsAtOperator[x].IsValid():
		return a.lineDirective(a.faultsAtOperator[x])
	}
	return a.lineDirective(pos)
}

// onFaultLine is text, which dereferences a pointer for x, on the line on which
// that panics.
func (e *expressions) onFaultLine(x ast.Expr, text string) string {
	if !e.faultsAtOperator[x].IsValid() {
		return text
	}
	return e.lineDirective(e.faultsAtOperator[x]) + text + e.lineDirective(x.End())
}

// findStoreFaults notes which dereferences in the left-hand sides of s panic on the line
// of the operator.
func (e *expressions) findStoreFaults(s ast.Stmt, lhs ...ast.Expr) {
	release, _, _ := strings.Cut(e.release, " ") // experiments may follow
	if !isOlder(release, "go1.27") {
		return
	}
	for _, x := range lhs {
		if d := e.dereference(x); d != nil && e.spansLines(x, s) && e.faultsAtStore(x, s) {
			e.faultsAtOperator[d] = operator(s)
		}
	}
}
