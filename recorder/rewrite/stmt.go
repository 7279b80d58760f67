package rewrite

import (
	"go/ast"
	"go/token"
)

// function is the text of a function declaration.
func (e *editor) function(fn *ast.FuncDecl) string {
	if fn.Body == nil || keepOut(fn.Doc) {
		return e.source(fn)
	}
	defer e.enter(e.names[fn], fn.Type, fn.Body)()
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
	defer e.enter(e.names[lit], lit.Type, lit.Body)()
	return e.in(lit, at(lit.Body, e.block(lit.Body, "")))
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
	switch s.(type) {
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ExprStmt, *ast.SendStmt, *ast.ReturnStmt:
		return e.within(func() string { return e.simple(s, full) }, s)
	}
	return e.compound(s)
}

// simple is the text of a statement without other statements in it.
func (e *editor) simple(s ast.Stmt, full bool) string {
	switch s := s.(type) {
	case *ast.AssignStmt:
		text := e.assign(s, full)
		return e.padding(s, text) + text
	case *ast.IncDecStmt:
		text := e.incDec(s, full)
		return e.padding(s, text) + text
	case *ast.DeferStmt:
		return e.in(s, at(s.Call, e.laterCall(s.Call)))
	case *ast.GoStmt:
		return e.in(s, at(s.Call, e.laterCall(s.Call)))
	case *ast.ExprStmt:
		e.discarded, _ = ast.Unparen(s.X).(*ast.CallExpr)
		return e.values(s, s.X)
	case *ast.SendStmt:
		return e.in(s, at(s.Chan, e.value(s.Chan)), at(s.Value, e.value(s.Value)))
	case *ast.ReturnStmt:
		text := e.returnStmt(s)
		return e.padding(s, text) + text
	}
	return e.source(s)
}

// compound is the text of a statement that is not simple.
func (e *editor) compound(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return e.block(s, "")
	case *ast.DeclStmt:
		return e.decl(s.Decl)
	case *ast.LabeledStmt:
		if r, ok := s.Stmt.(*ast.RangeStmt); ok {
			label := e.raw(s.Pos(), s.Stmt.Pos())
			return e.rangeStmt(r, label, !e.facts.gotos[e.info.Defs[s.Label]])
		}
		return e.in(s, at(s.Stmt, e.stmt(s.Stmt, true)))
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
		values := spec.(*ast.ValueSpec).Values
		if len(values) == 0 {
			continue
		}
		text := e.within(func() string {
			var vs []piece
			for _, x := range values {
				vs = append(vs, at(x, e.data(x)))
			}
			return e.splice(values[0].Pos(), values[len(values)-1].End(), vs...)
		}, spec)
		ps = append(ps, piece{values[0].Pos(), values[len(values)-1].End(), text})
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
