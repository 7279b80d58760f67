package feasible_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// reused is a trace in which memory that once held 7 is a new variable, which
// begins at 0: two goroutines count in it, and the second one goes on at 2.
const reused = `gopredict trace 1
goroutine id=0 path="main"
goroutine id=1 path="main.1"
goroutine id=2 path="main.2"
site id=2147483649 key=1 file="a.go" line=1 col=1 op="atomic" formula="(+ _ 1)" tracked
site id=2147483650 key=2 file="a.go" line=2 col=1 op="branch" formula="(= @1i8 2)"
site id=2147483651 key=3 file="a.go" line=3 col=1 op="assert" formula="(= @1i8 2)" failsfalse
0 write obj=16 size=8 val=7 value
0 fork obj=1
0 fork obj=2
1 begin
2 begin
1 write obj=32 size=8
1 armw obj=16 size=8 val=1 value site=2147483649
1 branch site=2147483650
2 armw obj=16 size=8 val=2 value site=2147483649
2 branch val=1 site=2147483650
2 write obj=32 size=8
`

// What memory holds at first is not always what the trace shows: an allocator
// clears it. A condition over what counts in such memory comes out as recorded where
// all that it follows from is as recorded, and nowhere else.
func TestConditionOverReusedMemory(t *testing.T) {
	tr, err := trace.ReadText(strings.NewReader(reused))
	require.NoError(t, err)
	require.NoError(t, trace.Validate(tr))
	require.NotNil(t, dataflow.New(tr).InstanceAt(9), "the branch has a formula")
	for _, test := range []struct{ order, stand, err string }{
		{"0 00 12 111 22", "2", ""},
		{"0 00 12 11 22 1", "2", ""},
		{"0 00 12 22", "2", "expected the recorded outcome, found what may be the other one"},
	} {
		steps, violation := positions(tr, test.order, test.stand)
		err := feasible.Check(tr, steps, violation)
		if test.err == "" {
			assert.NoError(t, err, test.order)
		} else {
			assert.ErrorContains(t, err, test.err, test.order)
		}
	}
}
