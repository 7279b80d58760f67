//go:build long

package suites

import (
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStaticCommand builds the command for systems without glibc: it needs no
// dynamic linker then, and does all but ask Z3.
func TestStaticCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	static := filepath.Join(dir, "gopredict")
	r := run(t, root, []string{"CGO_ENABLED=0"}, "go", "build", "-tags", "noz3", "-o", static, ".")
	require.Zero(t, r.exit, r)
	if runtime.GOOS == "linux" {
		f, err := elf.Open(static)
		require.NoError(t, err)
		defer f.Close()
		for _, p := range f.Progs {
			require.NotEqual(t, elf.PT_INTERP, p.Type, "it asks for a dynamic linker")
		}
	}
	trace := "T0|fork(T1)|1\nT0|w(x)|2\nT1|w(x)|3\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "race.std"), []byte(trace), 0o666))
	r = run(t, dir, nil, static, "analyze", "race.std")
	require.Zero(t, r.exit, r)
	require.Contains(t, r.stdout, "1 predicted")
	r = run(t, dir, nil, static, "analyze", "-predict.solver=z3", "race.std")
	require.Equal(t, 2, r.exit, r)
	require.Contains(t, r.stderr, "not built with -tags noz3: use the built-in engine")
}
