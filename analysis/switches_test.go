package analysis_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis"
	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// switches counts how often another goroutine goes on in steps, and before the one
// stands that they lead to.
func switches(tr *trace.Trace, steps []int, stands int) (n int) {
	for k, i := range steps {
		next := stands
		if k+1 < len(steps) {
			next = steps[k+1]
		}
		if tr.Events[i].G != tr.Events[next].G {
			n++
		}
	}
	return n
}

// A deepening looks for a run to a failing assertion by trying all with few switches.
type deepening struct {
	tr     *trace.Trace
	judge  *feasible.Judge
	of     [][]int // by goroutine: its events
	stands int
}

// within reports whether there is a run of at most so many more switches that begins with
// the steps, of which goroutine g has done the last.
func (d *deepening) within(most int, g trace.GID, steps []int, done []int) bool {
	if d.judge.Check(steps, []int{d.stands}) == nil && (g == d.tr.Events[d.stands].G || most > 0) {
		return true
	}
	for next := range d.of {
		left := most
		if trace.GID(next) != g {
			left--
		}
		if left < 0 || done[next] == len(d.of[next]) || d.of[next][done[next]] == d.stands {
			continue
		}
		longer := append(steps[:len(steps):len(steps)], d.of[next][done[next]])
		if d.judge.Check(longer, nil) != nil {
			continue
		}
		done[next]++
		found := d.within(left, trace.GID(next), longer, done)
		done[next]--
		if found {
			return true
		}
	}
	return false
}

// The schedule that is predicted of a failing assertion has the fewest switches of all
// runs to it, where two goroutines compute; with three nearly always, for the solver
// counts what its formula compares, and goroutines that do their part between the same
// two switches count as one (Wang et al., FAC 2011, §6). Without a bound more than half have more.
func TestFewestSwitches(t *testing.T) {
	failures, more := [2]int{}, [2]int{} // with two goroutines, and with three
	for seed := range uint64(1000) {
		tr := tracetest.RandomData(seed, 2+int(seed%2), 4+int(seed%2))
		for g := range tr.Goroutines {
			its := &tr.Goroutines[g]
			its.Test, its.Path = "Test", "0"+strings.TrimPrefix(its.Path, "main")
		}
		r, err := analysis.Predict(context.Background(), tr, analysis.Options{Kinds: []bug.Kind{bug.Assertion}})
		require.NoError(t, err)
		for _, f := range r.Findings {
			if f.Status != bug.Predicted {
				continue
			}
			all := deepening{tr: tr, judge: feasible.New(tr), of: make([][]int, len(tr.Goroutines)), stands: f.Accesses[0]}
			for i, e := range tr.Events {
				all.of[e.G] = append(all.of[e.G], i)
			}
			least := 0
			for !all.within(least, 0, nil, make([]int, len(all.of))) {
				least++
			}
			failures[seed%2]++
			if switches(tr, f.Schedules[0].Schedule().Steps, f.Accesses[0]) != least {
				more[seed%2]++
			}
		}
	}
	t.Logf("%d and %d failures, %d and %d of them with more switches than it takes", failures[0], failures[1], more[0], more[1])
	require.Greater(t, failures[0], 20)
	require.Zero(t, more[0])
	require.Less(t, 20*more[1], failures[1])
}
