package replayer

import (
	"os"
	"strings"
	"testing"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However many replays there are, of their files only the trace that is shown stays.
func TestFolderKeeps(t *testing.T) {
	for _, directly := range []bool{true, false} {
		f := NewFolder(t.TempDir())
		shown := ""
		for i := range 20 {
			made, err := f.nextFiles(directly)
			require.NoError(t, err)
			if i == 3 {
				shown = made.trace
			}
			for _, name := range []string{made.plan, made.verdict, made.trace} {
				require.NoError(t, os.WriteFile(name, []byte(made.trace+strings.Repeat("x", smallTrace)), 0o600))
			}
			f.freeExcept(shown)
		}
		text, err := os.ReadFile(shown)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), shown))
		assert.Len(t, append(names(f.memoryFiles), f.traceFiles...), 1)
		f.freeExcept("")
		assert.Empty(t, append(names(f.memoryFiles), f.traceFiles...))
	}
}

// A program that may not look into this process gets files in a folder.
func TestFolderFallsBack(t *testing.T) {
	work := NewFolder(t.TempDir())
	r := confirm(t, Options{Folder: work}, append([]string{"outside"}, append(stands, "trace it")...)...)
	assert.Equal(t, bug.Confirmed, r.Status, r.Reason)
	text, err := os.ReadFile(r.Trace)
	require.NoError(t, err)
	assert.Equal(t, "it", string(text))
}

func names(files []*os.File) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Name())
	}
	return out
}
