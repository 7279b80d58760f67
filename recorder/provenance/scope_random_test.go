package provenance

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/recorder/sharing"
)

// Where a scope says that nothing is seen of what an outcome leads to, nothing is stored there,
// whatever the other conditions are: random ifs and switches, run with all outcomes.
func TestScopesOfRandomStatements(t *testing.T) {
	const functions, conditions = 200, 6
	var b strings.Builder
	b.WriteString("package scopes\n\nimport \"runtime\"\n\ntype Shared struct {\n\tx int\n")
	for k := range conditions {
		fmt.Fprintf(&b, "\tf%d bool\n", k)
	}
	b.WriteString("}\n\nvar Global Shared\n\nfunc work() { Global.x++ }\n")
	for n := range functions {
		g := generator{r: rand.New(rand.NewPCG(uint64(n), 0)), left: conditions}
		fmt.Fprintf(&b, "\nfunc F%d(s *Shared) {\n", n)
		g.block(&b, 2, 2)
		b.WriteString("work()\n}\n")
	}
	file, err := filepath.Abs("testdata/scopes/scopes.go")
	require.NoError(t, err)
	pkgs, err := packages.Load(&packages.Config{Mode: loadMode, Overlay: map[string][]byte{file: []byte(b.String())}}, "./testdata/scopes")
	require.NoError(t, err)
	p := pkgs[0]
	require.Empty(t, p.Errors)
	_, program := sharing.Analyze(pkgs, func(string) bool { return true })
	facts := Derive(program, pkgs, true)

	claims := 0
	for _, d := range p.Syntax[0].Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name == "work" {
			continue
		}
		of := make(map[token.Pos]ast.Stmt) // by the beginning of a condition
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt:
				of[n.Cond.Pos()] = n
			case *ast.SwitchStmt:
				for _, c := range n.Body.List {
					for _, x := range c.(*ast.CaseClause).List {
						of[x.Pos()] = n
					}
				}
			}
			return true
		})
		for outcomes := range 1 << conditions {
			run := run{outcomes: outcomes}
			run.list(f.Body.List)
			for k, e := range run.log {
				stmt := of[e.at]
				s := facts.Scope(Spot{p.Fset, e.at, Branches, 0})
				if stmt == nil || s.LastLine == 0 || !(e.is && s.HarmlessIfTrue || !e.is && s.HarmlessIfFalse) {
					continue
				}
				claims++
				end := slices.IndexFunc(run.log[k:], func(e logged) bool { return e.end == stmt })
				stored := slices.ContainsFunc(run.log[k:k+end], func(e logged) bool { return e.stores })
				require.False(t, stored, "%s: line %d is %t, with %b, and something is stored:\n%s", f.Name, p.Fset.Position(e.at).Line, e.is, outcomes, b.String())
			}
		}
	}
	assert.Greater(t, claims, functions)
}

// A generator writes statements at random, with a new field for each condition.
type generator struct {
	r    *rand.Rand
	left int // fields
}

func (g *generator) block(b *strings.Builder, most, depth int) {
	for range 1 + g.r.IntN(max(1, most)) {
		c := g.r.IntN(7)
		switch {
		case c == 0 || depth == 0 && c < 3:
			b.WriteString("s.x = 1\n")
		case c == 1 || depth == 0 && c < 5:
			b.WriteString("_ = s.x\n")
		case c == 2 || depth == 0 || g.left == 0:
			b.WriteString("runtime.Gosched()\n")
		case c < 5:
			fmt.Fprintf(b, "if %s {\n", g.condition(2))
			g.block(b, most-1, depth-1)
			if g.r.IntN(2) == 0 {
				b.WriteString("} else {\n")
				g.block(b, most-1, depth-1)
			}
			b.WriteString("}\n")
		default:
			b.WriteString("switch {\n")
			for range 1 + g.r.IntN(2) {
				if g.left > 1 {
					x := g.condition(1)
					if g.r.IntN(3) == 0 && g.left > 0 {
						x += ", " + g.condition(0)
					}
					fmt.Fprintf(b, "case %s:\n", x)
					g.block(b, most-1, depth-1)
				}
			}
			if g.r.IntN(2) == 0 {
				b.WriteString("default:\n")
				g.block(b, most-1, depth-1)
			}
			b.WriteString("}\n")
		}
	}
}

func (g *generator) condition(depth int) string {
	if c := g.r.IntN(6); depth > 0 && g.left > 1 {
		switch c {
		case 0, 1:
			return g.condition(depth-1) + " " + []string{"&&", "||"}[c] + " " + g.right(depth-1)
		case 2:
			return "(" + g.condition(depth-1) + ")"
		case 3:
			return "!(" + g.condition(depth-1) + ")"
		}
	}
	if g.left == 0 {
		return "s.f0"
	}
	g.left--
	return fmt.Sprintf("s.f%d", g.left)
}

// right is a right operand, which has parentheses where it needs some.
func (g *generator) right(depth int) string {
	x := g.condition(depth)
	if strings.Contains(x, " ") {
		x = "(" + x + ")"
	}
	return x
}

// A run is one of a function, in which bit k of outcomes is the value of field fk.
type run struct {
	outcomes int
	log      []logged
}

// What is logged is that of an expression that begins at a position, a store, or the end of a
// statement.
type logged struct {
	at     token.Pos
	is     bool
	stores bool
	end    ast.Stmt
}

func (r *run) list(stmts []ast.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.AssignStmt:
			_, field := s.Lhs[0].(*ast.SelectorExpr)
			r.log = append(r.log, logged{stores: field})
		case *ast.IfStmt:
			if r.eval(s.Cond) {
				r.list(s.Body.List)
			} else if s.Else != nil {
				r.list(s.Else.(*ast.BlockStmt).List)
			}
			r.log = append(r.log, logged{end: s})
		case *ast.SwitchStmt:
			r.clauses(s)
			r.log = append(r.log, logged{end: s})
		}
	}
}

func (r *run) clauses(s *ast.SwitchStmt) {
	var other []ast.Stmt
	for _, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		if clause.List == nil {
			other = clause.Body
		}
		if slices.ContainsFunc(clause.List, r.eval) {
			r.list(clause.Body)
			return
		}
	}
	r.list(other)
}

func (r *run) eval(x ast.Expr) (is bool) {
	switch y := x.(type) {
	case *ast.ParenExpr:
		is = r.eval(y.X)
	case *ast.UnaryExpr:
		is = !r.eval(y.X)
	case *ast.BinaryExpr:
		if y.Op == token.LAND {
			is = r.eval(y.X) && r.eval(y.Y)
		} else {
			is = r.eval(y.X) || r.eval(y.Y)
		}
	case *ast.SelectorExpr:
		is = r.outcomes>>(y.Sel.Name[1]-'0')&1 == 1
	}
	r.log = append(r.log, logged{at: x.Pos(), is: is})
	return is
}
