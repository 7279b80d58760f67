package detect_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/detect"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// However many looks there were when searches began, they find what they would in their turn.
func TestAhead(t *testing.T) {
	text := func(cs []detect.Candidate, counts detect.Counts, in *detect.Input) (s string) {
		for _, c := range cs {
			s += fmt.Sprintln(c.Name, c.Exhaustive)
			for _, v := range c.Instances {
				s += fmt.Sprintln(v.Accesses)
			}
		}
		return s + fmt.Sprintln(counts, in.LooksLeft)
	}
	found, cut := 0, 0
	for seed := range uint64(10) {
		tr := tracetest.Random(seed, tracetest.Config{Goroutines: 4, Events: 300, Sync: tracetest.Mutexes, Locks: 3, Locations: 3})
		o, err := order.New(tr)
		require.NoError(t, err)
		for _, d := range []*detect.Detector{detect.Patterns, detect.Deadlocks} {
			for _, looks := range []int{0, 1, 50, 1000, 1 << 20} {
				fresh := func() *detect.Input {
					return &detect.Input{Trace: tr, Order: o, Tests: detect.NewTestIndex(tr, o), IsKnownRace: func(string) bool { return false }, LooksLeft: looks}
				}
				in := fresh()
				want, counts := d.Candidates(in)
				found += len(want)
				if counts.Truncated {
					cut++
				}
				for _, began := range []int{0, looks / 2, looks, looks + 30, 1 << 22} {
					var beside sync.WaitGroup
					ahead := fresh()
					ahead.LooksLeft = began
					ahead.StartEarly(beside.Go)
					ahead.LooksLeft = looks
					got, its := d.Candidates(ahead)
					beside.Wait()
					require.Equal(t, text(want, counts, in), text(got, its, ahead), "seed %d, %v, %d looks, begun with %d", seed, d.Kinds, looks, began)
				}
			}
		}
	}
	require.NotZero(t, found)
	require.NotZero(t, cut)
}
