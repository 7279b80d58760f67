package trace

import (
	"math"
	"slices"
	"sort"
)

// A ProgramOrder has the events of each goroutine of a trace, in their order. It stores stretches
// instead of events, as a goroutine often has many events in a row before another one runs.
type ProgramOrder struct {
	stretchIndex *RunLength // by event
	stretches    []stretch
	first        []int32 // by goroutine: index of its first stretch; the last stretch of each is an empty end mark
}

// A stretch is a maximal run of consecutive events of one goroutine.
type stretch struct {
	start           int32 // position of the first event; [math.MaxInt32] in the end mark
	precedingEvents int32 // events of the goroutine before the stretch
}

// NewProgramOrder returns the program order of t.
func NewProgramOrder(t *Trace) *ProgramOrder {
	n := len(t.Goroutines)
	for i := range t.Events {
		n = max(n, int(t.Events[i].G)+1)
	}
	p := &ProgramOrder{stretchIndex: NewRunLength(len(t.Events)), first: make([]int32, n+1)}
	begins := func(i int) bool { return i == 0 || t.Events[i].G != t.Events[i-1].G }
	for i := range t.Events {
		if begins(i) {
			p.first[t.Events[i].G+1]++
		}
	}
	for g := range n {
		p.first[g+1] += p.first[g] + 1
	}
	p.stretches = make([]stretch, p.first[n])
	next := slices.Clone(p.first[:n])
	for i := range t.Events {
		g := t.Events[i].G
		k := next[g]
		if begins(i) {
			p.stretches[k].start = int32(i)
			p.stretches[k+1].precedingEvents = p.stretches[k].precedingEvents
			next[g]++
			k++
		}
		p.stretches[k].precedingEvents++
		p.stretchIndex.Add(k - 1)
	}
	for g := range n {
		p.stretches[p.first[g+1]-1].start = math.MaxInt32
	}
	return p
}

// Goroutines returns the number of goroutines: those that the trace defines, and any others that have
// events.
func (p *ProgramOrder) Goroutines() int { return len(p.first) - 1 }

// Next returns the event of its goroutine after event i, or -1.
func (p *ProgramOrder) Next(i int) int {
	if i+1 < p.stretchIndex.Len() && !p.stretchIndex.Begins(i+1) {
		return i + 1
	}
	if at := p.stretches[p.stretchIndex.At(i)+1].start; at != math.MaxInt32 {
		return int(at)
	}
	return -1
}

// Prev returns the event of its goroutine before event i, or -1.
func (p *ProgramOrder) Prev(i int) int {
	if !p.stretchIndex.Begins(i) {
		return i - 1
	}
	k := p.stretchIndex.At(i)
	n := p.stretches[k].precedingEvents
	if n == 0 {
		return -1
	}
	return int(p.stretches[k-1].start + n - p.stretches[k-1].precedingEvents - 1)
}

// Index returns how many events its goroutine has before event i.
func (p *ProgramOrder) Index(i int) int {
	s := p.stretches[p.stretchIndex.At(i)]
	return int(s.precedingEvents) + i - int(s.start)
}

// Of returns the events of goroutine g, which may have none.
func (p *ProgramOrder) Of(g GID) GoroutineEvents {
	if int(g) >= p.Goroutines() {
		return GoroutineEvents{{start: math.MaxInt32}}
	}
	return GoroutineEvents(p.stretches[p.first[g]:p.first[g+1]])
}

// A GoroutineEvents has the positions of the events of one goroutine, ascending.
type GoroutineEvents []stretch

// Len returns the number of events.
func (o GoroutineEvents) Len() int { return int(o[len(o)-1].precedingEvents) }

// First returns the position of the first event, or -1.
func (o GoroutineEvents) First() int {
	if len(o) == 1 {
		return -1
	}
	return int(o[0].start)
}

// Last returns the position of the last event, or -1.
func (o GoroutineEvents) Last() int {
	if len(o) == 1 {
		return -1
	}
	return o.stretchEnd(len(o)-2) - 1
}

// stretchEnd returns the position after stretch k.
func (o GoroutineEvents) stretchEnd(k int) int {
	return int(o[k].start + o[k+1].precedingEvents - o[k].precedingEvents)
}

// CountBefore returns the number of events before position i.
func (o GoroutineEvents) CountBefore(i int) int {
	k := sort.Search(len(o)-1, func(k int) bool { return int(o[k].start) >= i })
	if k == 0 {
		return 0
	}
	return int(o[k].precedingEvents) - max(0, o.stretchEnd(k-1)-i)
}

// FirstFrom returns the position of the first event at or after position i, or -1.
func (o GoroutineEvents) FirstFrom(i int) int { return o.Find(func(at int) bool { return at >= i }) }

// LastBefore returns the position of the last event before position i, or -1.
func (o GoroutineEvents) LastBefore(i int) int {
	k := sort.Search(len(o)-1, func(k int) bool { return int(o[k].start) >= i })
	if k == 0 {
		return -1
	}
	return min(o.stretchEnd(k-1), i) - 1
}

// Find returns the position of the first event for which is holds, or -1. If is holds for an event, it
// must hold for all later ones, as Find searches in halves.
func (o GoroutineEvents) Find(is func(at int) bool) int {
	k := sort.Search(len(o)-1, func(k int) bool { return is(o.stretchEnd(k) - 1) })
	if k == len(o)-1 {
		return -1
	}
	at := int(o[k].start)
	return at + sort.Search(o.stretchEnd(k)-at-1, func(n int) bool { return is(at + n) })
}

// All yields the positions of the events.
func (o GoroutineEvents) All(yield func(at int) bool) {
	for k := range o[:len(o)-1] {
		for at, end := int(o[k].start), o.stretchEnd(k); at < end; at++ {
			if !yield(at) {
				return
			}
		}
	}
}
