package trace

import (
	"slices"
	"sort"
)

// A ProgramOrder has the events of each goroutine of a trace, in their order.
type ProgramOrder struct {
	events      []Event
	byGoroutine []GoroutineEvents
	index       []int32 // by event: how many events its goroutine has before it
}

// NewProgramOrder returns the program order of t.
func NewProgramOrder(t *Trace) *ProgramOrder {
	counts := make([]int32, len(t.Goroutines))
	p := &ProgramOrder{events: t.Events, index: make([]int32, len(t.Events))}
	for i := range t.Events {
		g := int(t.Events[i].G)
		if g >= len(counts) {
			counts = append(counts, make([]int32, g+1-len(counts))...)
		}
		p.index[i] = counts[g]
		counts[g]++
	}
	p.byGoroutine = make([]GoroutineEvents, len(counts))
	for g, n := range counts {
		p.byGoroutine[g] = make(GoroutineEvents, n)
	}
	for i := range t.Events {
		p.byGoroutine[t.Events[i].G][p.index[i]] = int32(i)
	}
	return p
}

// Goroutines returns the number of goroutines: those that the trace defines, and any others that have
// events.
func (p *ProgramOrder) Goroutines() int { return len(p.byGoroutine) }

// Next returns the event of its goroutine after event i, or -1.
func (p *ProgramOrder) Next(i int) int { return p.Of(p.events[i].G).position(p.Index(i) + 1) }

// Prev returns the event of its goroutine before event i, or -1.
func (p *ProgramOrder) Prev(i int) int { return p.Of(p.events[i].G).position(p.Index(i) - 1) }

// Index returns how many events its goroutine has before event i.
func (p *ProgramOrder) Index(i int) int { return int(p.index[i]) }

// Of returns the events of goroutine g, which may have none.
func (p *ProgramOrder) Of(g GID) GoroutineEvents {
	if int(g) >= p.Goroutines() {
		return nil
	}
	return p.byGoroutine[g]
}

// A GoroutineEvents has the positions of the events of one goroutine, ascending.
type GoroutineEvents []int32

// Len returns the number of events.
func (o GoroutineEvents) Len() int { return len(o) }

// First returns the position of the first event, or -1.
func (o GoroutineEvents) First() int { return o.position(0) }

// Last returns the position of the last event, or -1.
func (o GoroutineEvents) Last() int { return o.position(len(o) - 1) }

// position returns the position of the k-th event, from 0, or -1.
func (o GoroutineEvents) position(k int) int {
	if k < 0 || k >= len(o) {
		return -1
	}
	return int(o[k])
}

// CountBefore returns the number of events before position i.
func (o GoroutineEvents) CountBefore(i int) int {
	k, _ := slices.BinarySearch(o, int32(i))
	return k
}

// FirstFrom returns the position of the first event at or after position i, or -1.
func (o GoroutineEvents) FirstFrom(i int) int { return o.position(o.CountBefore(i)) }

// LastBefore returns the position of the last event before position i, or -1.
func (o GoroutineEvents) LastBefore(i int) int { return o.position(o.CountBefore(i) - 1) }

// Find returns the position of the first event for which is holds, or -1. If is holds for an event, it
// must hold for all later ones, as Find searches in halves.
func (o GoroutineEvents) Find(is func(position int) bool) int {
	return o.position(sort.Search(len(o), func(k int) bool { return is(int(o[k])) }))
}

// All yields the positions of the events.
func (o GoroutineEvents) All(yield func(position int) bool) {
	for _, i := range o {
		if !yield(int(i)) {
			return
		}
	}
}
