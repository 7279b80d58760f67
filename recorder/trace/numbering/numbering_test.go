package numbering_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// Numbers are as a map's would be, whatever comes.
func TestNumbers(t *testing.T) {
	var n numbering.Numbers[numbering.Word]
	random := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		want := make(map[numbering.Word]int32)
		for range 10000 {
			key := numbering.Word(random.Uint64() >> random.IntN(64))
			number, known := want[key]
			got, ok := n.Known(key)
			require.Equal(t, known, ok)
			require.Equal(t, number, got)
			if !known {
				number = int32(n.Len())
				want[key] = number
			}
			require.Equal(t, number, n.Of(key))
			require.Equal(t, key, n.Keys()[number])
		}
		require.Len(t, want, n.Len())
		n.Clear()
	}
}
