package trace

import (
	"math"
	"slices"
	"sort"
)

// A ProgramOrder has the events of each goroutine of a trace, in their order. Goroutines have many events in a row
// before another one has its turn, and each such stretch is there once.
type ProgramOrder struct {
	of        *RunLength // by event: the index of its stretch
	stretches []stretch
	first     []int32 // by goroutine: the index of its first stretch; its last one has no events
}

// A stretch is events of one goroutine that stand side by side.
type stretch struct {
	at     int32 // position of the first one; [math.MaxInt32] where the goroutine has no more
	before int32 // how many the goroutine has before that
}

// NewProgramOrder returns that of t.
func NewProgramOrder(t *Trace) *ProgramOrder {
	n := len(t.Goroutines)
	for i := range t.Events {
		n = max(n, int(t.Events[i].G)+1)
	}
	p := &ProgramOrder{of: NewRunLength(len(t.Events)), first: make([]int32, n+1)}
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
			p.stretches[k].at = int32(i)
			p.stretches[k+1].before = p.stretches[k].before
			next[g]++
			k++
		}
		p.stretches[k].before++
		p.of.Add(k - 1)
	}
	for g := range n {
		p.stretches[p.first[g+1]-1].at = math.MaxInt32
	}
	return p
}

// Goroutines is how many there are: those that the trace defines, or more where events are of others.
func (p *ProgramOrder) Goroutines() int { return len(p.first) - 1 }

// Next returns the event of its goroutine after event i, or -1.
func (p *ProgramOrder) Next(i int) int {
	if i+1 < p.of.Len() && !p.of.Begins(i+1) {
		return i + 1
	}
	if at := p.stretches[p.of.At(i)+1].at; at != math.MaxInt32 {
		return int(at)
	}
	return -1
}

// Prev returns the event of its goroutine before event i, or -1.
func (p *ProgramOrder) Prev(i int) int {
	if !p.of.Begins(i) {
		return i - 1
	}
	k := p.of.At(i)
	n := p.stretches[k].before
	if n == 0 {
		return -1
	}
	return int(p.stretches[k-1].at + n - p.stretches[k-1].before - 1)
}

// Index returns how many events its goroutine has before event i.
func (p *ProgramOrder) Index(i int) int {
	s := p.stretches[p.of.At(i)]
	return int(s.before) + i - int(s.at)
}

// Of returns the events of goroutine g; none of one that has none.
func (p *ProgramOrder) Of(g GID) Own {
	if int(g) >= p.Goroutines() {
		return Own{{at: math.MaxInt32}}
	}
	return Own(p.stretches[p.first[g]:p.first[g+1]])
}

// Own is the events of one goroutine, in their order.
type Own []stretch

// Len is how many there are.
func (o Own) Len() int { return int(o[len(o)-1].before) }

// First returns the position of the first one, or -1.
func (o Own) First() int {
	if len(o) == 1 {
		return -1
	}
	return int(o[0].at)
}

// Last returns the position of the last one, or -1.
func (o Own) Last() int {
	if len(o) == 1 {
		return -1
	}
	return o.end(len(o)-2) - 1
}

// end returns where stretch k ends.
func (o Own) end(k int) int { return int(o[k].at + o[k+1].before - o[k].before) }

// Before returns how many there are before position i.
func (o Own) Before(i int) int {
	k := sort.Search(len(o)-1, func(k int) bool { return int(o[k].at) >= i })
	if k == 0 {
		return 0
	}
	return int(o[k].before) - max(0, o.end(k-1)-i)
}

// From returns the position of the first one from position i on, or -1.
func (o Own) From(i int) int { return o.Find(func(at int) bool { return at >= i }) }

// Until returns the position of the last one before position i, or -1.
func (o Own) Until(i int) int {
	k := sort.Search(len(o)-1, func(k int) bool { return int(o[k].at) >= i })
	if k == 0 {
		return -1
	}
	return min(o.end(k-1), i) - 1
}

// Find returns the position of the first one for which is holds, or -1. It holds for all those after one for which
// it does.
func (o Own) Find(is func(at int) bool) int {
	k := sort.Search(len(o)-1, func(k int) bool { return is(o.end(k) - 1) })
	if k == len(o)-1 {
		return -1
	}
	at := int(o[k].at)
	return at + sort.Search(o.end(k)-at-1, func(n int) bool { return is(at + n) })
}

// All yields their positions.
func (o Own) All(yield func(at int) bool) {
	for k := range o[:len(o)-1] {
		for at, end := int(o[k].at), o.end(k); at < end; at++ {
			if !yield(at) {
				return
			}
		}
	}
}
