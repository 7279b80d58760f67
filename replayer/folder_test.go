package replayer

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However many replays there are, of their files only the trace that is shown stays.
func TestFolderKeeps(t *testing.T) {
	f := NewFolder(t.TempDir())
	shown := ""
	for i := range 20 {
		made, err := f.nextFiles()
		require.NoError(t, err)
		if i == 3 {
			shown = made.trace
		}
		for _, name := range []string{made.plan, made.verdict, made.trace} {
			require.NoError(t, os.WriteFile(name, []byte(made.trace+strings.Repeat("x", 100)), 0o600))
		}
		f.removeExcept(shown)
	}
	text, err := os.ReadFile(shown)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), shown))
	assert.Len(t, f.names, 1)
	f.removeExcept("")
	assert.Empty(t, f.names)
	_, err = os.Stat(shown)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
