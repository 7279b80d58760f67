package recorder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPutInside: what two commands make at the same time is whole for both, and what
// was damaged is made anew.
func TestPutInside(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, insidePrefix+"1")
	make := func(text string) string {
		making, err := os.MkdirTemp(parent, insidePrefix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(making, "sort.go"), []byte(text), 0o644))
		require.NoError(t, writeOverlay(filepath.Join(making, insideIndex), map[string]string{"/go/sort.go": filepath.Join(dir, "sort.go")}))
		return making
	}
	content := func() string {
		kept := keptInside(dir)
		require.NotNil(t, kept)
		text, err := os.ReadFile(kept["/go/sort.go"])
		require.NoError(t, err)
		return string(text)
	}
	assert.Nil(t, keptInside(dir))
	require.NoError(t, putInside(make("first"), dir))
	assert.Equal(t, "first", content())
	require.NoError(t, putInside(make("second"), dir))
	assert.Equal(t, "first", content(), "somebody may be reading it")

	require.NoError(t, os.Remove(filepath.Join(dir, "sort.go")))
	assert.Nil(t, keptInside(dir))
	require.NoError(t, putInside(make("third"), dir))
	assert.Equal(t, "third", content())
}
