package rewrite

import (
	"go/ast"
	"go/types"
	"strings"
)

// An assignee is the left-hand side of an assignment, with the operands that have
// to be evaluated beforehand kept in temporaries.
type assignee struct {
	names, inits []string
	text         string
}

// define is the statement that declares the temporaries, if there are any.
func (p assignee) define() string {
	if len(p.names) == 0 {
		return ""
	}
	return strings.Join(p.names, ",") + ":=" + strings.Join(p.inits, ",") + ";"
}

// assignee takes the left-hand side x apart. With all, every operand of an index
// expression or pointer indirection is kept in a temporary, otherwise only
// those that contain a call. s is the assignment.
func (e *editor) assignee(x ast.Expr, all bool, s *ast.AssignStmt) assignee {
	var p assignee
	operand := func(x ast.Expr) string {
		if id, ok := x.(*ast.Ident); ok && e.private(id) && !e.assigns(s, id) || e.constant(x) {
			return e.source(x)
		}
		if !all && !e.hasCall(x) {
			return e.afterCalls(e.value, x)
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
			return e.selects(x, x.Pos(), s) + "*" + operand(x.X)
		case *ast.SelectorExpr:
			sel := e.info.Selections[x]
			switch {
			case sel == nil:
			case isPointer(e.info.TypeOf(x.X)):
				return operand(x.X) + e.selects(x, x.X.End(), s) + "." + x.Sel.Name
			case sel.Indirect():
				return e.alone(e.address, x)
			default:
				return walk(x.X) + "." + x.Sel.Name
			}
		case *ast.IndexExpr:
			base := ""
			switch underlying(e.info.TypeOf(x.X)).(type) {
			case *types.Array:
				base = walk(x.X)
			case *types.Map:
				base = e.mapHookText("MapWrite", x.X, operand(x.X))
			default:
				base = operand(x.X)
			}
			return base + e.selects(x, x.Lbrack, s) + "[" + operand(x.Index) + "]"
		}
		return e.source(x)
	}
	p.text = walk(x)
	return p
}

// assigneeAlone is assignee in a scope of its own.
func (e *editor) assigneeAlone(x ast.Expr, all bool, s *ast.AssignStmt) (p assignee) {
	p.text = e.within(func() string { p = e.assignee(x, all, s); return p.text }, x)
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
	var assignees []assignee
	for _, x := range s.Lhs {
		p := assignee{text: "_"}
		if !blank(x) {
			p = e.assignee(x, true, s)
		}
		names, inits = append(names, p.names...), append(inits, p.inits...)
		assignees = append(assignees, p)
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
		stores = append(stores, e.assignTo(s, i, assignees[i], v))
	}
	first := assignee{names: names, inits: inits}.define()
	return e.sequence(s, first, strings.Join(stores, ";"))
}

// assignTo is the statement that assigns v to the left-hand side number i of
// s, which p took apart.
func (e *editor) assignTo(s *ast.AssignStmt, i int, p assignee, v string) string {
	x := s.Lhs[i]
	text := e.onLines(x, s, p.text)
	if e.storable(x) {
		return e.store(x, text, v)
	}
	return text + "=" + v
}

// assignTuple is the text of an assignment of the results of a call, or of an
// expression and its ok.
func (e *editor) assignTuple(s *ast.AssignStmt) string {
	var assignees []assignee
	for _, x := range s.Lhs {
		if e.hasCall(x) {
			return e.plain(s) // its calls come first: rare
		}
		p := assignee{text: "_"}
		if !blank(x) {
			p = e.assigneeAlone(x, true, s)
		}
		assignees = append(assignees, p)
	}
	var names, inits, temps, stores []string
	for i, x := range s.Lhs {
		if blank(x) {
			temps = append(temps, "_")
			continue
		}
		t := e.temp()
		temps = append(temps, t)
		names, inits = append(names, assignees[i].names...), append(inits, assignees[i].inits...)
		stores = append(stores, e.assignTo(s, i, assignees[i], e.okText(s, i, t)))
	}
	calls := strings.Join(temps, ",") + ":=" + e.alone(e.value, s.Rhs[0]) + ";"
	return e.sequence(s, calls, assignee{names: names, inits: inits}.define()+strings.Join(stores, ";"))
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
