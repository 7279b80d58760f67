package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
)

// functionText is the text of a function declaration.
func (e *editor) functionText(fn *ast.FuncDecl) string {
	if fn.Body == nil || forbidsHooks(fn.Doc) {
		return e.textOf(fn)
	}
	defer e.enterFunction(e.names[fn], fn.Type, fn.Body)()
	named, call := methodEdit{e.expressions, fn}.callNotes()
	return e.spliceNode(fn, append(named, replace(fn.Body, e.block(fn.Body, call+e.noteEntry(fn.Body)+e.regionStart(fn))))...)
}

// forbidsHooks reports whether the directives above a function forbid calls of
// hooks in it.
func forbidsHooks(doc *ast.CommentGroup) bool {
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
	defer e.enterFunction(e.names[lit], lit.Type, lit.Body)()
	return e.spliceNode(lit, replace(lit.Body, e.block(lit.Body, e.noteEntry(lit.Body))))
}

// block is the text of a block that starts with the given statements.
func (e *editor) block(b *ast.BlockStmt, prologue string) string {
	return e.spliceNode(b, append([]piece{insert(b.Lbrace+1, prologue)}, e.statements(b.List)...)...)
}

// statements rewrites the statements of a block or clause.
func (e *editor) statements(stmts []ast.Stmt) []piece {
	var ps []piece
	for _, s := range stmts {
		ps = append(ps, replace(s, e.noteConstantArguments(s)+e.stmtText(s, true)+e.noteTupleResults(s)))
	}
	return ps
}

// stmtText is the text of a statement. blockAllowed says that it stands where a block and
// further statements may stand in its place.
func (e *editor) stmtText(s ast.Stmt, blockAllowed bool) string {
	switch s.(type) {
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ExprStmt, *ast.SendStmt, *ast.ReturnStmt:
		return e.inScope(func() string { return e.simpleStmt(s, blockAllowed) }, s)
	}
	return e.compoundStmt(s)
}

// simpleStmt is the text of a statement without other statements in it.
func (e *editor) simpleStmt(s ast.Stmt, blockAllowed bool) string {
	switch s := s.(type) {
	case *ast.AssignStmt:
		e.findStoreFaults(s, s.Lhs...)
		text := assignment{e.expressions, s, blockAllowed}.text()
		return e.missingNewlines(s, text) + text
	case *ast.IncDecStmt:
		e.findStoreFaults(s, s.X)
		text := e.incDec(s, blockAllowed)
		return e.missingNewlines(s, text) + text
	case *ast.DeferStmt:
		return e.spliceNode(s, replace(s.Call, e.laterCall(s.Call)))
	case *ast.GoStmt:
		return e.spliceNode(s, replace(s.Call, e.laterCall(s.Call)))
	case *ast.ExprStmt:
		e.discardedCall, _ = ast.Unparen(s.X).(*ast.CallExpr)
		return e.valuesOfChildren(s, s.X)
	case *ast.SendStmt:
		if text, ok := e.fieldSend(s); ok {
			return text
		}
		return e.spliceNode(s, replace(s.Chan, e.valueText(s.Chan)), replace(s.Value, e.dataValue(s.Value)))
	case *ast.ReturnStmt:
		text := returnEdit{e.expressions, s, e.defersCalls}.text()
		return e.missingNewlines(s, text) + text
	}
	return e.textOf(s)
}

// compoundStmt is the text of a statement that is not simple.
func (e *editor) compoundStmt(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return e.block(s, "")
	case *ast.DeclStmt:
		return e.declText(s.Decl)
	case *ast.LabeledStmt:
		return e.labeledStmt(s.Stmt, e.textBetween(s.Pos(), s.Stmt.Pos()), !e.facts.gotos[e.info.Defs[s.Label]])
	case *ast.SelectStmt:
		return e.spliceNode(s, replace(s.Body, e.clauses(s, s.Body, false)))
	}
	return e.labeledStmt(s, "", true)
}

// labeledStmt is the text of a statement, after its label if it has one. blockAllowed
// says that no goto leads to the label, which a block around the statement
// would hide.
func (e *editor) labeledStmt(s ast.Stmt, label string, blockAllowed bool) string {
	switch s := s.(type) {
	case *ast.IfStmt:
		return e.stmtWithInit(s, s.Init, label, blockAllowed, e.ifParts(s))
	case *ast.ForStmt:
		return e.stmtWithInit(s, s.Init, label, blockAllowed, e.forParts(s))
	case *ast.RangeStmt:
		return e.rangeStmt(s, label, blockAllowed)
	case *ast.SwitchStmt:
		return e.stmtWithInit(s, s.Init, label, blockAllowed, e.switchParts(s))
	case *ast.TypeSwitchStmt:
		return e.stmtWithInit(s, s.Init, label, blockAllowed, func() []piece {
			return []piece{replace(s.Assign, e.stmtText(s.Assign, false)), replace(s.Body, e.clauses(s, s.Body, false))}
		})
	}
	if label == "" {
		return e.textOf(s)
	}
	return label + e.stmtText(s, true)
}

// stmtWithInit is the text of s, whose header begins with the statement init if that is not nil.
// Parts renders the rest. An assignment with hooks that need a block goes before s, into a block
// around both.
func (e *editor) stmtWithInit(s, init ast.Stmt, label string, blockAllowed bool, parts func() []piece) string {
	if init == nil || !blockAllowed || !e.needsBlock(init) {
		var ps []piece
		if init != nil {
			ps = append(ps, replace(init, e.stmtText(init, false)))
		}
		return label + e.spliceNode(s, append(ps, parts()...)...)
	}
	before := "{" + strings.Repeat("\n", strings.Count(label, "\n")) + e.stmtText(init, true) + ";"
	name, _, _ := strings.Cut(label, ":")
	if name != "" {
		name += ":"
	}
	return before + name + e.spliceNode(s, append([]piece{replace(init, "")}, parts()...)...) + "}"
}

// laterCall is the text of the call of a go or defer statement, whose operands
// are evaluated now.
func (e *editor) laterCall(c *ast.CallExpr) string {
	outer := e.deferredCall
	e.deferredCall = c
	text := e.valueText(c)
	e.deferredCall = outer
	return text
}

// declText is the text of a declaration other than of a function.
func (e *editor) declText(d ast.Decl) string {
	gen, ok := d.(*ast.GenDecl)
	if !ok || gen.Tok != token.VAR {
		return e.textOf(d)
	}
	var ps []piece
	for _, spec := range gen.Specs {
		values := spec.(*ast.ValueSpec).Values
		if len(values) == 0 {
			continue
		}
		text := e.inScope(func() string {
			var vs []piece
			for _, x := range values {
				vs = append(vs, replace(x, e.dataValue(x)))
			}
			return e.spliceBetween(values[0].Pos(), values[len(values)-1].End(), vs...)
		}, spec)
		ps = append(ps, piece{values[0].Pos(), values[len(values)-1].End(), text})
	}
	return e.spliceNode(gen, ps...)
}

// ifParts notes the condition's outcome.
func (e *editor) ifParts(s *ast.IfStmt) func() []piece {
	return func() []piece {
		ps := []piece{replace(s.Cond, e.noteInitResults(s.Init, s.Cond, e.conditionText(s.Cond))), replace(s.Body, e.block(s.Body, ""))}
		if s.Else != nil {
			ps = append(ps, replace(s.Else, e.stmtText(s.Else, false)))
		}
		return ps
	}
}

// forParts notes the condition's outcome.
func (e *editor) forParts(s *ast.ForStmt) func() []piece {
	return func() (ps []piece) {
		if s.Cond != nil {
			ps = append(ps, replace(s.Cond, e.conditionText(s.Cond)))
		}
		if s.Post != nil {
			ps = append(ps, replace(s.Post, e.stmtText(s.Post, false)))
		}
		return append(ps, replace(s.Body, e.block(s.Body, "")))
	}
}
