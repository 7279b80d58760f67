package feasible_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/feasible"
	"github.com/gopredict/gopredict/recorder/trace"
)

// scoped is the trace of
//
//	1 x = 1                         2 if x == 1 {
//	                                3     y = 1
//	                                4 }
//	                                5 call
//	                                6 if y == 1 {
//	                                7 }
//	                                8 call
const scoped = `gopredict trace 1
goroutine id=0 path="main"
goroutine id=1 path="main.1"
goroutine id=2 path="main.2"
site id=2147483649 key=1 func="f" file="a.go" line=2 op="read" tracked
site id=2147483650 key=2 func="f" file="a.go" line=2 op="branch" formula="(= @1i8 1)" SCOPE
site id=2147483651 key=3 func="f" file="a.go" line=3 op="write"
site id=2147483652 key=4 func="f" file="a.go" line=5
site id=2147483653 key=5 func="f" file="a.go" line=6 op="read" tracked
site id=2147483654 key=6 func="f" file="a.go" line=6 op="branch" formula="(= @5i8 1)" scope=7 SECOND
site id=2147483655 key=7 func="f" file="a.go" line=8
0 fork obj=1
0 fork obj=2
1 begin
2 begin
held val=0
1 write obj=16 size=8 val=1 value
2 read obj=16 size=8 val=1 value site=2147483649
2 branch val=1 site=2147483650
held val=0
2 write obj=32 size=8 val=1 value site=2147483651
2 call obj=64 val=9 site=2147483652
2 read obj=32 size=8 val=1 value site=2147483653
2 branch val=1 site=2147483654
2 call obj=64 val=9 site=2147483655
`

// A branch whose scope has ended may come out otherwise; what was recorded within is left
// out then, and with it what it wrote.
func TestScopes(t *testing.T) {
	const both, nothing = "iftrue iffalse", "expected the recorded outcome"
	early := []int{0, 1, 3, 5, 6}      // goroutine 2 reads before goroutine 1 writes
	asIs := []int{0, 1, 2, 3, 4, 5, 6} // and after it
	for _, test := range []struct {
		name, scope, second string
		steps               []int
		stand               int
		err                 string
	}{
		{"as recorded", "scope=4 iffalse", both, append(asIs, 7), 8, ""},
		{"left out", "scope=4 iffalse", both, early, 8, ""},
		{"not known to end", "", both, early, 8, nothing},
		{"what comes is seen", "scope=4 iftrue", both, early, 8, "expected the other outcome"},
		{"it comes out as recorded", "scope=4 iffalse", both, asIs, 8, "expected the other outcome"},
		{"not left out", "scope=4 iffalse", both, append(early, 7), 8, nothing},
		{"too much is left out", "scope=4 iffalse", both, early, 9, nothing},
		{"a write is missing that changes nothing", "scope=4 iffalse", both, append(early, 8, 9, 10), 11, ""},
		{"a write is missing", "scope=4 iffalse", "", append(early, 8, 9, 10), 11, nothing},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.NewReplacer("SCOPE", test.scope, "SECOND", test.second).Replace(scoped)
			tr, err := trace.ReadText(strings.NewReader(text))
			require.NoError(t, err)
			require.NoError(t, trace.Validate(tr))
			err = feasible.Check(tr, test.steps, []int{test.stand})
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.err)
			}
		})
	}
}
