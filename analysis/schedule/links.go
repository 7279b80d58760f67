package schedule

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A link is an event that needs more than what must happen before it: an acquire, or an event with
// needs.
type link struct {
	event   int32
	section int32      // the row of the section that an acquire begins, or [facts.None]
	kind    trace.Kind // of the event
}

// findLinks returns the links of each goroutine, ascending. Few events have links, so that a cone
// grows in time linear in its links and not in its events. Each link keeps the kind of its event,
// as the events of a long trace do not fit the cache of the processor.
func (d *traceData) findLinks() [][]link {
	links := make([][]link, len(d.t.Goroutines))
	for i := range d.t.Events {
		l := link{int32(i), facts.None, d.t.Events[i].Kind}
		if l.kind.Acquires() {
			l.section = d.facts.SectionOf(i)
		} else if len(d.needs(i, l.kind)) == 0 {
			continue
		}
		g := d.gids.of(i)
		links[g] = append(links[g], l)
	}
	return links
}

// countLinks returns the number of links of goroutine g before position i.
func (d *traceData) countLinks(g trace.GID, i int32) int32 {
	n, _ := slices.BinarySearchFunc(d.links[g], i, func(l link, i int32) int { return cmp.Compare(l.event, i) })
	return int32(n)
}

// needs returns the events of other operations that event i, of kind k, needs, although they need not
// happen before it in each run. For an operation of a channel that is the one that began before it on the
// same side, for a panicking send the close, and for a read the writes that it has read from.
func (d *traceData) needs(i int, k trace.Kind) []int32 {
	switch k {
	case trace.Send, trace.Recv, trace.Select:
		// A channel serves those that wait on one side in the order in which they began to.
		if row := d.facts.OperationOf(i); row != facts.None {
			if before := d.facts.Previous(row); before != facts.None {
				return []int32{d.facts.Operations()[before].Begin}
			}
		}
	case trace.Panic:
		row := d.facts.OperationOf(i)
		if row == facts.None || d.facts.Operations()[row].Receive || d.facts.Operations()[row].Channel == facts.None {
			return nil
		}
		// Without the close before it, the send would have blocked or gone through.
		if closed := d.facts.Channel(d.facts.Operations()[row].Channel).Closed; closed != facts.None && int(closed) < i {
			return []int32{closed}
		}
	case trace.Read, trace.AtomicLoad, trace.AtomicRMW:
		return d.o.Sources(i)
	}
	return nil
}
