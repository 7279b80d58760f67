package minimize

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// The order that a lock keeps needs no steps of its own where the schedule is long, but at the end
// that stays as it is; accesses that nothing orders do.
func TestWithoutOrdered(t *testing.T) {
	lines := []string{"1 w f", "1 fork 2", "1 fork 3", "2 begin", "3 begin", "2 r f", "3 r f"}
	for range unchangedSteps {
		for _, g := range []int{2, 3} {
			for _, op := range []string{"acq m", "r b", "w b", "rel m", "r c", "w c"} {
				lines = append(lines, fmt.Sprintf("%d %s", g, op))
			}
		}
	}
	s := scheduleOf(t, strings.Join(lines, "\n"))
	kept := WithoutOrdered(s)
	count, atEnd := make(map[string]int), make(map[string]int)
	for k, i := range kept {
		name := lines[i][len(lines[i])-1:]
		if count[name]++; k >= len(kept)-unchangedSteps {
			atEnd[name]++
		}
	}
	assert.Equal(t, atEnd["b"], count["b"], "the lock orders b")
	assert.Positive(t, atEnd["b"], "the end of the schedule stays")
	assert.Equal(t, 4*unchangedSteps, count["c"], "nothing orders c")
	assert.Zero(t, count["f"], "the start of the goroutines orders f")

	assert.NotContains(t, kept, 8)
	s.Performed = []int{8}
	assert.Contains(t, WithoutOrdered(s), 8)
}

// However goroutines go between the steps that are left, what they do to the same memory, one of
// them by a write, comes in the recorded order.
func TestWithoutOrderedKeepsTheOrder(t *testing.T) {
	left := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		lines := []string{"1 w a", "1 fork 2", "1 fork 3", "2 begin", "3 begin"}
		held := make(map[int]int) // by lock: who has it
		for len(lines) < 2*unchangedSteps {
			g, lock := 1+r.IntN(3), 10+r.IntN(2)
			switch holder := held[lock]; {
			case r.IntN(3) > 0 && holder != 0: // what is done within a lock, and seldom elsewhere
				lines = append(lines, fmt.Sprintf("%d %s %c", holder, []string{"r", "w"}[r.IntN(2)], 'a'+lock-10))
			case holder == 0:
				held[lock] = g
				lines = append(lines, fmt.Sprintf("%d acq m%d", g, lock))
			case r.IntN(40) == 0:
				lines = append(lines, fmt.Sprintf("%d r c", g), fmt.Sprintf("%d w c", 1+r.IntN(3)))
			default:
				held[lock] = 0
				lines = append(lines, fmt.Sprintf("%d rel m%d", holder, lock))
			}
		}
		s := scheduleOf(t, strings.Join(lines, "\n"))
		tr, steps, kept := s.Trace, s.Steps, WithoutOrdered(s)
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
