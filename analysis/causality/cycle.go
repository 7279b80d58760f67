package causality

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Cycle returns events that would each have to happen before the next one, and
// the last before the first, in a run that shows property k: the shortest cycle
// that was found, from its earliest event on; nil if there is none. Of a
// critical section that never ends, it has the begin, and that of the one that
// would have to wait for it.
func (g *Graph) Cycle(k int) []int {
	var shortest []int
	for _, e := range g.closingEdges[k] {
		cycle := slices.Compact(g.path(e.To, e.From, 1<<k))
		at := slices.Index(cycle, slices.Min(cycle))
		cycle = slices.Concat(cycle[at:], cycle[:at])
		if shortest == nil || cmp.Or(cmp.Compare(len(cycle), len(shortest)), slices.Compare(cycle, shortest)) < 0 {
			shortest = cycle
		}
	}
	return shortest
}

// A hop is a step of the search for a path, backwards.
type hop struct {
	g        trace.GID
	at       int32
	from, to int32 // the edge out of here, with to in the goroutine of next; to is -1 if unknown
	next     int   // the hop that this one leads to
}

// path returns events on the shortest chain from i to j, both included.
func (g *Graph) path(i, j int, in Labels) []int {
	seen := make(map[trace.GID]int32)
	hops := []hop{{g: g.m.t.Events[j].G, at: int32(j), from: int32(j), to: -1, next: -1}}
	add := func(h hop) {
		if at, ok := seen[h.g]; (!ok || at < h.at) && h.at >= g.barrier[h.g] {
			seen[h.g] = h.at
			hops = append(hops, h)
		}
	}
	for k := 0; k < len(hops); k++ {
		h := hops[k]
		if h.g == g.m.t.Events[i].G && h.at >= int32(i) {
			return g.chain(i, hops, k)
		}
		// Older edges are nearer to what everybody can see.
		for _, e := range slices.SortedFunc(slices.Values(g.edgesInto[h.g]), func(a, b labelledEdge) int { return cmp.Compare(a.age, b.age) }) {
			if e.to <= h.at && e.labels&in != 0 {
				add(hop{g.m.t.Events[e.from].G, e.from, e.from, e.to, k})
			}
		}
		for a, last := range g.m.o.Ancestors(int(h.at)) {
			add(hop{a, int32(last), int32(last), -1, k})
		}
	}
	return []int{i, j} // a section that never ends
}

// chain lists the events from i on along hops.
func (g *Graph) chain(i int, hops []hop, k int) []int {
	events := []int{i}
	for ; k >= 0; k = hops[k].next {
		events = append(events, int(hops[k].from))
		if hops[k].to >= 0 {
			events = append(events, int(hops[k].to))
		}
	}
	return events
}
