package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// What saturate finds is what paths of edges say, and each value has its reason.
func TestSaturateFindsAllPaths(t *testing.T) {
	for seed := range uint64(200) {
		const n = 12
		r := rand.New(rand.NewPCG(seed, 4))
		s := newSearch()
		s.terms = newEncoding(NewFormula())
		s.order.grow(n)
		var before [n][n]bool
		for range 14 {
			if a, b := r.Int32N(n), r.Int32N(n); a*5%n < b*5%n { // numbers say little of the order
				s.order.fact(a, b)
				before[a][b] = true
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					before[i][j] = before[i][j] || before[i][k] && before[k][j]
				}
			}
		}
		atoms := make(map[[2]int32]lit)
		for a := range int32(n) {
			for b := range a {
				atoms[[2]int32{b, a}] = lit(s.newVariable(meaning{inOrder, b, a}) << 1)
				s.order.newAtom(b, a, atoms[[2]int32{b, a}])
			}
		}
		require.True(t, s.order.sortFacts())
		s.order.saturate(s)
		for p, l := range atoms {
			require.Equal(t, before[p[0]][p[1]], s.value[l] > 0, "seed %d: %v", seed, p)
			require.Equal(t, before[p[1]][p[0]], s.value[l] < 0, "seed %d: %v", seed, p)
			if s.value[l] != 0 {
				require.Empty(t, s.reasonOf(s.trail[s.position[l.variable()]]), "facts have no reasons")
			}
		}
		require.False(t, s.order.saturate(s), "there is nothing more")
	}
}
