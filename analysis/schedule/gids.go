package schedule

import (
	"math"

	"github.com/gopredict/gopredict/recorder/trace"
)

// gids are the goroutines of the events, apart from all else of them, for speed; not if there are too many
// for few bytes.
type gids struct {
	short  []uint16 // nil: there are too many
	events []trace.Event
}

func newGIDs(t *trace.Trace) gids {
	// An event takes several words. Cones look goroutines up at random, and two bytes for each event
	// leave more of them in the processor's cache.
	if len(t.Goroutines) > math.MaxUint16 {
		return gids{events: t.Events}
	}
	all := gids{short: make([]uint16, len(t.Events))}
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
	return all.events[i].G
}
