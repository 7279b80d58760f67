package feasible

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// known is c without what its taints say that nobody reads.
func (c contents) known() contents {
	k := contents{slices.Clone(c.cells), slices.Clone(c.vals)}
	for i := range k.cells {
		if k.cells[i].taint != computed {
			k.vals[i] = 0
		}
	}
	return k
}

// Contents are again at each mark what they were there, with no more listed after the last mark than there may be.
func TestChanges(t *testing.T) {
	const cells, most = 12, 20
	type marked struct {
		changes int
		then    contents
	}
	copies, others := 0, 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(4, seed))
		c, l := contents{make([]cellState, cells), make([]uint64, cells)}, changes{most: most}
		write := func() {
			first := r.Int32N(cells)
			n := 1 + r.Int32N(min(3, cells-first))
			l.keep(&c, first, n)
			for i := first; i < first+n; i++ {
				c.cells[i] = cellState{r.Int32N(100), r.Int32N(5) - 3}
				if c.cells[i].taint == computed {
					c.vals[i] = r.Uint64()
				}
			}
		}
		var marks []marked
		for range 20 {
			for range r.IntN(2 * most) {
				write()
			}
			require.Zero(t, l.list.n+len(l.vals), "nothing is kept")
			l.start()
			marks = append(marks[:0], marked{0, c.known()})
			for range 20 {
				for range r.IntN(most) {
					write()
					require.LessOrEqual(t, l.list.n, marks[len(marks)-1].changes+most)
				}
				switch {
				case l.keeps == aCopy:
					copies++
				case r.IntN(2) == 0:
					marks = append(marks, marked{l.mark(), c.known()})
					continue
				}
				marks = marks[:1+r.IntN(len(marks))]
				last := marks[len(marks)-1]
				l.back(&c, last.changes)
				require.Equal(t, last.then, c.known(), "seed %d", seed)
				others += len(l.vals)
			}
			l.stop()
		}
	}
	assert.Greater(t, copies, 1000)
	assert.Greater(t, others, 1000)
}
