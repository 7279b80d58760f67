package feasible_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A judge that has looked at other schedules of a long trace before says the same as one
// that begins anew, wherever they begin, and looks at few events again.
func TestRewind(t *testing.T) {
	tr := tracetest.NestedLocks(100_000, 3, true)
	old := feasible.New(tr)
	for _, from := range []int{70_000, 20_001, 99_000, 50_000, 0, 70_000, 69_999, 32_768, 98_304} {
		var steps []int // the next events of one goroutine, and of another one
		for i, e := range tr.Events[from : from+400] {
			if e.G == trace.GID(from%3) {
				steps = append(steps, from+i)
			}
		}
		got, want := old.CheckFrom(from, steps, nil), feasible.New(tr).CheckFrom(from, steps, nil)
		assert.Equal(t, want, got, "from %d", from)
	}
	assert.Less(t, old.Spent(), 200_000)
}
