package order

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Each goroutine is followed by those that it starts, and these by theirs.
func TestEntries(t *testing.T) {
	parents := []trace.GID{0, 0, 0, 1, 2, 1, 5, 7, 4} // who has nobody else has itself
	tr := &trace.Trace{Goroutines: make([]trace.Goroutine, len(parents))}
	for g, by := range parents {
		tr.Goroutines[g].Parent = by
	}
	e := newEntries(tr)
	assert.Equal(t, []uint32{0, 1, 3, 5, 6, 2, 4, 8, 7}, e.goroutineOf)
	for g, at := range e.entryOf {
		assert.Equal(t, uint32(g), e.goroutineOf[at])
	}
}

// Goroutines start many others each, in turns, and learn of them and now and then of what another one knows.
func BenchmarkManyStarted(b *testing.B) {
	const starting, each = 100, 1000
	r := rand.New(rand.NewPCG(1, 1))
	tr := &trace.Trace{Goroutines: make([]trace.Goroutine, 1, 1+starting*(1+each))}
	do := func(g trace.GID, kind trace.Kind, obj uint64) {
		tr.Events = append(tr.Events, trace.Event{G: g, Kind: kind, Obj: obj})
	}
	start := func(by trace.GID) trace.GID {
		g := trace.GID(len(tr.Goroutines))
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: g, Parent: by})
		do(by, trace.Fork, uint64(g))
		return g
	}
	for range starting {
		start(0)
	}
	for n := range starting * each {
		by := trace.GID(1 + n%starting)
		g := start(by)
		do(g, trace.Begin, 0)
		do(g, trace.Post, uint64(g))
		do(by, trace.Await, uint64(g))
		do(by, trace.AtomicStore, uint64(by)<<8)
		do(by, trace.AtomicLoad, uint64(1+r.IntN(starting))<<8)
	}
	for b.Loop() {
		if _, err := New(tr); err != nil {
			b.Fatal(err)
		}
	}
}

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
				cs.startGrowing()
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
