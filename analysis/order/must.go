package order

import (
	"iter"

	"github.com/gopredict/gopredict/recorder/trace"
)

// An Edge says that the event From comes before To, which is later in the trace, in
// each run that performs To.
type Edge struct{ From, To int32 }

// A Must is the must-order that edges make together with program order: a must clock.
type Must struct {
	t        *trace.Trace
	relation *relation
}

// Must returns the order of edges, which are sorted by To. It takes time near-linear in the
// number of events and edges.
func (o *Order) Must(edges iter.Seq[Edge]) *Must {
	n := len(o.t.Goroutines)
	b := &relationBuilder{
		t: o.t, rel: &relation{clocks: newClocks(n), entries: o.must.entries, t: o.t, segmentOf: trace.NewRunLength(len(o.t.Events))},
		clockNow: make([]clock, n), segmentNow: make([]int32, n),
	}
	for g := range b.segmentNow {
		b.segmentNow[g] = -1
	}
	at, old := -1, clock(0) // where edges lead to, and the clock of its goroutine before
	next := func() {
		if at >= 0 {
			g := o.t.Events[at].G
			if b.segmentNow[g] < 0 || b.clockNow[g] != old {
				b.rel.segments = append(b.rel.segments, segment{b.clockNow[g], int32(at), b.segmentNow[g]})
				b.segmentNow[g] = int32(len(b.rel.segments) - 1)
			}
			b.rel.segmentOf.Add(b.segmentNow[g])
		}
		if at++; at < len(o.t.Events) {
			g := o.t.Events[at].G
			if o.t.Events[at].Kind != trace.End {
				b.makeOwnClock(g)
			}
			old = b.clockNow[g]
			b.rel.startGrowing()
		}
	}
	// All edges to one event are joined before it gets its segment, so that it starts one at most.
	for e := range edges {
		for at < int(e.To) {
			next()
		}
		b.addPredecessor(o.t.Events[at].G, int(e.From), true)
	}
	for at < len(o.t.Events) {
		next()
	}
	return &Must{o.t, b.done()}
}

// BeforeReached reports whether event i must happen before the goroutine of event j can
// be about to execute j.
func (m *Must) BeforeReached(i, j int) bool {
	gi := m.t.Events[i].G
	if gi == m.t.Events[j].G || i >= j {
		return i < j && gi == m.t.Events[j].G
	}
	return m.relation.get(m.relation.clockReached(j), uint32(gi)) > int32(i)
}
