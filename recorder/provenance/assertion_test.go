package provenance

import (
	"go/ast"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/recorder/sharing"
)

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
	packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax |
	packages.NeedTypesInfo | packages.NeedModule | packages.NeedForTest

// derive analyses packages of which everything may be called from elsewhere.
func derive(pkgs []*packages.Package) *Facts {
	_, p := sharing.Analyze(pkgs, func(string) bool { return true })
	return Derive(p, pkgs, false)
}

var (
	reading = regexp.MustCompile(`@([0-9a-f]+)[iu]\d+`)
	name    = regexp.MustCompile(`^\w+`)
)

// TestAssertions compares what assertions say with the comments in testdata/asserted,
// which has each without and with a message, as functions and as methods of packages
// assert and require.
func TestAssertions(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: loadMode}, "./testdata/asserted")
	require.NoError(t, err)
	require.Len(t, pkgs, 1)
	p := pkgs[0]
	require.Empty(t, p.Errors)
	facts := derive(pkgs)
	src, err := os.ReadFile(p.CompiledGoFiles[0])
	require.NoError(t, err)
	lines := strings.Split(string(src), "\n")
	forms := map[string]bool{}
	ast.Inspect(p.Syntax[0], func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		line := p.Fset.Position(c.Pos()).Line
		call, want, ok := strings.Cut(lines[line-1], " // ")
		if !ok {
			return true
		}
		said := "-"
		if f, ok := facts.Formula(Spot{p.Fset, c.Lparen, Asserts, 0}); ok {
			said = reading.ReplaceAllStringFunc(f.String(), func(word string) string {
				key, err := strconv.ParseUint(reading.FindStringSubmatch(word)[1], 16, 64)
				require.NoError(t, err)
				return string(name.Find(src[p.Fset.Position(facts.SpotOfKey(key).Pos).Offset:]))
			})
		}
		assert.Equal(t, want, said, "line %d: %s", line, call)
		form := c.Fun.(*ast.SelectorExpr).Sel.Name
		if _, ok := assertions[form]; !ok {
			form = strings.TrimSuffix(form, "f") + " with a message"
		}
		forms[form] = true
		return false // New(t), which is a part of some
	})
	for form := range assertions {
		assert.Contains(t, forms, form)
		assert.Contains(t, forms, form+" with a message")
	}
}

// TestEqualResults: builds stay cached only if the same program gets the same hooks.
func TestEqualResults(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: loadMode}, "./testdata/asserted", ".")
	require.NoError(t, err)
	want := derive(pkgs)
	require.NotEmpty(t, want.TrackedReads())
	for range 5 {
		assert.Equal(t, want, derive(pkgs))
	}
}

func TestNothingIsKnown(t *testing.T) {
	_, p := sharing.Analyze(nil, func(string) bool { return true })
	for _, facts := range []*Facts{{}, Derive(p, nil, true)} {
		_, known := facts.Formula(Spot{})
		assert.False(t, known)
		assert.Empty(t, facts.TrackedReads())
	}
}
