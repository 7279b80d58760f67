package trace_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Two accesses share a cell just if they share a byte, and all cells of an access are its bytes.
func TestLayout(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		tr := &trace.Trace{Goroutines: []trace.Goroutine{{}}}
		for range 40 {
			kind := trace.Read
			if r.IntN(8) == 0 {
				kind = trace.Branch
			}
			tr.Events = append(tr.Events, trace.Event{Kind: kind, Obj: 64 + r.Uint64N(24), Size: uint32(r.IntN(9))})
		}
		tr.Freed = []trace.FreedObjects{{Position: 20, FirstAddr: 64, Size: 16, Mask: 1}}
		l := trace.NewLayout(tr)
		bytes := make([]map[string]bool, len(tr.Events)) // by event, in generations
		generations := trace.NewGenerations(tr)
		for i, e := range tr.Events {
			bytes[i] = make(map[string]bool)
			if !e.Kind.IsAccess() {
				assert.Equal(t, int32(0), l.Spans[l.SpanOf[i]].N)
				continue
			}
			generation := generations.Of(i)
			for b := range uint64(max(e.Size, 1)) {
				bytes[i][fmt.Sprint(e.Obj+b, generation)] = true
			}
			size := uint64(0)
			s := l.Spans[l.SpanOf[i]]
			assert.Equal(t, e.Obj, l.Cell(s.First).Addr)
			for c := s.First; c < s.First+s.N; c++ {
				size += l.Cell(c).Size
			}
			assert.Equal(t, uint64(max(e.Size, 1)), size)
		}
		for i := range tr.Events {
			for j := range i {
				common := false
				for b := range bytes[i] {
					common = common || bytes[j][b]
				}
				a, b := l.Spans[l.SpanOf[i]], l.Spans[l.SpanOf[j]]
				assert.Equal(t, common, a.First < b.First+b.N && b.First < a.First+a.N && a.N > 0 && b.N > 0, "seed %d: events %d and %d", seed, i, j)
			}
		}
	}
}
