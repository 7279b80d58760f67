package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gopredict/gopredict/recorder/properties"
)

// assign is the text of an assignment or short variable declaration.
func (e *editor) assign(s *ast.AssignStmt, full bool) string {
	switch {
	case s.Tok == token.DEFINE:
		return e.define(s, full)
	case s.Tok != token.ASSIGN:
		op := strings.TrimSuffix(s.Tok.String(), "=")
		return e.update(s, s.Lhs[0], op, s.Rhs[0], full)
	case len(s.Lhs) == 1:
		return e.assignOne(s, full)
	case full:
		return e.assignMany(s)
	case len(s.Lhs) == 2 && len(s.Rhs) == 2 && e.paired(s):
		return e.assignTwo(s)
	}
	return e.plain(s)
}

// paired reports whether s, an assignment to two variables where no block may
// stand, can be one statement with hooks for both stores: the right-hand sides call
// nothing, and a store gets a hook.
func (e *editor) paired(s *ast.AssignStmt) bool {
	hooked := false
	for i, x := range s.Lhs {
		if blank(x) || !e.stable(x) || e.hasCall(s.Rhs[i]) || e.empty(e.info.TypeOf(x)) {
			return false
		}
		hooked = hooked || e.storable(x)
	}
	return hooked
}

// assignTwo is the text of x, y = v, w, which paired says can have hooks.
func (e *editor) assignTwo(s *ast.AssignStmt) string {
	var refs, values []string
	for i, x := range s.Lhs {
		site := e.site("write", x, e.source(x), false)
		refs = append(refs, e.hook("Store")+"("+e.accessed(properties.Writes, x, "&"+e.alone(e.address, x), site)+","+site+")")
		values = append(values, e.alone(e.data, s.Rhs[i]))
	}
	return e.hook("Both") + "(" + strings.Join(refs, ",") + ").Set(" + strings.Join(values, ",") + ")"
}

// plain is the text of an assignment without hooks for its stores.
func (e *editor) plain(s *ast.AssignStmt) string {
	var ps []piece
	for _, x := range s.Lhs {
		ps = append(ps, at(x, e.target(x)))
	}
	for _, x := range s.Rhs {
		ps = append(ps, at(x, e.data(x)))
	}
	return e.in(s, ps...)
}

// target is the text of an operand on the left-hand side of an assignment,
// with hooks for the loads that select it.
func (e *editor) target(x ast.Expr) string {
	if blank(x) {
		return e.source(x)
	}
	if ix, ok := e.mapElement(x); ok {
		return e.in(x, at(ix.X, e.value(ix.X)), at(ix.Index, e.value(ix.Index)))
	}
	return e.address(x)
}

// mapElement returns x as an index expression if it is an element of a map.
// Parentheses around it are kept by whoever splices at the node's own parts.
func (e *editor) mapElement(x ast.Expr) (*ast.IndexExpr, bool) {
	ix, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return nil, false
	}
	_, ok = underlying(e.info.TypeOf(ix.X)).(*types.Map)
	return ix, ok
}

// storable reports whether an assignment to x gets a hook.
func (e *editor) storable(x ast.Expr) bool {
	return !blank(x) && e.info.Types[x].Addressable() && e.shared(x) && !e.empty(e.info.TypeOf(x))
}

// store is the statement that assigns the value v to the variable x, whose
// address is given as text.
func (e *editor) store(x ast.Expr, address, v string) string {
	return e.memory("Store", x, "&"+address, e.site("write", x, e.source(x), false)) + ".Set(" + v + ")"
}

// assignOne is the text of x = y.
func (e *editor) assignOne(s *ast.AssignStmt, full bool) string {
	lhs, rhs := s.Lhs[0], s.Rhs[0]
	if ix, ok := e.mapElement(lhs); ok {
		return e.assignElement(s, ix, full)
	}
	if !e.storable(lhs) {
		return e.plain(s)
	}
	if e.updates(lhs, rhs) {
		e.updated = lhs
		defer func() { e.updated = nil }()
	}
	direct := func() string {
		gap := e.raw(lhs.End(), s.TokPos) + e.raw(s.TokPos+1, rhs.Pos())
		return e.store(lhs, e.alone(e.address, lhs), gap+e.alone(e.data, rhs))
	}
	if e.stable(lhs) || e.safe(rhs) {
		return direct()
	}
	t := ""
	if full {
		t = e.temp()
	}
	hold, ok := e.holdable(rhs, e.info.TypeOf(lhs), t)
	switch {
	case full && ok:
		p := e.assigneeAlone(lhs, false, s)
		return e.sequence(s, p.define()+t+":="+e.alone(e.data, rhs)+";", e.store(lhs, e.onLines(lhs, s, p.text), hold))
	case !e.hasCall(rhs):
		return direct()
	}
	return e.in(s, at(rhs, e.alone(e.data, rhs)))
}

// sequence is the block {first last} in place of s. What panics in last does
// so on the line of the assignment's operator, as in s.
func (e *editor) sequence(s ast.Stmt, first, last string) string {
	first = e.padding(s, first+last) + first
	return "{" + first + e.lineMark(first, operator(s)) + last + e.lineMark(first+last, s.End()) + "}"
}

// padding is the newlines that text, which replaces n, lacks. They may stand
// in front of a statement.
func (e *editor) padding(n ast.Node, text string) string {
	return strings.Repeat("\n", max(0, strings.Count(e.source(n), "\n")-strings.Count(text, "\n")))
}

// newlines is the newlines between two positions.
func (e *editor) newlines(lo, hi token.Pos) string {
	return strings.Repeat("\n", strings.Count(e.raw(lo, hi), "\n"))
}

// assignElement is the text of m[k] = v.
func (e *editor) assignElement(s *ast.AssignStmt, ix *ast.IndexExpr, full bool) string {
	rhs := s.Rhs[0]
	if full && e.hasCall(rhs) {
		t := e.temp()
		if hold, ok := e.holdable(rhs, e.info.TypeOf(s.Lhs[0]), t); ok {
			p := e.assigneeAlone(s.Lhs[0], false, s)
			return e.sequence(s, p.define()+t+":="+e.alone(e.data, rhs)+";", e.onLines(s.Lhs[0], s, p.text)+"="+hold)
		}
	}
	return e.in(s, at(ix.X, e.mapHook("MapWrite", ix.X)), at(ix.Index, e.value(ix.Index)), at(rhs, e.data(rhs)))
}

// define is the text of a short variable declaration. The variables that it
// declares are not shared yet; those that it only assigns may be.
func (e *editor) define(s *ast.AssignStmt, full bool) string {
	var ps []piece
	behind := ""
	for i, x := range s.Lhs {
		id := x.(*ast.Ident)
		v, ok := e.info.Uses[id].(*types.Var)
		if !full || !ok || !e.sharedVar(v) || e.empty(v.Type()) {
			continue
		}
		if len(s.Rhs) == 1 {
			t := e.temp()
			ps = append(ps, at(id, t))
			behind += ";" + e.store(id, id.Name, e.okText(s, i, t))
			continue
		}
		behind += ";" + e.hook("Write") + "(&" + id.Name + "," + e.site("write", id, id.Name, false) + ")"
	}
	for _, x := range s.Rhs {
		ps = append(ps, at(x, e.data(x)))
	}
	return e.in(s, ps...) + behind
}
