package schedule

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A link is a dependency of an event beyond must-happen-before: of an acquire, a read of another
// goroutine's write, or a channel operation in line.
type link struct {
	event int32
	// need is the section that an acquire begins, or the event that another link depends on, or
	// severalSources for the writes of [order.Order.Sources].
	need    int32
	section bool
	kept    keptReads
}

// severalSources is the value of link.need for a read with several source writes.
const severalSources = -1

// A linkTable has the links of a trace, goroutine by goroutine, each in program order.
type linkTable struct {
	links []link
	first []int32 // by goroutine: where its own begin in links, and where those of the last one end
}

// newLinkTable returns the links of t, whose order is o, in linear time.
func newLinkTable(t *trace.Trace, o *order.Order) linkTable {
	n := make([]int32, len(t.Goroutines)+1)
	for i := range linksOf(t, o) {
		n[t.Events[i].G+1]++
	}
	table := linkTable{first: n}
	for g := range t.Goroutines {
		n[g+1] += n[g]
	}
	table.links = make([]link, n[len(t.Goroutines)])
	next := slices.Clone(n)
	for i, l := range linksOf(t, o) {
		g := t.Events[i].G
		table.links[next[g]] = l
		next[g]++
	}
	return table
}

// linksOf yields the links of t, with their positions, in the recorded order.
func linksOf(t *trace.Trace, o *order.Order) func(yield func(i int, l link) bool) {
	return func(yield func(i int, l link) bool) {
		sites := o.Sites()
		section := int32(0) // the number of the next one
		for i := range t.Events {
			e := &t.Events[i]
			l := link{event: int32(i), need: -1}
			switch {
			case e.Kind.Acquires():
				l.need, l.section = section, true
				section++
			case e.Kind == trace.Send, e.Kind == trace.Recv, e.Kind == trace.Select:
				l.need = int32(o.PreviousInLine(i))
			case e.Kind == trace.Panic:
				l.need = int32(o.CloseOf(i))
			case e.Kind == trace.Read, e.Kind == trace.AtomicLoad, e.Kind == trace.AtomicRMW:
				ws := o.Sources(i)
				if len(ws) == 0 {
					continue
				}
				if l.need = ws[0]; len(ws) > 1 {
					l.need = severalSources
				}
				l.kept = allReads
				if s := sites.Of(e.Site); !s.OnlyStored && !s.IsUpdate {
					l.kept = readsThatMatter
				}
			}
			if (l.need >= 0 || l.need == severalSources && l.kept > 0) && !yield(i, l) {
				return
			}
		}
	}
}

// of returns the links of goroutine g.
func (t *linkTable) of(g trace.GID) []link { return t.links[t.first[g]:t.first[g+1]] }

// before returns how many of goroutine g's links are below position i.
func (t *linkTable) before(g trace.GID, i int32) int32 {
	k, _ := slices.BinarySearchFunc(t.of(g), i, func(l link, i int32) int { return cmp.Compare(l.event, i) })
	return int32(k)
}
