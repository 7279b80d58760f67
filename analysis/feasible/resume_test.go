package feasible_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A judge that has looked at schedules that begin alike says of each what one says that begins anew.
func TestResume(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	traces := []*trace.Trace{tracetest.ServerTraceOf(1_000, 3, 6), tracetest.ServerTraceOf(2_000, 8, 20)}
	for seed := uint64(0); len(traces) < 6; seed++ {
		tr := tracetest.Random(seed, tracetest.Config{Goroutines: 4, Events: 1_000, Sync: tracetest.All, Locks: 2, Locations: 9})
		if len(tr.Events) > 600 {
			traces = append(traces, tr)
		}
	}
	for seed := range uint64(6) { // formulas tell what they store
		traces = append(traces, tracetest.RandomData(seed, 4, 100))
	}
	possible := 0
	for _, tr := range traces {
		old := feasible.New(tr)
		old.MarkEach(1)
		check := func(from int, steps, violation []int) error {
			anew := feasible.New(tr)
			want := anew.CheckFrom(from, steps, violation)
			assert.Equal(t, want, old.CheckFrom(from, steps, violation))
			assert.Equal(t, anew.Deviations(), old.Deviations())
			if len(violation) == 1 && r.IntN(8) == 0 {
				assert.Equal(t, anew.StuckFrom(from, steps, violation), old.StuckFrom(from, steps, violation))
			}
			return want
		}
		upto := make([]int, len(tr.Goroutines)) // by goroutine: where its steps end
		for range 100 {
			from := []int{0, 0, 0, 100, 200}[r.IntN(5)]
			for g := range upto {
				if upto[g] == 0 || r.IntN(4) == 0 {
					upto[g] = len(tr.Events) - r.IntN(len(tr.Events)/4)
				}
			}
			var steps, violation []int
			for i, e := range tr.Events {
				switch {
				case i < from:
				case i < upto[e.G]:
					steps = append(steps, i)
				case len(violation) == 0:
					violation = append(violation, i)
				}
			}
			no, ok := errors.AsType[*feasible.Infeasible](check(from, steps, violation))
			if !ok {
				possible++
			} else if no.Step < len(steps) { // what it reads may differ if it is the last of its goroutine
				var others []int
				for k, i := range steps {
					if k <= no.Step || tr.Events[i].G != tr.Events[no.Event].G {
						others = append(others, i)
					}
				}
				if check(from, others, []int{no.Event}) == nil {
					possible++
				}
				check(from, others, nil)
			}
			check(max(100-from, 0), steps, violation)
		}
	}
	assert.Greater(t, possible, 100)
}
