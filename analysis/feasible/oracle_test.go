package feasible_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/recorder/trace"
)

// same reports whether the machine's event is that of the trace. What reads
// find that do not matter, and what depends on it, may differ.
func same(got, want trace.Event, s trace.Site) bool {
	if s.OnlyStored || s.IsUpdate || want.Kind == trace.Write {
		got.Val = want.Val
	}
	return got == want
}

// TestJudgeIsRight runs programs in orders that the judge calls feasible:
// each event that the judge lets happen, happens.
func TestJudgeIsRight(t *testing.T) {
	orders := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(1, seed))
		code := random(r, 2, 3+r.IntN(3))
		tr := walk(r, code, 16)
		n := 0
		feasible.Interleavings(tr, func(order []int) bool {
			m := newMachine(code)
			for i, pos := range order {
				want := tr.Events[pos]
				got, ok := m.step(int(want.G))
				if !ok || !same(got, want, tr.Sites[want.Site]) {
					t.Fatalf("seed %d: order %v: step %d: judge %v, machine %v (%t)\n%v", seed, order, i, want, got, ok, code)
				}
			}
			orders++
			n++
			return n < 200
		})
	}
	assert.Greater(t, orders, 5000, "orders compared")
}

// TestJudgeAcceptsWhatHappens runs programs at random as long as they do what
// the trace has: the judge must call that feasible. It may refuse where a Data
// read finds another value, as it does not know what that changes.
func TestJudgeAcceptsWhatHappens(t *testing.T) {
	steps := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(2, seed))
		code := random(r, 1+r.IntN(3), 3+r.IntN(5))
		tr := walk(r, code, 60)
		judge := feasible.New(tr)
		require.NoError(t, judge.Check(recorded(tr), nil), "seed %d: the recorded order", seed)

		next := byGoroutine(tr, len(code))
		for range 10 {
			order := retrace(r, code, tr, next)
			steps += len(order)
			require.NoError(t, judge.Check(order, nil), "seed %d: %v\n%v", seed, order, code)
		}
	}
	assert.Greater(t, steps, 300000, "steps compared")
}

func byGoroutine(tr *trace.Trace, n int) [][]int {
	of := make([][]int, n)
	for i, e := range tr.Events {
		of[e.G] = append(of[e.G], i)
	}
	return of
}

// retrace walks at random through the events of tr. It stops before the first
// event that is not as recorded in all its values, and leaves out operations
// on channels that did not complete, where other elements may come.
func retrace(r *rand.Rand, code [][]instr, tr *trace.Trace, of [][]int) []int {
	m := newMachine(code)
	at := make([]int, len(code))
	var order []int
	for {
		moved := false
		for _, g := range r.Perm(len(code)) {
			if at[g] == len(of[g]) {
				continue
			}
			e, ok := m.step(g)
			if !ok {
				continue
			}
			if e != tr.Events[of[g][at[g]]] {
				return completed(m, tr, order)
			}
			order = append(order, of[g][at[g]])
			at[g]++
			moved = true
			break
		}
		if !moved {
			return completed(m, tr, order)
		}
	}
}

// completed drops the begins of channel operations underway at the end of
// order, with all that comes after the first of them.
func completed(m *machine, tr *trace.Trace, order []int) []int {
	open := map[trace.GID]int{}
	for i, pos := range order {
		switch e := tr.Events[pos]; e.Kind {
		case trace.Send, trace.Recv:
			open[e.G] = i
		default:
			delete(open, e.G)
		}
	}
	end := len(order)
	for _, i := range open {
		end = min(end, i)
	}
	if end < len(order) {
		return completed(m, tr, order[:end])
	}
	return order
}

// TestRacesStand compares the races with those at which random walks stand.
func TestRacesStand(t *testing.T) {
	found := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(3, seed))
		code := random(r, 2, 3)
		tr := walk(r, code, 14)
		races := map[string]bool{}
		for _, p := range feasible.Races(tr) {
			races[fmt.Sprint(p)] = true
		}
		orders := 0
		feasible.Interleavings(tr, func(order []int) bool {
			for n := range order {
				for _, p := range standing(tr, order[:n]) {
					require.True(t, races[fmt.Sprint(p)], "seed %d: %v after %v", seed, p, order[:n])
					found++
				}
			}
			orders++
			return orders < 50
		})
	}
	assert.Greater(t, found, 1000)
}

// standing returns the pairs of conflicting plain accesses next after order.
func standing(tr *trace.Trace, order []int) (pairs [][2]int) {
	done := map[int]bool{}
	for _, pos := range order {
		done[pos] = true
	}
	next := map[trace.GID]int{}
	for i, e := range tr.Events {
		if _, ok := next[e.G]; !ok && !done[i] {
			next[e.G] = i
		}
	}
	for _, a := range next {
		for _, b := range next {
			x, y := tr.Events[a], tr.Events[b]
			if a < b && x.Kind.IsPlain() && y.Kind.IsPlain() && x.Obj == y.Obj && (x.Kind == trace.Write || y.Kind == trace.Write) {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return pairs
}
