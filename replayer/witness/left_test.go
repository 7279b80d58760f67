package witness

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// What a schedule leaves out, as a branch comes out otherwise in it, does not count when later
// events are told apart by how many like them came before.
func TestLeftOut(t *testing.T) {
	tr, err := trace.ReadText(strings.NewReader(`gopredict trace 1
test name="TestT"
goroutine id=0 path="main"
goroutine id=1 test="TestT" path="0"
goroutine id=2 parent=1 test="TestT" path="0.1"
site id=1 key=1 func="m.ask" file="a.go" line=9
site id=2147483650 key=2 func="m.f" file="a.go" line=2 op="branch" scope=4 iffalse calls
0 fork obj=1
1 begin
1 testbegin
1 fork obj=2
2 begin
2 branch val=1 site=2147483650
2 call obj=64 val=9 site=1
2 call obj=64 val=9 site=1
`))
	require.NoError(t, err)
	occurrence := func(steps ...int) int {
		w, err := FromSchedule(tr, steps, []int{7}, nil, ScheduleInfo{Kind: bug.Property, Package: "m"})
		require.NoError(t, err)
		return w.Violation[0].Occurrence
	}
	assert.Equal(t, 2, occurrence(0, 1, 2, 3, 4, 5, 6))
	assert.Equal(t, 1, occurrence(0, 1, 2, 3, 4, 5))
}
