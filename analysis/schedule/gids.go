package schedule

import "github.com/gopredict/gopredict/recorder/trace"

// gids are the goroutines of the events, apart from all else of them, for speed.
type gids struct{ all *trace.RunLength }

func newGIDs(t *trace.Trace) gids {
	all := trace.NewRunLength(len(t.Events))
	for i := range t.Events {
		all.Add(int32(t.Events[i].G))
	}
	return gids{all}
}

// of returns the goroutine of event i.
func (all *gids) of(i int) trace.GID { return trace.GID(all.all.At(i)) }
