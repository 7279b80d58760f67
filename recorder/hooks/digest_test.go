package hooks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

func TestDigests(t *testing.T) { eachRelease(t, testDigests) }

func testDigests(t *testing.T, toolchain string) {
	var got []uint64
	var operands []uint64
	for _, e := range recordBuilt(t, toolchain, "^TestDigests$").Events {
		switch {
		case e.Kind == trace.Operand:
			require.True(t, e.HasValue())
			operands = append(operands, e.Val)
		case e.Kind.IsPlain() && e.Site&trace.SiteRewritten != 0:
			require.True(t, e.HasValue(), "event %v", e)
			got = append(got, e.Val)
		}
	}
	var want []uint64
	twice := func(v uint64) { want = append(want, v, v) } // the store and the load
	for _, s := range []string{"", "x", "done", strings.Repeat("ab", 20), strings.Repeat("y", 256)} {
		twice(trace.Digest(s))
		twice(trace.Digest(s))
	}
	twice(trace.Digest("done"))
	require.Greater(t, len(got), len(want)+2*6)
	errs := got[len(want):][:2*6]
	require.Equal(t, []uint64{0, 0, 0, 0}, errs[:4])
	require.NotZero(t, errs[4])
	require.Equal(t, []uint64{errs[4], errs[4], errs[4], errs[4]}, errs[4:8], "as an error, and as any")
	require.Equal(t, []uint64{errs[8], errs[8], errs[8], errs[8]}, errs[8:12])
	require.NotEqual(t, errs[4], errs[8], "another error with the same text")
	others := got[len(want)+2*6:]
	require.Equal(t, want, got[:len(want)])
	require.Len(t, others, 2*9)
	seen := map[uint64]bool{}
	for i := 0; i < 14; i += 2 {
		require.Equal(t, others[i], others[i+1])
		require.False(t, seen[others[i]], "value %d", i/2)
		seen[others[i]] = true
	}
	require.Equal(t, others[0], others[14], "1 and 1")
	require.Equal(t, uint64(3), others[16], "a slice's length")
	require.Equal(t, []uint64{trace.Digest("done")}, operands)
}

func TestNoDigests(t *testing.T) { eachRelease(t, testNoDigests) }

func testNoDigests(t *testing.T, toolchain string) {
	n := 0
	for _, e := range recordBuilt(t, toolchain, "^TestNoDigests$").Events {
		if e.Kind.IsPlain() && e.Site&trace.SiteRewritten != 0 {
			require.False(t, e.HasValue(), "access %d", n)
			n++
		}
	}
	require.Equal(t, 2*8, n)
}
