package trace

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each event has the number that it was given, while others are added, too: with runs of one event, and such as go
// on over blocks.
func TestRunLength(t *testing.T) {
	for _, longest := range []int{1, 3, 200} {
		rng := rand.New(rand.NewPCG(uint64(longest), 0))
		var want []int32
		r := NewRunLength(100)
		for len(want) < 1000 {
			v := rng.Int32N(4)
			for range 1 + rng.IntN(longest) {
				want = append(want, v)
				r.Add(v)
				i := rng.IntN(len(want))
				assert.Equal(t, want[i], r.At(i))
			}
		}
		for i, v := range want {
			assert.Equal(t, v, r.At(i), "event %d, longest run %d", i, longest)
		}
	}
}
