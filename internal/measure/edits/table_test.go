package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The edits of each subject's own fit its sources, and there are enough of each truth.
func TestOwnEdits(t *testing.T) {
	t.Chdir("../../..")
	all, err := read()
	require.NoError(t, err)
	assert.Len(t, all, 10)
	for _, s := range all {
		counts := make(map[answer]int)
		for _, e := range s.edits {
			counts[e.truth]++
			if e.use == "" && len(e.parts) == 0 || e.truth == fixed && len(e.more) > 0 {
				continue
			}
			dir := filepath.Join(t.TempDir(), s.name)
			require.NoError(t, copySubject(s.name, dir))
			e.more = nil
			changed, err := e.apply(dir)
			require.NoError(t, err, "%s, %s", s.name, e.name)
			assert.True(t, changed, "%s, %s", s.name, e.name)
		}
		assert.GreaterOrEqual(t, counts[there], perTruth, s.name)
		assert.Equal(t, perTruth, counts[fixed], s.name)
	}
}
