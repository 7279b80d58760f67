package trace

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// All that a program order says is what lists of the goroutines' events say: with goroutines that have none, with
// stretches of one event, and such as go on over many.
func TestProgramOrder(t *testing.T) {
	for _, longest := range []int{1, 3, 200} {
		rng := rand.New(rand.NewPCG(uint64(longest), 1))
		for range 20 {
			tr := &Trace{Goroutines: make([]Goroutine, 5)}
			for n := rng.IntN(400); len(tr.Events) < n; {
				g := GID(rng.IntN(4))
				for range 1 + rng.IntN(longest) {
					tr.Events = append(tr.Events, Event{G: g})
				}
			}
			p := NewProgramOrder(tr)
			assert.Equal(t, 5, p.Goroutines())
			for g := range GID(6) {
				var want []int
				for i := range tr.Events {
					if tr.Events[i].G == g {
						want = append(want, i)
					}
				}
				checkOwn(t, p, p.Of(g), want, len(tr.Events))
			}
		}
	}
}

func checkOwn(t *testing.T, p *ProgramOrder, own GoroutineEvents, want []int, events int) {
	assert.Equal(t, len(want), own.Len())
	assert.Equal(t, want, slices.Collect(own.All))
	at := func(k int) int {
		if k < 0 || k >= len(want) {
			return -1
		}
		return want[k]
	}
	assert.Equal(t, at(0), own.First())
	assert.Equal(t, at(len(want)-1), own.Last())
	for k, i := range want {
		assert.Equal(t, at(k+1), p.Next(i))
		assert.Equal(t, at(k-1), p.Prev(i))
		assert.Equal(t, k, p.Index(i))
	}
	for i := range events + 2 {
		k, _ := slices.BinarySearch(want, i)
		assert.Equal(t, k, own.CountBefore(i))
		assert.Equal(t, at(k), own.FirstFrom(i))
		assert.Equal(t, at(k-1), own.LastBefore(i))
	}
}

// What is of goroutines that the trace does not define has an order as well.
func TestProgramOrderOfUndefined(t *testing.T) {
	p := NewProgramOrder(&Trace{Events: []Event{{G: 2}, {G: 1}, {G: 2}}})
	assert.Equal(t, 3, p.Goroutines())
	assert.Equal(t, 2, p.Next(0))
	assert.Equal(t, []int{1}, slices.Collect(p.Of(1).All))
	assert.Equal(t, 0, p.Of(7).Len())
}
