package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sample: the whole takes some minutes.
func TestOneSubject(t *testing.T) {
	t.Chdir("../../..")
	out := filepath.Join(t.TempDir(), "replay.md")
	good, err := run(t.Context(), []string{"-n", "3", "-run", "^rwcache$", "-o", out})
	require.NoError(t, err)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.True(t, good, "%s", text)
	require.Equal(t, 2, strings.Count(string(text), "| 3 | 3 | 3 | 3 | 3 | 3 |\n"), "%s", text)
}
