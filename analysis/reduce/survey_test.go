package reduce

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

// There is room for the last writes, and for few more.
func TestTally(t *testing.T) {
	for _, test := range []struct{ different, times int }{{0, 1}, {1, 1000}, {1000, 1}, {100_000, 2}, {1_000_000, 2}} {
		var c distinctCounter
		c.clear()
		for range test.times {
			for k := range test.different {
				c.add(&trace.Event{Kind: trace.Write, Obj: 0xc000000000 + 16*uint64(k/2), Size: uint32(4 + 4*(k%2))})
			}
		}
		got := c.estimate()
		assert.GreaterOrEqual(t, got, test.different)
		assert.LessOrEqual(t, got, test.different+test.different/20+1)
	}
}
