package order

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Of locations those overlap that share a byte, of several groups as of each by itself.
func TestOverlaps(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(5, seed))
		var groups []Group
		var want [][]int32 // of all
		for range 1 + r.IntN(5) {
			locs := make([]Location, 1+r.IntN(1+r.IntN(30)))
			for i := range locs {
				locs[i] = Location{Obj: r.Uint64N(60), Size: []uint32{1, 2, 4, 8, 40}[r.IntN(5)]}
			}
			slices.SortFunc(locs, func(a, b Location) int { return a.compare(&b) })
			locs = slices.Compact(locs)
			o, first := findOverlaps(locs), int32(len(want))
			assert.Equal(t, len(locs) == 1, o == nil)
			groups = append(groups, Group{Locations: locs, Overlaps: o})
			for i, a := range locs {
				var own, its []int32
				for k, b := range locs {
					share := a.Obj < b.end() && b.Obj < a.end()
					require.Equal(t, share, o.Share(int32(i), int32(k)), "%v %v", a, b)
					if share {
						own, its = append(own, int32(k)), append(its, first+int32(k))
					}
				}
				want = append(want, its)
				require.Equal(t, own, slices.Collect(o.Of(int32(i))), "%v", locs)
				require.Equal(t, len(own), o.Count(int32(i)))
			}
		}
		all := AllOverlaps(groups)
		require.Equal(t, len(want), all.Len())
		for i, its := range want {
			require.Equal(t, its, slices.Collect(all.Of(int32(i))))
			for n, k := range its {
				var some []int32
				for l := range all.Of(int32(i)) {
					if some = append(some, l); l == k {
						break
					}
				}
				require.Equal(t, its[:n+1], some)
			}
			for k := range want {
				require.Equal(t, slices.Contains(its, int32(k)), all.Share(int32(i), int32(k)))
			}
		}
	}
}

// Locations that one access covers have one list of what is before them.
func TestCoveredLocationsShareTheirList(t *testing.T) {
	locs := []Location{{Obj: 0, Size: 1 << 20}}
	for at := range uint64(1000) {
		locs = append(locs, Location{Obj: 8 * at, Size: 8})
	}
	slices.SortFunc(locs, func(a, b Location) int { return a.compare(&b) })
	assert.Less(t, len(findOverlaps(locs).listsBefore), 10)
}
