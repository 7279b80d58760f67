package feasible

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// known is c without the values of cells whose taint is not computed: nobody reads them.
func (c contents) known() contents {
	k := contents{slices.Clone(c.cells), slices.Clone(c.vals)}
	for i := range k.cells {
		if k.cells[i].taint != computed {
			k.vals[i] = 0
		}
	}
	return k
}

// Undone changes leave the contents that were there before them.
func TestChanges(t *testing.T) {
	const cells = 12
	type marked struct {
		changes int
		then    contents
	}
	undone := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(4, seed))
		c, l := contents{make([]cellState, cells), make([]uint64, cells)}, changeLog{}
		write := func() {
			first := r.Int32N(cells)
			n := 1 + r.Int32N(min(3, cells-first))
			l.record(&c, first, n)
			for i := first; i < first+n; i++ {
				c.cells[i] = cellState{r.Int32N(100), r.Int32N(5) - 3}
				if c.cells[i].taint == computed {
					c.vals[i] = r.Uint64()
				}
			}
		}
		for range 10 {
			write()
			require.Empty(t, l.list, "nothing is recorded")
			l.start()
			marks := []marked{{0, c.known()}}
			for range 20 {
				for range r.IntN(20) {
					write()
				}
				if r.IntN(2) == 0 {
					marks = append(marks, marked{len(l.list), c.known()})
					continue
				}
				marks = marks[:1+r.IntN(len(marks))]
				last := marks[len(marks)-1]
				undone += len(l.list) - last.changes
				l.undo(&c, last.changes)
				require.Equal(t, last.then, c.known(), "seed %d", seed)
			}
			l.stop()
		}
	}
	assert.Greater(t, undone, 1000)
}
