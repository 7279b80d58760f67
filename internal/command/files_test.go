package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFormatOf(t *testing.T) {
	for data, want := range map[string]string{
		"":                          "text",
		"gopredict trace 1\n":       "text",
		"T1|w(x)|12\nT2|r(x)|13\n":  "rapid",
		"GPTRACE1":                  "binary",
		"GPTRACE9 of the future":    "binary",
		"\x7fELF\x00\x01|x|y":       "binary",
		"# a comment | with bars\n": "text",
	} {
		assert.Equal(t, want, formatOf([]byte(data)), "%q", data)
	}
}

// A file that cannot be written to the end is not there, whatever was there before.
func TestFilesAreWholeOrGone(t *testing.T) {
	s := &session{dir: t.TempDir()}
	name := filepath.Join(s.dir, "page.html")
	write := func(w io.Writer) error { _, err := io.WriteString(w, "page"); return err }
	require.NoError(t, s.createFile("page.html", write))
	require.FileExists(t, name)
	full := errors.New("no space left on device")
	require.ErrorIs(t, s.createFile("page.html", func(w io.Writer) error { return errors.Join(write(w), full) }), full)
	require.NoFileExists(t, name)
	require.ErrorIs(t, s.createFile(os.DevNull, func(io.Writer) error { return full }), full)
	_, err := os.Stat(os.DevNull)
	require.NoError(t, err)
}

func TestFolderAbove(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "p", "testdata", "predict", "TestX")
	require.NoError(t, os.MkdirAll(sub, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p", "p_test.go"), nil, 0o666))
	assert.Empty(t, folderAbove(filepath.Join(sub, "race-1")), "outside of modules")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o666))
	assert.Empty(t, folderAbove(filepath.Join(dir, "testdata", "race-1")))
	assert.Equal(t, filepath.Join(dir, "p"), folderAbove(filepath.Join(sub, "race-1")))
}
