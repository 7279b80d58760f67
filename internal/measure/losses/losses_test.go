package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoRaceIsLost(t *testing.T) {
	work := t.TempDir()
	random, err := writeRandom(work, 7, 60)
	require.NoError(t, err)
	subject, err := filepath.Abs("../../../testdata/applications/rwcache")
	require.NoError(t, err)
	for _, dir := range []string{random, subject} {
		c, err := compare(t.Context(), dir, t.TempDir())
		require.NoError(t, err)
		assert.Empty(t, c.lost)
		assert.NotZero(t, c.candidates)
		assert.Less(t, c.kept, c.sites)
		assert.NotZero(t, c.quiet)
	}
}
