package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// This file keeps what panics in an assignment whose parts were moved on the
// line that the compiler gives it. That of an index out of range is the
// bracket's. That of a nil pointer is the dot's or star's; before Go 1.27 it is the
// operator's if the store itself is what faults.

// lineMark makes what follows stand on pos's line, as it would if the text
// moved before it, if that spans lines, were not there.
func (e *editor) lineMark(moved string, pos token.Pos) string {
	if !strings.Contains(moved, "\n") {
		return ""
	}
	return e.mark(pos)
}

// mark makes what follows stand on pos's line.
func (e *editor) mark(pos token.Pos) string {
	if e.directives {
		return ""
	}
	p := e.tokens.PositionFor(pos, false)
	return fmt.Sprintf("/*line :%d:%d*/", p.Line, p.Column)
}

// operator is the position of the operator of s, if it is an assignment.
func operator(s ast.Stmt) token.Pos {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.TokPos
	case *ast.IncDecStmt:
		return s.TokPos
	}
	return s.Pos()
}

// broken reports whether a line ends between the beginning of x, an operand on
// the left-hand side of s, and the operator of s.
func (e *editor) broken(x ast.Expr, s ast.Stmt) bool {
	return e.line(x.Pos()) != e.line(operator(s))
}

// onLines is text, which stands for the left-hand side x of s where what is on
// the operator's line does, on x's own lines.
func (e *editor) onLines(x ast.Expr, s ast.Stmt, text string) string {
	if !e.broken(x, s) {
		return text
	}
	return e.mark(x.Pos()) + text + e.mark(operator(s))
}

// selects goes in front of the token at pos by which x, a part of a left-hand
// side of s, selects from what a temporary holds.
func (e *editor) selects(x ast.Expr, pos token.Pos, s ast.Stmt) string {
	switch {
	case !e.broken(x, s):
		return ""
	case e.stores[x].IsValid():
		return e.mark(e.stores[x])
	}
	return e.mark(pos)
}

// faulting is text, which dereferences a pointer for x, on the line on which
// that panics.
func (e *editor) faulting(x ast.Expr, text string) string {
	if !e.stores[x].IsValid() {
		return text
	}
	return e.mark(e.stores[x]) + text + e.mark(x.End())
}

// faults notes which dereferences in the left-hand sides of s panic on the line
// of the operator.
func (e *editor) faults(s ast.Stmt, lhs ...ast.Expr) {
	release, _, _ := strings.Cut(e.release, " ") // experiments may follow
	if !older(release, "go1.27") {
		return
	}
	for _, x := range lhs {
		if d := e.dereference(x); d != nil && e.broken(x, s) && e.faultsLate(x, s) {
			e.stores[d] = operator(s)
		}
	}
}

// dereference is the part of the variable x that goes through a pointer to the
// memory that x lies in, nil if none does.
func (e *editor) dereference(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.dereference(x.X)
	case *ast.StarExpr:
		return x
	case *ast.SelectorExpr:
		switch sel := e.info.Selections[x]; {
		case sel == nil:
			return nil
		case sel.Indirect():
			return x
		}
		return e.dereference(x.X)
	case *ast.IndexExpr:
		if _, ok := underlying(e.info.TypeOf(x.X)).(*types.Array); ok && e.constant(x.Index) {
			return e.dereference(x.X)
		}
	}
	return nil
}

// faultsLate reports whether the first instruction of s that touches x is a
// store: values of several words are moved after the pointer was checked, and
// strings are loaded before they are added to.
func (e *editor) faultsLate(x ast.Expr, s ast.Stmt) bool {
	switch t := underlying(e.info.TypeOf(x)).(type) {
	case nil, *types.Struct, *types.Array:
		return false
	case *types.Basic:
		a, ok := s.(*ast.AssignStmt)
		return t.Info()&types.IsString == 0 || ok && a.Tok == token.ASSIGN
	}
	return true
}
