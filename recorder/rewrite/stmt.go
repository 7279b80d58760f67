package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// function is the text of a function declaration.
func (e *editor) function(fn *ast.FuncDecl) string {
	if fn.Body == nil || keepOut(fn.Doc) {
		return e.source(fn)
	}
	e.fn = e.names[fn]
	return e.in(fn, at(fn.Body, e.block(fn.Body, "")))
}

// keepOut reports whether the directives above a function forbid calls of
// hooks in it.
func keepOut(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		switch c.Text {
		case "//go:nosplit", "//go:norace":
			return true
		}
	}
	return false
}

// funcLit is the text of a function literal.
func (e *editor) funcLit(lit *ast.FuncLit) string {
	outer, later := e.fn, e.later
	e.fn, e.later = e.names[lit], nil
	text := e.in(lit, at(lit.Body, e.block(lit.Body, "")))
	e.fn, e.later = outer, later
	return text
}

// block is the text of a block that starts with the given statements.
func (e *editor) block(b *ast.BlockStmt, prologue string) string {
	return e.in(b, append([]piece{after(b.Lbrace+1, prologue)}, e.list(b.List)...)...)
}

// list rewrites the statements of a block or clause.
func (e *editor) list(stmts []ast.Stmt) []piece {
	var ps []piece
	for _, s := range stmts {
		ps = append(ps, at(s, e.stmt(s, true)))
	}
	return ps
}

// stmt is the text of a statement. full says that it stands where a block and
// further statements may stand in its place.
func (e *editor) stmt(s ast.Stmt, full bool) string {
	switch s := s.(type) {
	case *ast.AssignStmt:
		text := e.assign(s, full)
		return e.padding(s, text) + text
	case *ast.IncDecStmt:
		text := e.incDec(s, full)
		return e.padding(s, text) + text
	case *ast.BlockStmt:
		return e.block(s, "")
	case *ast.DeclStmt:
		return e.decl(s.Decl)
	case *ast.DeferStmt:
		return e.in(s, at(s.Call, e.laterCall(s.Call)))
	case *ast.GoStmt:
		return e.in(s, at(s.Call, e.laterCall(s.Call)))
	case *ast.ExprStmt:
		return e.values(s, s.X)
	case *ast.SendStmt:
		return e.in(s, at(s.Chan, e.value(s.Chan)), at(s.Value, e.value(s.Value)))
	case *ast.ReturnStmt:
		return e.values(s, s.Results...)
	case *ast.LabeledStmt:
		if r, ok := s.Stmt.(*ast.RangeStmt); ok {
			label := e.raw(s.Pos(), s.Stmt.Pos())
			return e.rangeStmt(r, label, !e.facts.gotos[e.info.Defs[s.Label]])
		}
		return e.in(s, at(s.Stmt, e.stmt(s.Stmt, full)))
	case *ast.IfStmt:
		return e.ifStmt(s)
	case *ast.ForStmt:
		return e.forStmt(s)
	case *ast.RangeStmt:
		return e.rangeStmt(s, "", true)
	case *ast.SwitchStmt:
		return e.switchStmt(s)
	case *ast.TypeSwitchStmt:
		ps := e.optional(nil, s.Init)
		return e.in(s, append(ps, at(s.Assign, e.stmt(s.Assign, false)), at(s.Body, e.clauses(s, s.Body, false)))...)
	case *ast.SelectStmt:
		return e.in(s, at(s.Body, e.clauses(s, s.Body, false)))
	}
	return e.source(s)
}

// optional adds the text of a simple statement, if it is there, to ps.
func (e *editor) optional(ps []piece, s ast.Stmt) []piece {
	if s == nil {
		return ps
	}
	return append(ps, at(s, e.stmt(s, false)))
}

// laterCall is the text of the call of a go or defer statement, whose operands
// are evaluated now.
func (e *editor) laterCall(c *ast.CallExpr) string {
	outer := e.later
	e.later = c
	text := e.value(c)
	e.later = outer
	return text
}

// decl is the text of a declaration other than of a function.
func (e *editor) decl(d ast.Decl) string {
	gen, ok := d.(*ast.GenDecl)
	if !ok || gen.Tok != token.VAR {
		return e.source(d)
	}
	var ps []piece
	for _, spec := range gen.Specs {
		for _, x := range spec.(*ast.ValueSpec).Values {
			ps = append(ps, at(x, e.data(x)))
		}
	}
	return e.in(gen, ps...)
}

// ifStmt notes the condition's outcome.
func (e *editor) ifStmt(s *ast.IfStmt) string {
	ps := e.optional(nil, s.Init)
	ps = append(ps, at(s.Cond, e.condition(s.Cond)), at(s.Body, e.block(s.Body, "")))
	if s.Else != nil {
		ps = append(ps, at(s.Else, e.stmt(s.Else, false)))
	}
	return e.in(s, ps...)
}

// forStmt notes the condition's outcome.
func (e *editor) forStmt(s *ast.ForStmt) string {
	ps := e.optional(nil, s.Init)
	if s.Cond != nil {
		ps = append(ps, at(s.Cond, e.condition(s.Cond)))
	}
	ps = e.optional(ps, s.Post)
	return e.in(s, append(ps, at(s.Body, e.block(s.Body, "")))...)
}

// switchStmt notes which clause is entered. The conditions of a switch
// without a tag are branches.
func (e *editor) switchStmt(s *ast.SwitchStmt) string {
	ps := e.optional(nil, s.Init)
	if s.Tag != nil {
		ps = append(ps, at(s.Tag, e.value(s.Tag)))
	}
	return e.in(s, append(ps, at(s.Body, e.clauses(s, s.Body, s.Tag == nil)))...)
}

// clauses is the text of the body of a switch or select statement: each clause
// starts with a note of its number, from 1. conditions says that the clauses'
// expressions are conditions.
func (e *editor) clauses(s ast.Stmt, body *ast.BlockStmt, conditions bool) string {
	var ps []piece
	for i, clause := range body.List {
		switch c := clause.(type) {
		case *ast.CaseClause:
			var inner []piece
			for _, x := range c.List {
				if conditions && types.Identical(underlying(e.info.TypeOf(x)), types.Typ[types.Bool]) {
					inner = append(inner, at(x, e.condition(x)))
				} else {
					inner = append(inner, at(x, e.value(x)))
				}
			}
			inner = append(inner, after(c.Colon+1, e.caseHook(i+1, c)))
			ps = append(ps, at(c, e.in(c, append(inner, e.list(c.Body)...)...)))
		case *ast.CommClause:
			comm, stores := e.comm(c.Comm)
			var inner []piece
			if c.Comm != nil {
				inner = append(inner, at(c.Comm, e.padding(c.Comm, comm)+comm))
			}
			inner = append(inner, after(c.Colon+1, e.caseHook(i+1, c)+stores))
			ps = append(ps, at(c, e.in(c, append(inner, e.list(c.Body)...)...)))
		}
	}
	return e.in(body, ps...)
}

// caseHook is the statement that notes that clause number n was entered.
func (e *editor) caseHook(n int, clause ast.Node) string {
	expr := e.source(clause)
	if c, ok := clause.(*ast.CaseClause); ok {
		expr = e.raw(c.Pos(), c.Colon)
	} else if c, ok := clause.(*ast.CommClause); ok {
		expr = e.raw(c.Pos(), c.Colon)
	}
	return fmt.Sprintf("%s(%d,%s);", e.hook("Case"), n, e.site("case", clause, expr, false))
}
