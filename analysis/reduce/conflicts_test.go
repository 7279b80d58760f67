package reduce

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Which accesses conflict with none is what looking at each trace.Granule's life one by one gives.
func TestConflicts(t *testing.T) {
	free, meet := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		const base = 3*trace.PageSize - 128 // so that some are over the end of a page
		tr := &trace.Trace{}
		for range 5 + r.IntN(40) {
			e := trace.Event{Kind: trace.Read, G: trace.GID(r.IntN(3)), Site: trace.SiteID(r.IntN(12)), Obj: base + uint64(r.IntN(256)), Size: uint32(1 + r.IntN(16))}
			switch r.IntN(12) {
			case 0, 1:
				e.Kind = trace.Write
			case 2:
				e.Kind, e.Size = trace.Acquire, 0
			case 3:
				e.Kind = trace.AtomicLoad
			case 4:
				e.Size = 64
			case 5:
				tr.Freed = append(tr.Freed, trace.FreedObjects{FirstAddr: base + uint64(r.IntN(16))*16, Size: 16, Mask: uint64(1 + r.IntN(3)), Position: int32(len(tr.Events))})
			}
			tr.Events = append(tr.Events, e)
		}
		bare := []bool{false, true, true}
		c := newConflicts(bare)
		c.scan(tr, c.findUsers)
		c.rewind()
		c.scan(tr, c.findConflictFree)
		want := conflictFree(tr)
		n := 0
		for i, e := range tr.Events {
			if bare[e.G] && e.Kind.IsPlain() {
				require.Equal(t, want[i], c.conflictFree.isFree(n), "seed %d: %d", seed, i)
				n++
			}
		}
		assert.Equal(t, n, c.conflictFree.count)
		assert.False(t, c.conflictFree.isFree(n))
		free, meet = free+c.conflictFree.freeCount, meet+n-c.conflictFree.freeCount
	}
	assert.Greater(t, free, 100)
	assert.Greater(t, meet, 100)
}

// conflictFree tells by event whether it is to granules that one goroutine uses alone, or nobody writes, while they live.
func conflictFree(t *trace.Trace) []bool {
	type life struct {
		granule uint64
		n       int
	}
	type use struct {
		by      map[trace.GID]bool
		written bool
	}
	of := make([][]life, len(t.Events))
	uses, lives := make(map[life]*use), make(map[uint64]int)
	freed := t.Freed
	for i, e := range t.Events {
		for ; len(freed) > 0 && int(freed[0].Position) <= i; freed = freed[1:] {
			freed[0].EachPage(func(n, from, to uint64) {
				for b := from; b < to; b += trace.Granule {
					lives[(n*trace.PageSize+b)/trace.Granule]++
				}
			})
		}
		for b := e.Obj / trace.Granule; b <= (e.Obj+uint64(max(e.Size, 1))-1)/trace.Granule; b++ {
			at := life{b, lives[b]}
			if uses[at] == nil {
				uses[at] = &use{by: make(map[trace.GID]bool)}
			}
			uses[at].by[e.G] = true
			uses[at].written = uses[at].written || e.Kind != trace.Read && e.Kind != trace.AtomicLoad
			of[i] = append(of[i], at)
		}
	}
	free := make([]bool, len(t.Events))
	for i := range free {
		free[i] = !slices.ContainsFunc(of[i], func(at life) bool { return len(uses[at].by) > 1 && uses[at].written })
	}
	return free
}
