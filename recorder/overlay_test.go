package recorder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Files get times by what is in them, wherever they are: the go command then knows
// them from the run before.
func TestDate(t *testing.T) {
	dir := t.TempDir()
	replace := map[string]string{}
	for name, text := range map[string]string{"a": "package p", "b": "package p", "c": "package q"} {
		replace[name] = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(replace[name], []byte(text), 0o666))
	}
	require.NoError(t, dateByContent(replace))
	times := map[string]time.Time{}
	for name, file := range replace {
		info, err := os.Stat(file)
		require.NoError(t, err)
		times[name] = info.ModTime()
		require.Less(t, info.ModTime().Year(), 2002)
	}
	require.Equal(t, times["a"], times["b"])
	require.NotEqual(t, times["a"], times["c"])
}
