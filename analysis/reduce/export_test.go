package reduce

import (
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/recorder/trace"
)

var (
	GatherAll = gather
	BlockedIn = blockedIn
	DivideBy  = divide
	Rearrange = rearrange
)

// Move is the move of one event.
type Move = move

// MoveOf is the move of the event of t at position from to that before the one at position to.
func MoveOf(from, to int, t *trace.Trace) Move { return move{from, to, t.Events[from]} }

// ReadConcurrentOf is ReadConcurrent with other limits, see DropAlone, and the sites of a build.
func ReadConcurrentOf(path string, long, flow int, sites ...trace.Site) (*trace.Trace, error) {
	return readConcurrent(path, trace.NewSiteTable(sites), long, flow)
}

// Cuts are where windows of t of at least so many events begin but the first one.
func Cuts(t *trace.Trace, least int, properties []property.Property) []int {
	at, _ := cuts(t, least, properties)
	return at
}

// InWindows are the windows of t of at least so many events.
func InWindows(t *trace.Trace, least int) (all []*trace.Trace) {
	d := divide(t, least, nil)
	for _, w := range d.windows {
		all = append(all, d.part(w, t.Events[w.from:w.to:w.to]))
	}
	return all
}
