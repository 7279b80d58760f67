package order_test

import (
	"testing"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// What a test did before its synchronization is missing is before all that
// others do after it, and nothing else is ordered by that.
func TestMissingSynchronization(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 fork 1
		0 fork 2
		1 begin
		2 begin
		2 w y
		1 w x
		2 w x
		1 end
		2 w y`)
	tr.Goroutines[1].Test = "TestLong"
	for _, cut := range []struct {
		cuts []trace.Cut
		want bool
	}{
		{nil, false},
		{[]trace.Cut{{Test: "TestLong"}}, false},
		{[]trace.Cut{{Test: "TestLong"}, {Test: "TestLong", LacksSync: true}}, true},
	} {
		tr.Cuts = cut.cuts
		o, err := order.New(tr)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range []int{6, 8} {
			if got := o.Before(5, j); got != cut.want {
				t.Errorf("%v: event 5 before %d: %t", cut.cuts, j, got)
			}
			if got := o.BeforeReached(5, j); got != cut.want {
				t.Errorf("%v: event 5 before event %d is reached: %t", cut.cuts, j, got)
			}
		}
		if o.Before(4, 7) || o.Before(5, 4) {
			t.Errorf("%v: too much is ordered", cut.cuts)
		}
	}
}
