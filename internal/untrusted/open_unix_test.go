//go:build unix

package untrusted

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	require.NoError(t, os.WriteFile(name("file"), []byte("hello"), 0o666))
	require.NoError(t, os.Symlink("file", name("link")))
	require.NoError(t, os.Symlink("/dev/zero", name("endless")))
	require.NoError(t, syscall.Mkfifo(name("pipe"), 0o666))

	for _, file := range []string{"file", "link"} {
		text, err := Read(name(file), 5)
		require.NoError(t, err)
		assert.Equal(t, "hello", string(text))
	}
	for file, want := range map[string]string{
		"file":    "file: expected a file of at most 4 bytes, found 5",
		"endless": "endless: expected a regular file, found a device",
		"pipe":    "pipe: expected a regular file, found a pipe",
		".":       "expected a regular file, found a folder",
		"nosuch":  "nosuch: no such file",
	} {
		_, err := Read(name(file), 4)
		assert.ErrorContains(t, err, want)
	}
	_, err := ReadAll("r", strings.NewReader("hello"), 4)
	assert.EqualError(t, err, "r: expected a file of at most 4 bytes, found more")
}
