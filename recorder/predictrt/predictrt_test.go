package predictrt

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// constants returns the names of the first const block in a Go file.
func constants(t *testing.T, path string, src any) []string {
	f, err := parser.ParseFile(token.NewFileSet(), path, src, 0)
	require.NoError(t, err)
	for _, d := range f.Decls {
		block, ok := d.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		var names []string
		for _, s := range block.Specs {
			// A name that a function has already ends with an underscore.
			names = append(names, strings.TrimSuffix(s.(*ast.ValueSpec).Names[0].Name, "_"))
		}
		return names
	}
	t.Fatalf("expected a const block in %s, found none", path)
	return nil
}

func TestKindsAreThoseOfTheTrace(t *testing.T) {
	files, err := Files()
	require.NoError(t, err)
	require.Equal(t, constants(t, "../trace/kind.go", nil), constants(t, "kinds.go", files["kinds.go"]))
	names := constants(t, "../trace/kind.go", nil)
	words := regexp.MustCompile(`(\w+?)_?: "(\w+)"`).FindAllStringSubmatch(string(files["kinds.go"]), -1)
	require.Len(t, words, int(trace.NumKinds)-1)
	for _, word := range words {
		require.Equal(t, trace.Kind(slices.Index(names, word[1])).String(), word[2], word[1])
	}
}

func TestImportsOnlyTheRuntime(t *testing.T) {
	files, err := Files()
	require.NoError(t, err)
	allowed := map[string]bool{`"unsafe"`: true, `"runtime"`: true, `"internal/runtime/atomic"`: true, `"internal/runtime/sys"`: true}
	for name, text := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		require.NoError(t, err)
		inside := f.Name.Name == "inside"
		require.True(t, inside || f.Name.Name == "predictrt", name)
		for _, im := range f.Imports {
			require.True(t, allowed[im.Path.Value] || inside && im.Path.Value == `"predictrt"`, "%s imports %s", name, im.Path.Value)
		}
	}
}
