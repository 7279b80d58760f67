package order_test

import (
	"testing"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// What the allocator puts where something else was is another variable: nothing
// is shared, and nothing is read from one to the other.
func TestMemoryUsedAgain(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 fork 1
		0 w x=1
		0 r x=1
		1 begin
		1 w x=2
		1 r x=2`)
	groups := func() []order.Group {
		o, err := order.New(tr)
		if err != nil {
			t.Fatal(err)
		}
		return o.Groups()
	}
	if gs := groups(); len(gs) != 1 || len(gs[0].Events) != 4 {
		t.Errorf("groups %v", gs)
	}
	// The last read of goroutine 0 would find what goroutine 1 wrote.
	if feasible.Check(tr, []int{0, 1, 3, 4, 2}, nil) == nil {
		t.Error("a read of another value passes")
	}
	x := tr.Events[1].Obj
	tr.Freed = []trace.FreedObjects{{Position: 4, FirstAddr: x &^ 7, Size: 16, Mask: 1}}
	if gs := groups(); len(gs) != 0 {
		t.Errorf("groups %v", gs)
	}
	if err := feasible.Check(tr, []int{0, 1, 3, 4, 2}, nil); err != nil {
		t.Error(err)
	}
}
