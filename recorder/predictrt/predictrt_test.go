package predictrt

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImportsOnlyTheRuntime(t *testing.T) {
	files, err := Files()
	require.NoError(t, err)
	allowed := map[string]bool{`"unsafe"`: true, `"runtime"`: true, `"internal/runtime/atomic"`: true, `"internal/runtime/sys"`: true,
		`"internal/strconv"`: true, `"internal/stringslite"`: true}
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
