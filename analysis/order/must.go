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
	t   *trace.Trace
	por *relation
}

// Must returns the order of edges, which are sorted by To. It takes time near-linear in the
// number of events and edges.
func (o *Order) Must(edges iter.Seq[Edge]) *Must {
	n := len(o.t.Goroutines)
	b := &relater{
		t: o.t, rel: &relation{clocks: newClocks(n), entries: o.por.entries, t: o.t, seg: trace.NewRunLength(len(o.t.Events))},
		now: make([]clock, n), cur: make([]int32, n),
	}
	for g := range b.cur {
		b.cur[g] = -1
	}
	at, old := -1, clock(0) // where edges lead to, and the clock of its goroutine before
	next := func() {
		if at >= 0 {
			g := o.t.Events[at].G
			if b.cur[g] < 0 || b.now[g] != old {
				b.rel.segs = append(b.rel.segs, segment{b.now[g], int32(at), b.cur[g]})
				b.cur[g] = int32(len(b.rel.segs) - 1)
			}
			b.rel.seg.Add(b.cur[g])
		}
		if at++; at < len(o.t.Events) {
			g := o.t.Events[at].G
			if o.t.Events[at].Kind != trace.End {
				b.settle(g)
			}
			old = b.now[g]
			b.rel.grow()
		}
	}
	for e := range edges {
		for at < int(e.To) {
			next()
		}
		b.from(o.t.Events[at].G, int(e.From), true)
	}
	for at < len(o.t.Events) {
		next()
	}
	return &Must{o.t, b.done()}
}

// BeforeReached reports whether event i must happen before the goroutine of event j can
// stand at j.
func (m *Must) BeforeReached(i, j int) bool {
	gi := m.t.Events[i].G
	if gi == m.t.Events[j].G || i >= j {
		return i < j && gi == m.t.Events[j].G
	}
	return m.por.get(m.por.reached(j), uint32(gi)) > int32(i)
}
