package order_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
)

// A Numbering is as a map would be, whatever comes.
func TestNumbering(t *testing.T) {
	var n order.Numbering
	want := make(map[uint64]int32)
	random := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		obj := random.Uint64() >> random.IntN(64)
		number, known := want[obj]
		got, ok := n.Known(obj)
		require.Equal(t, known, ok)
		require.Equal(t, number, got)
		if !known {
			number = int32(n.Len())
			want[obj] = number
		}
		require.Equal(t, number, n.Of(obj))
	}
	require.Len(t, want, n.Len())
}
