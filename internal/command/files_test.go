package command

import (
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
