package symbolic_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// hard are seeds that have shown a mistake. 2459: a read finds by a formula what only
// one write left in the recorded run. 1721: a slice of the same length as another one.
var hard = []uint64{2459, 1721}

// TestOracleOfValues compares what the encoding says of assertions with all
// interleavings of programs that compute.
func TestOracleOfValues(t *testing.T) {
	sat, unsat := 0, 0
	seeds := slices.Clone(hard)
	for seed := range uint64(3 * *traces) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		tr := tracetest.RandomData(seed, 2+int(seed%2), 5+int(seed%3))
		if err := trace.Validate(tr); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		o, err := order.New(tr)
		if err != nil {
			t.Fatal(err)
		}
		var targets []symbolic.Target
		flow := dataflow.New(tr)
		for i, e := range tr.Events {
			if tr.Sites[e.Site].FailsIf != trace.NoOutcome && flow.InstanceAt(i) != nil {
				targets = append(targets, symbolic.Failure(i))
			}
		}
		m := symbolic.NewConcurrent(tr, o, flow)
		d := m.NewDecider(0, targets, newEngine)
		judge := feasible.New(tr)
		for k, target := range targets {
			i := target.Pending[0]
			want := solver.Unsat
			if feasible.Fails(tr, i) {
				want = solver.Sat
			}
			a, err := d.Decide(context.Background(), k, &solver.Budget{Steps: 60 * solver.Second})
			if err != nil {
				t.Fatal(err)
			}
			if a.Answer != want {
				t.Fatalf("seed %d: the failure of %d is %v (%s), want %v\n%s", seed, i, a.Answer, a.Why, want, show(tr))
			}
			if want == solver.Unsat {
				unsat++
				continue
			}
			sat++
			if err := judge.Check(a.Steps, []int{i}); err != nil {
				t.Fatalf("seed %d: %v after %v: %v\n%s", seed, i, a.Steps, err, show(tr))
			}
		}
		d.Close()
	}
	t.Logf("%d fail, %d cannot", sat, unsat)
	if sat == 0 || unsat == 0 {
		t.Error("one of the two never came up")
	}
}

// What formulas read as unsigned has no sign: a run goes on where such a number was
// large, and can turn what follows.
func TestUnsigned(t *testing.T) {
	for size, large := range map[uint32]uint64{1: 200, 2: 40_000, 4: 3_000_000_000} {
		f := newFigure(2)
		const z = 0x3000
		stored := f.site(200, trace.Site{Formula: fmt.Sprint(large)})
		f.event("", trace.Event{Kind: trace.Write, Flags: trace.FlagValue, G: 1, Site: stored, Obj: z, Size: size, Val: large})
		f.write("", 1, x, "1", 1)
		f.event("", trace.Event{Kind: trace.Read, Flags: trace.FlagValue, G: 2, Site: f.site(1, trace.Site{OnlyInFormulas: true}), Obj: z, Size: size, Val: large})
		f.decide("branch", 2, trace.Branch, fmt.Sprintf("(< 100 @1u%d)", size))
		f.read("", 2, 2, x, 1)
		f.decide("assert", 2, trace.Assert, "(= @2i8 1)")
		target := symbolic.Failure(f.at["assert"])
		require.True(t, feasible.Fails(f.Trace, f.at["assert"]))
		a := f.ask(t, f.concurrent, target)
		require.Equal(t, solver.Sat, a.Answer, "of %d bytes", size)
		require.NoError(t, feasible.Check(f.Trace, a.Steps, target.Pending))
	}
}
