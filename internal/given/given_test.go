package given

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

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
		"file":    "file: want a file of at most 4 bytes, found 5",
		"endless": "endless: want a regular file, found a device",
		"pipe":    "pipe: want a regular file, found a pipe",
		".":       "want a regular file, found a folder",
		"nosuch":  "nosuch: no such file",
	} {
		_, err := Read(name(file), 4)
		assert.ErrorContains(t, err, want)
	}
	_, err := ReadAll("r", strings.NewReader("hello"), 4)
	assert.EqualError(t, err, "r: want a file of at most 4 bytes, found more")
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[31m\xff\u009b ü\n")
	f.Fuzz(func(t *testing.T, s string) {
		p := Printable(s)
		assert.NotContains(t, p, "\x1b")
		assert.True(t, utf8.ValidString(p))
		assert.Equal(t, p, Printable(p), "what is printable stays")
		assert.NotContains(t, Line(s), "\n")
	})
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext, ü 日本 ▶ │":  "plain\n\ttext, ü 日本 ▶ │",
		"\x1b]0;title\a \x1b[2J":   `\x1b]0;title\a \x1b[2J`,
		"a\rb\x7f\u009b31m\u202ex": `a\rb\x7f\u009b31m\u202ex`,
		"a\xff\x9b2J �":            `a\xff\x9b2J �`,
		`a \x1b b`:                 `a \x1b b`,
	} {
		assert.Equal(t, want, Printable(in), fmt.Sprintf("%q", in))
	}
}
