package schedule

import (
	"math"

	"github.com/gopredict/gopredict/recorder/trace"
)

// gids are the goroutines of the events, apart from all else of them, for speed: in few bytes, if
// there are not too many.
type gids struct {
	short []uint16
	long  []trace.GID // where short is nil
}

func newGIDs(t *trace.Trace) (all gids) {
	if len(t.Goroutines) > math.MaxUint16 {
		all.long = make([]trace.GID, len(t.Events))
		for i := range t.Events {
			all.long[i] = t.Events[i].G
		}
		return all
	}
	all.short = make([]uint16, len(t.Events))
	for i := range t.Events {
		all.short[i] = uint16(t.Events[i].G)
	}
	return all
}

// of returns the goroutine of event i.
func (all *gids) of(i int) trace.GID {
	if all.short != nil {
		return trace.GID(all.short[i])
	}
	return all.long[i]
}
