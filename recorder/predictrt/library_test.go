package predictrt

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inPlace says what stands in for the packages that the library imports, which only the
// patched standard library has as they are needed.
var inPlace = strings.NewReplacer(
	`"runtime"`, `"predictrt/stubs/runtime"`,
	`"internal/runtime/atomic"`, `"predictrt/stubs/atomic"`,
	`"internal/runtime/sys"`, `"predictrt/stubs/sys"`,
	`"internal/strconv"`, `"predictrt/stubs/strconv"`,
	`"internal/stringslite"`, `"predictrt/stubs/stringslite"`,
)

// TestLibrary runs the tests in testdata/library, which are in the library's own package: it
// is compiled here as an ordinary one, with stubs for the runtime.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/library")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module predictrt\n\ngo 1.26\n"), 0o666))
	files, err := Files()
	require.NoError(t, err)
	for name, text := range files {
		if !strings.Contains(name, "/") {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(inPlace.Replace(string(text))), 0o666))
		}
	}
	cmd := exec.Command("go", "test", "-vet=off", "-timeout=1m", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
