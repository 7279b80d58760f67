package recorder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/gotool"
)

// TestPutStandard: what two commands make at the same time is whole for both, and what
// was damaged is made anew.
func TestPutStandard(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, standardPrefix+"1")
	original := filepath.Join(parent, "original.go")
	require.NoError(t, os.WriteFile(original, []byte("package sort"), 0o644))
	make := func(text string) string {
		making, err := os.MkdirTemp(parent, standardPrefix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(making, "sort.go"), []byte(text), 0o644))
		replace := map[string]string{original: filepath.Join(dir, "sort.go")}
		data, err := json.Marshal(standardFiles{replace, originals(replace)})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(making, standardIndex), data, 0o644))
		return making
	}
	content := func() string {
		kept := keptStandard(dir)
		require.NotNil(t, kept)
		text, err := os.ReadFile(kept[original])
		require.NoError(t, err)
		return string(text)
	}
	assert.Nil(t, keptStandard(dir))
	require.NoError(t, putStandard(make("first"), dir))
	assert.Equal(t, "first", content())
	require.NoError(t, putStandard(make("second"), dir))
	assert.Equal(t, "first", content(), "somebody may be reading it")

	require.NoError(t, os.Remove(filepath.Join(dir, "sort.go")))
	assert.Nil(t, keptStandard(dir))
	require.NoError(t, putStandard(make("third"), dir))
	assert.Equal(t, "third", content())

	require.NoError(t, os.WriteFile(original, []byte("package sort // another"), 0o644))
	assert.Nil(t, keptStandard(dir), "it was made of other files")
	require.NoError(t, putStandard(make("fourth"), dir))
	assert.Equal(t, "fourth", content())
}

// The same copies serve however modules are loaded; what selects files has others.
func TestStandardDir(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := func(flags ...gotool.Flag) string {
		d, err := (&Config{Args: gotool.TestArgs{Flags: flags}}).standardDir()
		require.NoError(t, err)
		return d
	}
	assert.Equal(t, dir(), dir(gotool.Flag{Name: "modfile", Value: "other.mod"}, gotool.Flag{Name: "trimpath"}))
	assert.NotEqual(t, dir(), dir(gotool.Flag{Name: "tags", Value: "some"}))
	experiment, err := (&Config{Env: gotool.Env{GOEXPERIMENT: "jsonv2"}}).standardDir()
	require.NoError(t, err)
	assert.NotEqual(t, dir(), experiment)
}
