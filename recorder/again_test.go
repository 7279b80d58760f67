package recorder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAgain(t *testing.T) {
	wrapper := script(t, `shift; V=wrapped exec "$@"`)
	for exit, want := range map[string]Result{"0": Pass, "1": Fail} {
		dir := t.TempDir()
		file := filepath.Join(dir, "trace")
		bin := script(t, `pwd >said; echo "$1 $V $GOPREDICT_RT" >>said; echo nobody sees it; : >trace; exit `+exit)
		first := Run{Package: Package{Path: "p", Dir: dir}, Binary: bin, Args: []string{"-test.v"}, Env: os.Environ(), Exec: []string{wrapper, "x"}}
		again, err := first.Again(t.Context(), Seed(3), []string{"-test.run=^TestX$"}, file, time.Minute)
		require.NoError(t, err)
		assert.Equal(t, want, again.Result)
		assert.Equal(t, file, again.Trace)
		assert.Equal(t, Seed(3), again.Order)
		said, err := os.ReadFile(filepath.Join(dir, "said"))
		require.NoError(t, err)
		assert.Equal(t, dir+"\n-test.run=^TestX$ wrapped record;trace="+file+limited+";order=seed3\n", string(said))
	}
}

func TestAgainEnds(t *testing.T) {
	dir := t.TempDir()
	r, err := Run{Package: Package{Dir: dir}, Binary: script(t, "while :; do :; done")}.Again(t.Context(), NewestFirst, nil, filepath.Join(dir, "trace"), time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, Fail, r.Result)
	assert.Empty(t, r.Trace)
}
