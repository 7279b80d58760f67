package order

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Clocks that grow in place are what vectors would be, and change none that was there before.
func TestClocksGrow(t *testing.T) {
	for _, n := range []int{3, 70, 600} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			cs := newClocks(n)
			clocks, vectors := []clock{0}, [][]int32{make([]int32, n)}
			for range 400 {
				k := r.IntN(len(clocks))
				c, v := clocks[k], slices.Clone(vectors[k])
				cs.grow()
				for range r.IntN(12) {
					if g := r.IntN(n); r.IntN(2) == 0 {
						to := r.Int32N(100)
						c, v[g] = cs.set(c, uint32(g), to), max(v[g], to)
						continue
					}
					with := r.IntN(len(clocks))
					c = cs.join(c, clocks[with])
					for g, at := range vectors[with] {
						v[g] = max(v[g], at)
					}
				}
				require.Equal(t, slices.Equal(v, vectors[k]), c == clocks[k], "a clock is another one just if it has grown")
				clocks, vectors = append(clocks, c), append(vectors, v)
			}
			for k, c := range clocks {
				for g, at := range vectors[k] {
					require.Equal(t, at, cs.get(c, uint32(g)))
				}
			}
		})
	}
}
