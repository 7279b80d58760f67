package rewrite

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// Atomic regions begin in the functions that are to be such, and change nothing.
func TestRegions(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/regions.txtar")
	require.NoError(t, err)
	for _, methods := range []bool{false, true} {
		m := newModule(t, archive)
		m.methods = methods
		plain := m.output(t)
		m.instrument(t)
		assert.Equal(t, plain, m.output(t))
		var got []string
		for _, s := range m.result.Sites {
			if s.Op == "regionbegin" {
				got = append(got, strings.TrimPrefix(s.Func, "example.com/regions."))
			}
		}
		want := []string{"marked", "cleanup"}
		if methods {
			want = append(want, "(*account).deposit", "account.twice", "(*shared).get")
		}
		assert.ElementsMatch(t, want, got)
	}
}
