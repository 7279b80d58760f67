package provenance

import (
	"fmt"
	"go/ast"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/recorder/sharing"
)

// TestScopes compares control scopes with the comments in testdata/scopes, which has the
// programs of the figures of Chen and Roşu, 2005.
func TestScopes(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: loadMode}, "./testdata/scopes")
	require.NoError(t, err)
	require.Len(t, pkgs, 1)
	p := pkgs[0]
	require.Empty(t, p.Errors)
	_, program := sharing.Analyze(pkgs, func(string) bool { return true })
	facts := Derive(program, pkgs, true)
	src, err := os.ReadFile(p.CompiledGoFiles[0])
	require.NoError(t, err)
	lines := strings.Split(string(src), "\n")
	ast.Inspect(p.Syntax[0], func(n ast.Node) bool {
		if sw, ok := n.(*ast.SwitchStmt); ok {
			x := sw.Body.List[0].(*ast.CaseClause).List[0]
			_, known := facts.Formula(Spot{p.Fset, x.Pos(), Branches, 0})
			assert.Equal(t, sw.Tag == nil, known, "conditions are those of clauses without a value")
		}
		var cond ast.Expr
		switch n := n.(type) {
		case *ast.IfStmt:
			cond = n.Cond
		case *ast.CaseClause:
			if len(n.List) > 0 {
				cond = n.List[0]
			}
		}
		if cond == nil {
			return true
		}
		line := p.Fset.Position(n.Pos()).Line
		if _, want, ok := strings.Cut(lines[line-1], " // "); ok {
			said := "-"
			if s := facts.Scope(Spot{p.Fset, cond.Pos(), Branches, 0}); s.LastLine != 0 {
				said = fmt.Sprint(s.LastLine - line)
				for _, word := range []struct {
					is   bool
					text string
				}{{s.HarmlessIfTrue, " true"}, {s.HarmlessIfFalse, " false"}, {s.HasCalls, " calls"}} {
					if word.is {
						said += word.text
					}
				}
			}
			assert.Equal(t, want, said, "line %d: %s", line, lines[line-1])
		}
		return true
	})
	none := derive(pkgs) // nobody has asked
	assert.Empty(t, none.scopes)
}
