package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
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
	}
	return e.plain(s)
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

// store is the statement that assigns the value v to the variable whose
// address is given as text.
func (e *editor) store(x ast.Expr, address, v string) string {
	return e.hook("Store") + "(&" + address + "," + e.site("write", x, e.source(x), false) + ").Set(" + v + ")"
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
	direct := func() string {
		gap := e.raw(lhs.End(), s.TokPos) + e.raw(s.TokPos+1, rhs.Pos())
		return e.store(lhs, e.address(lhs), gap+e.data(rhs))
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
		p := e.place(lhs, false, s)
		return e.sequence(s, p.define()+t+":="+e.data(rhs)+";", e.store(lhs, p.text, hold))
	case !e.hasCall(rhs):
		return direct()
	}
	return e.in(s, at(rhs, e.data(rhs)))
}

// sequence is the block {first last} in place of s. What panics in last does
// so on the line where s begins.
func (e *editor) sequence(s ast.Stmt, first, last string) string {
	first = e.padding(s, first+last) + first
	if !strings.Contains(first, "\n") || e.directives {
		return "{" + first + last + "}"
	}
	begin, end := e.tokens.PositionFor(s.Pos(), false), e.tokens.PositionFor(s.End(), false)
	return fmt.Sprintf("{%s/*line :%d:%d*/%s/*line :%d:%d*/}", first, begin.Line, begin.Column, last, end.Line, end.Column)
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
			p := e.place(s.Lhs[0], false, s)
			return e.sequence(s, p.define()+t+":="+e.data(rhs)+";", p.text+"="+hold)
		}
	}
	return e.in(s, at(ix.X, e.mapHook("MapWrite", ix.X)), at(ix.Index, e.value(ix.Index)), at(rhs, e.data(rhs)))
}

// A place is the left-hand side of an assignment, with the operands that have
// to be evaluated beforehand kept in temporaries.
type place struct {
	names, inits []string
	text         string
}

// define is the statement that declares the temporaries, if there are any.
func (p place) define() string {
	if len(p.names) == 0 {
		return ""
	}
	return strings.Join(p.names, ",") + ":=" + strings.Join(p.inits, ",") + ";"
}

// place takes the left-hand side x apart. With all, every operand of an index
// expression or pointer indirection is kept in a temporary, otherwise only
// those that contain a call. s is the assignment.
func (e *editor) place(x ast.Expr, all bool, s *ast.AssignStmt) place {
	var p place
	operand := func(x ast.Expr) string {
		if id, ok := x.(*ast.Ident); ok && e.private(id) && !e.assigns(s, id) || e.constant(x) {
			return e.source(x)
		}
		if !all && !e.hasCall(x) {
			return e.value(x)
		}
		name := e.temp()
		p.names, p.inits = append(p.names, name), append(p.inits, e.value(x))
		return name
	}
	var walk func(x ast.Expr) string
	walk = func(x ast.Expr) string {
		switch x := x.(type) {
		case *ast.ParenExpr:
			return "(" + walk(x.X) + ")"
		case *ast.StarExpr:
			return "*" + operand(x.X)
		case *ast.SelectorExpr:
			sel := e.info.Selections[x]
			switch {
			case sel == nil:
			case isPointer(e.info.TypeOf(x.X)):
				return operand(x.X) + "." + x.Sel.Name
			case sel.Indirect():
				return e.address(x)
			default:
				return walk(x.X) + "." + x.Sel.Name
			}
		case *ast.IndexExpr:
			switch underlying(e.info.TypeOf(x.X)).(type) {
			case *types.Array:
				base := walk(x.X)
				return base + "[" + operand(x.Index) + "]"
			case *types.Map:
				base := operand(x.X)
				return e.mapHookText("MapWrite", x.X, base) + "[" + operand(x.Index) + "]"
			}
			base := operand(x.X)
			return base + "[" + operand(x.Index) + "]"
		}
		return e.source(x)
	}
	p.text = walk(x)
	return p
}

// assignMany is the text of an assignment with several operands on the left.
// Their operands and the right-hand sides are evaluated first, then the
// assignments happen from left to right.
func (e *editor) assignMany(s *ast.AssignStmt) string {
	hooked := false
	for _, x := range s.Lhs {
		_, element := e.mapElement(x)
		hooked = hooked || element || e.storable(x)
	}
	if !hooked {
		return e.plain(s)
	}
	if len(s.Rhs) != len(s.Lhs) {
		return e.assignTuple(s)
	}
	var names, inits, stores []string
	var places []place
	for _, x := range s.Lhs {
		p := place{text: "_"}
		if !blank(x) {
			p = e.place(x, true, s)
		}
		names, inits = append(names, p.names...), append(inits, p.inits...)
		places = append(places, p)
	}
	for i, x := range s.Rhs {
		v := e.source(x)
		if !e.constant(x) {
			t := e.temp()
			hold, ok := e.holdable(x, e.info.TypeOf(s.Lhs[i]), t)
			if !ok {
				return e.plain(s)
			}
			v = hold
			gap := ""
			if i > 0 {
				gap = e.newlines(s.Rhs[i-1].End(), x.Pos())
			}
			names, inits = append(names, t), append(inits, gap+e.data(x))
		}
		if blank(s.Lhs[i]) && e.constant(x) {
			continue
		}
		stores = append(stores, e.assignPlace(s.Lhs[i], places[i], v))
	}
	first := place{names: names, inits: inits}.define()
	return e.sequence(s, first, strings.Join(stores, ";"))
}

// assignPlace is the statement that assigns v to x, which p took apart.
func (e *editor) assignPlace(x ast.Expr, p place, v string) string {
	if e.storable(x) {
		return e.store(x, p.text, v)
	}
	return p.text + "=" + v
}

// assignTuple is the text of an assignment of the results of a call, or of an
// expression and its ok.
func (e *editor) assignTuple(s *ast.AssignStmt) string {
	var places []place
	for _, x := range s.Lhs {
		if e.hasCall(x) {
			return e.plain(s) // its calls come first: rare
		}
		p := place{text: "_"}
		if !blank(x) {
			p = e.place(x, true, s)
		}
		places = append(places, p)
	}
	var names, inits, temps, stores []string
	for i, x := range s.Lhs {
		if blank(x) {
			temps = append(temps, "_")
			continue
		}
		t := e.temp()
		temps = append(temps, t)
		names, inits = append(names, places[i].names...), append(inits, places[i].inits...)
		stores = append(stores, e.assignPlace(x, places[i], e.okText(s, i, t)))
	}
	calls := strings.Join(temps, ",") + ":=" + e.value(s.Rhs[0]) + ";"
	return e.sequence(s, calls, place{names: names, inits: inits}.define()+strings.Join(stores, ";"))
}

// okText is the text that assigns temporary t to the left-hand side number i of
// a tuple assignment: the second value of v, ok = x is an untyped bool.
func (e *editor) okText(s *ast.AssignStmt, i int, t string) string {
	_, call := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	to := e.info.TypeOf(s.Lhs[i])
	if call || i != 1 || types.IsInterface(to) || types.Identical(to, types.Typ[types.Bool]) {
		return t
	}
	return t + "==(0==0)"
}

// define is the text of a short variable declaration. The variables that it
// declares are not shared yet; those that it only assigns may be.
func (e *editor) define(s *ast.AssignStmt, full bool) string {
	var ps []piece
	behind := ""
	for i, x := range s.Lhs {
		id := x.(*ast.Ident)
		v, ok := e.info.Uses[id].(*types.Var)
		if !full || !ok || !e.facts.sharedVar(v, e.written) || e.empty(v.Type()) {
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

// incDec is the text of x++ or x--.
func (e *editor) incDec(s *ast.IncDecStmt, full bool) string {
	return e.update(s, s.X, s.Tok.String()[:1], nil, full)
}

// update is the text of x op= y, where y is nil for x++ and x--. The address
// of x is evaluated once.
func (e *editor) update(s ast.Stmt, x ast.Expr, op string, y ast.Expr, full bool) string {
	operand, before := "1", ""
	evaluate := func() string {
		if y == nil {
			return e.in(s, at(x, e.target(x)))
		}
		return e.in(s, at(x, e.target(x)), at(y, e.updateOperand(op, y)))
	}
	ix, element := e.mapElement(x)
	if !element && !e.storable(x) {
		return evaluate()
	}
	if y != nil && e.hasCall(y) {
		if !full || e.hasCall(x) || e.untyped(y) {
			if !e.stable(x) {
				return e.in(s, at(y, e.updateOperand(op, y)))
			}
			operand = "(" + e.updateOperand(op, y) + ")"
		} else {
			operand = e.temp()
			before = operand + ":=" + e.updateOperand(op, y) + ";"
		}
	} else if y != nil {
		operand = "(" + e.updateOperand(op, y) + ")"
	}
	if element {
		m := e.mapHookText("MapWrite", ix.X, e.mapHook("MapRead", ix.X))
		text := e.in(x, at(ix.X, m), at(ix.Index, e.value(ix.Index))) + op + "=" + operand
		if before == "" {
			return text
		}
		return e.sequence(s, before, text)
	}
	p := e.address(x)
	address := "&" + p
	if !e.stable(x) {
		if !full {
			load := e.hook("Load") + "(" + address + "," + e.site("read", x, e.source(x), isNumeric(e.info.TypeOf(x))) + ")"
			return "*" + e.hook("Write") + "(" + load + "," + e.site("write", x, e.source(x), false) + ")" + op + "=" + operand
		}
		t := e.temp()
		before += t + ":=" + address + ";"
		p, address = "*"+t, t
	}
	load := "*" + e.hook("Load") + "(" + address + "," + e.site("read", x, e.source(x), isNumeric(e.info.TypeOf(x))) + ")"
	text := e.hook("Store") + "(" + address + "," + e.site("write", x, e.source(x), false) + ").Set(" + load + op + operand + ")"
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

// comm is the text of the communication of a select clause, and the statements
// that assign what it received to shared variables at the start of the body.
func (e *editor) comm(s ast.Stmt) (text, stores string) {
	if s == nil {
		return "", ""
	}
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		return e.stmt(s, false), ""
	}
	hooked := false
	for _, x := range a.Lhs {
		hooked = hooked || e.storable(x)
	}
	if a.Tok == token.DEFINE || !hooked {
		return e.plain(a), ""
	}
	var temps []string
	for i, x := range a.Lhs {
		t := "_"
		if !blank(x) {
			t = e.temp()
			v := e.okText(a, i, t)
			if e.storable(x) {
				stores += e.store(x, e.address(x), v) + ";"
			} else {
				stores += e.target(x) + "=" + v + ";"
			}
		}
		temps = append(temps, t)
	}
	return strings.Join(temps, ",") + ":=" + e.value(a.Rhs[0]), stores
}
