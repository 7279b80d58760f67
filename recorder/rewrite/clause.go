package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/properties"
)

// switchParts notes which clause is entered. The conditions of a switch
// without a tag are branches.
func (e *editor) switchParts(s *ast.SwitchStmt) func() []piece {
	return func() (ps []piece) {
		if s.Tag != nil {
			ps = append(ps, replace(s.Tag, e.inOwnScope(e.valueText, s.Tag)))
		}
		return append(ps, replace(s.Body, e.clauses(s, s.Body, s.Tag == nil)))
	}
}

// clauses is the text of the body of a switch or select statement: each clause
// starts with a note of its number, from 1. conditions says that the clauses'
// expressions are conditions.
func (e *editor) clauses(s ast.Stmt, body *ast.BlockStmt, conditions bool) string {
	var ps []piece
	decided := e.switchIsDecided(s)
	for i, clause := range body.List {
		switch c := clause.(type) {
		case *ast.CaseClause:
			var inner []piece
			for _, x := range c.List {
				if conditions && types.Identical(coreType(e.info.TypeOf(x)), types.Typ[types.Bool]) {
					inner = append(inner, replace(x, e.conditionText(x)))
				} else {
					inner = append(inner, replace(x, e.inOwnScope(e.valueText, x)))
				}
			}
			if !decided && !e.onlyMemory {
				inner = append(inner, insert(c.Colon+1, e.caseHook(i+1, c)))
			}
			ps = append(ps, replace(c, e.spliceNode(c, append(inner, e.statements(c.Body)...)...)))
		case *ast.CommClause:
			if x := receiveOf(c.Comm); x != nil {
				e.communication = x
			} else {
				e.communication = c.Comm
			}
			comm, stores := e.communicationText(c.Comm)
			stores = e.noteClause(c.Comm) + stores
			var inner []piece
			if c.Comm != nil {
				inner = append(inner, replace(c.Comm, e.missingNewlines(c.Comm, comm+stores)+comm))
				if stores != "" && e.line(c.Comm.Pos()) != e.line(c.Colon) {
					stores = e.lineDirective(c.Comm.Pos()) + stores + e.lineDirective(c.Colon)
				}
			}
			inner = append(inner, insert(c.Colon+1, e.caseHook(i+1, c)+stores))
			ps = append(ps, replace(c, e.spliceNode(c, append(inner, e.statements(c.Body)...)...)))
		}
	}
	return e.spliceNode(body, ps...)
}

// communicationText is the text of the communication of a select clause, and the statements
// that assign what it received, at the start of the body: only there are the operands on the left
// evaluated.
func (e *editor) communicationText(s ast.Stmt) (text, stores string) {
	if s == nil {
		return "", ""
	}
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		return e.stmtText(s, false), ""
	}
	x := receiveOf(s)
	_, named := e.fieldAction(properties.Receives, x.X)
	moves := named && e.changesMeaning(s, x.X)
	needsStores := slices.ContainsFunc(a.Lhs, func(x ast.Expr) bool {
		_, isVar := x.(*ast.Ident)
		return !isVar || e.storeNeedsHook(x)
	})
	if !moves && (a.Tok == token.DEFINE || !needsStores) {
		return e.inScope(assignment{e.expressions, a, false}.withoutStoreHooks, a), ""
	}
	var temps []string
	if a.Tok != token.DEFINE {
		temps, stores = assignment{e.expressions, a, true}.storesOfTemporaries()
		stores += ";"
	} else {
		for _, x := range a.Lhs {
			t := "_"
			if !isBlank(x) {
				t = e.temp()
				stores += e.textOf(x) + ":=" + t + ";"
			}
			temps = append(temps, t)
		}
	}
	return strings.Join(temps, ",") + ":=" + e.inOwnScope(e.valueText, a.Rhs[0]), stores
}
