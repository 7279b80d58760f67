package trace

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two accesses that overlap are of one generation just where they are to one variable, whatever was at its pages
// before: of random variables in a few pages. All that is free in a page is given back at once, as sweeping does.
func TestGenerationsOfLargeVariables(t *testing.T) {
	type variable struct {
		from, size, span uint64
		freed            bool
	}
	same, other, wide := 0, 0, 0
	for seed := range uint64(8000) {
		r := rand.New(rand.NewPCG(seed, 2))
		const base = 7 * PageSize
		tr := &Trace{}
		var all []*variable
		var of []*variable // by event
		for range 120 {
			v := all[max(0, len(all)-1-r.IntN(6)):]
			switch k := r.IntN(10); {
			case k < 3 || len(v) == 0:
				size := []uint64{64, PageSize / 2, PageSize, 3 * PageSize / 2, 2 * PageSize, 3 * PageSize}[r.IntN(6)]
				n := &variable{from: base + uint64(r.IntN(6))*PageSize, size: size, span: (size + PageSize - 1) / PageSize * PageSize}
				free := true
				for _, o := range all {
					free = free && (o.freed || o.from+o.span <= n.from || n.from+n.span <= o.from)
				}
				if free {
					all = append(all, n)
				}
			case v[0].freed:
			case k < 5:
				v[0].freed = true
				tr.Freed = append(tr.Freed, FreedObjects{FirstAddr: v[0].from, Size: uint32(v[0].span), Mask: 1, Position: int32(len(tr.Events))})
			default:
				from := uint64(r.IntN(int(v[0].size)))
				e := Event{Kind: Write, Obj: v[0].from + from, Size: uint32(min(8, v[0].size-from))}
				if k > 7 {
					e.Size = uint32(1 + r.IntN(int(v[0].size-from)))
				}
				if e.isWide() {
					wide++
				}
				tr.Events, of = append(tr.Events, e), append(of, v[0])
			}
		}
		g := NewGenerations(tr)
		generations := make([]int32, len(tr.Events))
		for i := range tr.Events {
			generations[i] = g.Of(i)
		}
		for i, a := range tr.Events {
			for j, b := range tr.Events[:i] {
				if a.Obj >= b.Obj+uint64(b.Size) || b.Obj >= a.Obj+uint64(a.Size) {
					continue
				}
				require.Equal(t, of[i] == of[j], generations[i] == generations[j], "seed %d: events %d and %d", seed, j, i)
				if of[i] == of[j] {
					same++
				} else {
					other++
				}
			}
		}
	}
	assert.Greater(t, same, 10000)
	assert.Greater(t, other, 10000)
	assert.Greater(t, wide, 1000)
}
