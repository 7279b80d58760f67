package symbolic_test

import (
	"testing"

	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
)

// What an update of several words stores in one of them depends on what was in the
// others. Goroutine 1 updates x and y at once, and goroutine 2 has updated y; so
// what 1 finds in x then is as recorded only if 2 comes first, although nobody else
// accesses x.
func TestUpdateOfSeveralWords(t *testing.T) {
	tr := tracetest.Parse(t, `
		0 fork 1
		0 fork 2
		1 begin
		2 begin
		2 r x+8/8 update
		2 w x+8/8
		1 r x/16 update
		1 w x/16
		1 r x/8
		1 w z
		2 w z
	`)
	last := len(tr.Events) - 1
	for _, c := range []struct {
		first, second int
		real          bool
	}{{last - 1, 4, false}, {last - 1, last, true}} {
		decide(t, 0, tr, []goal{{symbolic.Sequence(c.first, c.second), []int{c.first, c.second}, false, c.real}})
	}
}
