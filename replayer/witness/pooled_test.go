package witness

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// What goroutines have got from pools is in the witness, numbered by items, where it may
// come otherwise: of pools that several goroutines use, of items that were put.
func TestFromSchedulePooled(t *testing.T) {
	tr := build(t, "1 testbegin 0", "1 fork 2", "2 begin 0", "1 fork 3", "3 begin 0",
		"2 await 90",              // 5: there was nothing
		"2 post 70",               // 6
		"3 await 70",              // 7: what 6 has put
		"3 await 91",              // 8: nobody knows where this is from
		"3 post 70",               // 9: nobody gets that again
		"2 post 71", "2 await 71", // 10: another pool, which is 2's own
		"2 write a", "3 write a") // 12
	for i := range tr.Events {
		if e := &tr.Events[i]; e.Kind == trace.Post || e.Kind == trace.Await {
			e.Val = 500
			if e.Obj == 0x71 {
				e.Val = 600
			}
		}
	}
	tr.Events[5].Flags = trace.FlagFailed
	w, err := FromSchedule(tr, positions(0, 12), []int{12, 13}, nil, ScheduleInfo{Files: Files{Root: "/src"}, Kind: "race"})
	require.NoError(t, err)
	assert.Equal(t, []string{"0.1 await  1", "0.1 post  1", "0.2 await  1"}, short(w.PoolSteps))
	for k, want := range []int{0, 1, 1} {
		assert.Equal(t, want, w.PoolSteps[k].PoolItem)
	}

	var text strings.Builder
	require.NoError(t, w.Write(&text))
	assert.Contains(t, text.String(), "item=1")
	again, err := Parse("w", strings.NewReader(text.String()))
	require.NoError(t, err)
	assert.Equal(t, w, again)
	_, err = Parse("w", strings.NewReader(strings.ReplaceAll(text.String(), "item=1", "item=none")))
	assert.ErrorContains(t, err, `item: found "none", expected a number from 1`)
}
