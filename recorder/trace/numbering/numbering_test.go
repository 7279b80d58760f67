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

// A table is as a map is, and tells what came in which order.
func TestTable(t *testing.T) {
	var table numbering.Table[numbering.Word, int]
	random := rand.New(rand.NewPCG(1, 2))
	want := make(map[numbering.Word]int)
	var order []numbering.Word
	for n := range 10000 {
		key := numbering.Word(random.Uint64() >> random.IntN(64))
		if _, known := want[key]; !known {
			require.Nil(t, table.Known(key))
			require.Zero(t, *table.Of(key))
			order = append(order, key)
		}
		require.Equal(t, want[key], *table.Known(key))
		*table.Of(key), want[key] = n, n
	}
	for k, n := range table.Values() {
		require.Equal(t, want[order[k]], *n)
	}
	require.Len(t, table.Values(), len(want))
}
