package hooks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// What a variable held before its first write is told, once.
func TestHeld(t *testing.T) { eachRelease(t, testHeld) }

func testHeld(t *testing.T, toolchain string) {
	tr := recordBuilt(t, toolchain, "^TestHeld$")
	var got []uint64
	for _, h := range tr.PriorValues {
		if tr.Events[h.Position].Site&trace.SiteRewritten != 0 {
			got = append(got, h.Val)
		}
	}
	require.Equal(t, []uint64{42, 0xff, trace.Digest("before"), 0, 0, 7, 3, 4}, got)

	tr = recordBuilt(t, toolchain, "^TestHeldAgain$")
	got = nil
	for _, h := range tr.PriorValues {
		if tr.Events[h.Position].Site&trace.SiteRewritten != 0 {
			got = append(got, h.Val)
		}
	}
	require.Equal(t, []uint64{9, 9, 9}, got, "other variables may lie at one address")

	tr = recordBuilt(t, toolchain, "^TestHeldMany$|^TestHeldAnew$")
	told := map[string]int{}
	last := uint64(0)
	for _, h := range tr.PriorValues {
		if tr.Events[h.Position].Site&trace.SiteRewritten == 0 {
			continue
		}
		told[tr.Goroutines[tr.Events[h.Position].G].Test]++
		last = h.Val
	}
	require.Equal(t, map[string]int{"TestHeldMany": 1 << 14, "TestHeldAnew": 1}, told)
	require.Equal(t, uint64(2), last)
}
