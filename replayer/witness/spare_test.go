package witness

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// What a lock keeps in order needs no steps of its own where the way is long, but where a reader
// looks, and at memory that is accessed elsewhere too.
func TestSmallSparesOrderedAccesses(t *testing.T) {
	lines := []string{"1 testbegin 0", "1 write f", "1 fork 2", "1 fork 3", "2 begin 0", "3 begin 0", "2 read f", "3 read f"}
	for range readSteps {
		for _, g := range []int{2, 3} {
			for _, op := range []string{"acq 10", "read b", "write b", "rel 10", "read c", "write c"} {
				lines = append(lines, fmt.Sprintf("%d %s", g, op))
			}
		}
	}
	lines = append(lines, "2 write a", "3 read a")
	tr := build(t, lines...)
	at := len(tr.Events) - 2
	w, err := FromSchedule(tr, positions(0, at), []int{at, at + 1}, nil, Meta{Kind: "race"})
	require.NoError(t, err)
	count := make(map[string]int)
	end := make(map[string]int)
	for k, s := range w.Steps {
		if s.Op.IsAccess() || s.Op == trace.Acquire {
			count[s.Expr]++
			if k >= len(w.Steps)-readSteps {
				end[s.Expr]++
			}
		}
	}
	assert.Equal(t, end["vb"], count["vb"], "b is ordered by the lock")
	assert.Positive(t, end["vb"], "what is read stays")
	assert.Equal(t, 4*readSteps, count["vc"], "nothing else orders c")
	assert.Zero(t, count["vf"], "the start of the goroutines orders f")

	// All that is done twice to the same memory, once by a write, comes in the recorded order
	// however the goroutines go between their steps.
	steps := positions(8, at)
	assert.Contains(t, withoutSpare(tr, steps, steps[1:2]), steps[1], "it is shown")
	assert.NotContains(t, withoutSpare(tr, steps, nil), steps[1])
	kept := withoutSpare(tr, steps, nil)
	assert.Less(t, len(kept), len(steps))
	assert.Equal(t, conflicts(tr, steps, steps), conflicts(tr, kept, steps))
}

// conflicts returns the pairs of accesses that conflict and of which the steps say which is the first.
func conflicts(tr *trace.Trace, steps, all []int) (pairs [][2]int) {
	step := make(map[int]int)
	for k, i := range steps {
		step[i] = k
	}
	between := func(i int) (from, to int) {
		g := tr.Events[i].G
		from, to = -1, len(steps)
		for k, s := range steps {
			if tr.Events[s].G == g && s <= i {
				from = k
			}
			if tr.Events[s].G == g && s >= i {
				to = k
				break
			}
		}
		return from, to
	}
	for _, b := range all[len(all)/2-60 : len(all)/2] {
		for _, a := range all[len(all)/2-60 : len(all)/2] {
			x, y := tr.Events[a], tr.Events[b]
			if a >= b || x.G == y.G || !x.Kind.IsAccess() || x.Obj != y.Obj || !x.Kind.IsWrite() && !y.Kind.IsWrite() {
				continue
			}
			_, to := between(a)
			if from, _ := between(b); to <= from {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return pairs
}
