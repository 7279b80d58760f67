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

// DropAlone leaves out of t the events that [ReadConcurrent] leaves out. A test is long from long
// events on; formulas are evaluated for up to flow events.
func DropAlone(t *trace.Trace, long, flow int) {
	s := newSurvey(t, long, flow)
	s.take(t.Events)
	s.end()
	for {
		if s.chooseWithoutValues(nil); s.shouldFindConflicts() {
			c := newConflicts(s.withoutValues)
			c.scan(t, c.findUsers)
			c.rewind()
			c.scan(t, c.findConflictFree)
			s.setConflictFree(c)
		}
		w := *t
		if newAloneFilter(&w, s).copy(t); !s.excludeInterfering() {
			*t = w
			return
		}
	}
}

// copy filters the events of t, which is in memory, as if they were read from a file.
func (a *aloneFilter) copy(t *trace.Trace) {
	w := a.t
	w.Events, w.Freed, w.PriorValues = make([]trace.Event, 0, a.survey.keptEstimate()), nil, nil
	freed, held := t.Freed, t.PriorValues
	free := func(f *trace.FreedObjects) { appendFreed(w, f) }
	for i := range t.Events {
		freed = trace.FreedBefore(freed, i, free)
		if len(held) > 0 && held[0].Position == i {
			w.PriorValues = append(w.PriorValues, trace.PriorValue{Position: len(w.Events), Val: held[0].Val})
			held = held[1:]
		}
		a.take(t.Events[i : i+1])
	}
	trace.FreedBefore(freed, len(t.Events), free)
	a.finish()
}

// appendFreed adds f to the freed memory of t, after the last event of t.
func appendFreed(t *trace.Trace, f *trace.FreedObjects) {
	t.Freed = append(t.Freed, trace.FreedObjects{FirstAddr: f.FirstAddr, Mask: f.Mask, Size: f.Size, Position: int32(len(t.Events))})
}

// scan calls take for each event of t, and frees memory where t does.
func (c *conflicts) scan(t *trace.Trace, take func([]trace.Event)) {
	freed := t.Freed
	for i := range t.Events {
		freed = trace.FreedBefore(freed, i, c.freeMemory)
		take(t.Events[i : i+1])
	}
}
