package witness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	f := Files{Root: filepath.Join(dir, "m"), GOROOT: filepath.Join(dir, "go"), ModCache: filepath.Join(dir, "mod")}
	for path, name := range map[string]string{
		"m/bank/a.go":                      "bank/a.go",
		"go/src/sync/mutex.go":             "std/sync/mutex.go",
		"mod/golang.org/x/y@v0.1.0/z/z.go": "golang.org/x/y@v0.1.0/z/z.go",
		"mod/github.com/!big/!one@v1/a.go": "github.com/Big/One@v1/a.go",
	} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		assert.Equal(t, name, f.Name(path))
		assert.Equal(t, path, f.Path(name))
	}
	other := filepath.Join(dir, "elsewhere", "a.go")
	assert.Equal(t, other, f.Name(other))
	assert.Equal(t, other, f.Path(other))
	assert.Equal(t, "trimmed/a.go", f.Name("trimmed/a.go"))
	assert.Equal(t, "read at std/sync/mutex.go:1 and a.go:2",
		f.Shorten("read at "+filepath.Join(f.GOROOT, "src", "sync", "mutex.go")+":1 and "+filepath.Join(f.Root, "a.go")+":2"))

	// A folder of the module's own goes first.
	own := filepath.Join(f.Root, "std", "a.go")
	require.NoError(t, os.MkdirAll(filepath.Dir(own), 0o777))
	require.NoError(t, os.WriteFile(own, nil, 0o666))
	assert.Equal(t, own, f.Path(f.Name(own)))
	assert.Equal(t, "/x/a.go", Files{}.Name("/x/a.go"))
	assert.Equal(t, "x.go", Files{}.Path("x.go"))
}
