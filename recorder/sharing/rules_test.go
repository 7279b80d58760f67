package sharing

import (
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
	packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax |
	packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest

// load loads the variants of the packages that have their tests.
func load(t *testing.T, dir string) []*packages.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: loadMode, Dir: dir, Tests: true}, "./...")
	require.NoError(t, err)
	var tested []*packages.Package
	for _, p := range pkgs {
		require.Empty(t, p.Errors)
		if p.ForTest != "" {
			tested = append(tested, p)
		}
	}
	require.NotEmpty(t, tested)
	return tested
}

// TestRules compares the facts with the comments in testdata/rules: after the
// words "quiet", "loud", "decided", "undecided", "elements quiet" and "elements
// loud" come expressions of the comment's line.
func TestRules(t *testing.T) {
	pkgs := load(t, "testdata/rules")
	facts, _ := Analyze(pkgs, func(string) bool { return false })
	checked := 0
	for _, p := range pkgs {
		for _, file := range p.Syntax {
			checked += checkComments(t, facts, p, file, expressions(p, file))
		}
	}
	assert.Greater(t, checked, 80)
}

// verdict is the word for what the facts say of x, of the kind of word.
func verdict(f *Facts, p *packages.Package, x ast.Expr, word string) string {
	say := func(ok bool, yes, no string) string {
		if ok {
			return yes
		}
		return no
	}
	switch {
	case strings.HasSuffix(word, "decided"):
		return say(f.SkipsBranch(x), "decided", "undecided")
	case strings.HasPrefix(word, "elements"):
		return say(f.SkipsElements(x), "elements quiet", "elements loud")
	}
	if id, ok := x.(*ast.Ident); ok {
		if v, ok := p.TypesInfo.ObjectOf(id).(*types.Var); ok {
			return say(f.SkipsVariable(p.Fset, v), "quiet", "loud")
		}
	}
	return say(f.SkipsAccess(p.Fset, x), "quiet", "loud")
}

// expressions finds the expressions on each line, by their text.
func expressions(p *packages.Package, file *ast.File) map[int]map[string][]ast.Expr {
	onLine := map[int]map[string][]ast.Expr{}
	ast.Inspect(file, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			line := p.Fset.Position(x.Pos()).Line
			if onLine[line] == nil {
				onLine[line] = map[string][]ast.Expr{}
			}
			text := types.ExprString(x)
			onLine[line][text] = append(onLine[line][text], x)
		}
		return true
	})
	return onLine
}

// TestEqualResults: builds stay cached only if the same program gets the same
// hooks.
func TestEqualResults(t *testing.T) {
	pkgs := load(t, "testdata/rules")
	imported := func(string) bool { return false }
	want, _ := Analyze(pkgs, imported)
	for range 5 {
		got, _ := Analyze(pkgs, imported)
		assert.Equal(t, want, got)
	}
}

// TestImportedPackage: what is exported may be called by the importers.
func TestImportedPackage(t *testing.T) {
	pkgs := load(t, "testdata/rules")
	for _, imported := range []bool{true, false} {
		facts, _ := Analyze(pkgs, func(path string) bool { return imported && path == "example.com/rules" })
		for _, p := range pkgs {
			for _, file := range p.Syntax {
				for _, list := range expressions(p, file) {
					for _, x := range list["p.n"] {
						if fn := enclosing(file, x); fn == "Exported" {
							assert.Equal(t, !imported, facts.SkipsAccess(p.Fset, x))
						}
					}
				}
			}
		}
	}
}

// enclosing is the name of the declared function that x is in.
func enclosing(file *ast.File, x ast.Expr) string {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= x.Pos() && x.Pos() < fn.End() {
			return fn.Name.Name
		}
	}
	return ""
}
