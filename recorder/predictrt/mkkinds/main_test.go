package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesAreThoseOfTheTable(t *testing.T) {
	files, err := generate("..")
	require.NoError(t, err)
	for name, want := range files {
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "go generate ./recorder/predictrt writes %s", name)
	}
}
