package main

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample names programs that have a bit of everything.
//
//go:embed testdata/sample.txt
var sample string

// TestSample runs some of the programs instrumented. What they must do is what
// Go expects of them plainly.
func TestSample(t *testing.T) {
	names := strings.Fields(sample)
	require.Len(t, names, 76)
	s, err := newSuite(t.Context(), t.TempDir())
	require.NoError(t, err)
	s.limit, s.log = 2*time.Minute, t.Logf
	s.programs, err = list(s.root, regexp.MustCompile("^("+strings.ReplaceAll(regexp.QuoteMeta(strings.Join(names, " ")), " ", "|")+")$"))
	require.NoError(t, err)
	require.Len(t, s.programs, len(names))
	for _, p := range s.programs {
		require.NoError(t, p.copy(s.dir, s.language()), p.name)
	}
	require.NoError(t, s.instrumented(t.Context(), s.programs))
	for _, p := range s.programs {
		assert.Empty(t, p.failed, p.name)
		assert.Empty(t, p.skipped, p.name)
	}
}

func TestSplit(t *testing.T) {
	assert.Equal(t, []string{"run", "-gcflags=all=-N -l", "a b", ""}, split(` run	-gcflags='all=-N -l' "a b"  '' `))
	assert.Empty(t, split(" "))
}
