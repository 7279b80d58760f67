package witness

import (
	"fmt"
	"math/rand/v2"
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

	steps := positions(8, at)
	assert.Contains(t, withoutSpare(tr, steps, steps[1:2]), steps[1], "it is shown")
	assert.NotContains(t, withoutSpare(tr, steps, nil), steps[1])
}

// However goroutines go between the steps that are left, what they do to the same memory, one of
// them by a write, comes in the recorded order.
func TestSpareAccessesStayInOrder(t *testing.T) {
	left := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		lines := []string{"1 testbegin 0", "1 write a", "1 fork 2", "1 fork 3", "2 begin 0", "3 begin 0"}
		held := make(map[int]int) // by lock: who has it
		for len(lines) < 2*readSteps {
			g, lock := 1+r.IntN(3), 10+r.IntN(2)
			switch holder := held[lock]; {
			case r.IntN(3) > 0 && holder != 0: // what is done within a lock, and seldom elsewhere
				lines = append(lines, fmt.Sprintf("%d %s %c", holder, []string{"read", "write"}[r.IntN(2)], 'a'+lock-10))
			case holder == 0:
				held[lock] = g
				lines = append(lines, fmt.Sprintf("%d acq %d", g, lock))
			case r.IntN(40) == 0:
				lines = append(lines, fmt.Sprintf("%d read c", g), fmt.Sprintf("%d write c", 1+r.IntN(3)))
			default:
				held[lock] = 0
				lines = append(lines, fmt.Sprintf("%d rel %d", holder, lock))
			}
		}
		tr := build(t, lines...)
		steps := filter(positions(0, len(tr.Events)), func(i int) bool { return canStep(tr.Events[i].Kind) })
		kept := withoutSpare(tr, steps, nil)
		left += len(steps) - len(kept)
		for j, b := range steps {
			for _, a := range steps[:j] {
				x, y := tr.Events[a], tr.Events[b]
				if x.G == y.G || !x.Kind.IsAccess() || !y.Kind.IsAccess() || x.Obj != y.Obj || !x.Kind.IsWrite() && !y.Kind.IsWrite() {
					continue
				}
				require.True(t, comes(tr, kept, a, b), "seed %d: %s before %s", seed, lines[a], lines[b])
			}
		}
	}
	assert.Greater(t, left, 1000)
}

// comes reports whether event a comes before b wherever goroutines do the steps in their order: a
// step that a is, or comes before, is none after one that b is, or comes after.
func comes(tr *trace.Trace, steps []int, a, b int) bool {
	before, after := len(steps), -1
	for k, s := range steps {
		e := &tr.Events[s]
		if e.G == tr.Events[a].G && s >= a {
			before = min(before, k)
		}
		if e.G == tr.Events[b].G && s <= b || e.Kind == trace.Fork && trace.GID(e.Obj) == tr.Events[b].G {
			after = k
		}
	}
	return before <= after
}
