package detect

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// properties returns the candidates for violations of properties: each is the calls of one
// object in an order that what must come before what allows, and in which the monitor
// comes to where the property is violated.
func properties(in *Input, counts *Counts) []Candidate {
	var cs []Candidate
	left := maxCuts
	for k := range in.Properties {
		p := &in.Properties[k]
		for _, run := range in.runs(p) {
			l := newLattice(in, p, run)
			for _, accesses := range l.violations(&left) {
				cs = append(cs, Candidate{Kind: bug.Property, Instances: []Instance{{
					Accesses: accesses, Pattern: sequence(p, in.Trace, accesses), Property: p, Run: run,
				}}})
			}
			counts.Cut = counts.Cut || l.cut
		}
	}
	return cs
}

// runs returns the events that p has of each object, ascending: the slices of the trace by
// the value of the property's parameter.
func (in *Input) runs(p *property.Property) [][]int {
	type object struct {
		addr       uint64
		generation int32
	}
	generations := trace.NewGenerations(in.Trace)
	var runs [][]int
	of := make(map[object]int)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if _, ok := p.Calls[e.Val]; !ok || e.Kind != trace.Call {
			continue
		}
		o := object{e.Obj, generations.Of(i)}
		k, ok := of[o]
		if !ok {
			k = len(runs)
			of[o] = k
			runs = append(runs, nil)
		}
		runs[k] = append(runs[k], i)
	}
	return runs
}

// sequence returns the pattern of calls of one object in the order of the accesses, under
// the name of p.
func sequence(p *property.Property, t *trace.Trace, accesses []int) *anomaly.Pattern {
	out := &anomaly.Pattern{Name: p.Name}
	var gs []trace.GID
	for k, i := range accesses {
		g := slices.Index(gs, t.Events[i].G)
		if g < 0 {
			g = len(gs)
			gs = append(gs, t.Events[i].G)
		}
		out.Events = append(out.Events, anomaly.PatternEvent{Name: p.Monitor.Events[p.Calls[t.Events[i].Val]], Goroutine: g, Region: k})
	}
	return out
}

// Violates reports whether the property of v is violated after the first from events of the
// trace, the steps, and the last access; true of other kinds.
func (v *Instance) Violates(t *trace.Trace, from int, steps []int) bool {
	if v.Property == nil {
		return true
	}
	m, state := v.Property.Monitor, 0
	step := func(i int) {
		if _, ok := slices.BinarySearch(v.Run, i); ok {
			state = m.Step(state, v.Property.Calls[t.Events[i].Val])
		}
	}
	for _, i := range v.Run {
		if i < from {
			step(i)
		}
	}
	for _, i := range steps {
		step(i)
	}
	step(v.Accesses[len(v.Accesses)-1])
	return state == m.Violated
}

// maxCuts bounds the cuts of a trace that are looked at, and maxWidth those of them after the
// same number of events of an object.
const maxCuts, maxWidth = 1 << 20, 1 << 10

// maxAccesses bounds the violations of an object that are candidates.
const maxAccesses = 64

// A lattice is the cuts of the events of one object that are consistent: with each event,
// they have all that must come before it (Chen and Roşu, 2005, Definitions 18 to 21).
type lattice struct {
	in     *Input
	p      *property.Property
	run    []int
	lanes  [][]int   // by goroutine: indices of events in run
	needed [][]int32 // by event and lane: how many must come before
	cut    bool      // not all cuts were looked at
}

func newLattice(in *Input, p *property.Property, run []int) *lattice {
	l := &lattice{in: in, p: p, run: run}
	lane := make(map[trace.GID]int)
	of := make([]int, len(run))
	for k, i := range run {
		g := in.Trace.Events[i].G
		n, ok := lane[g]
		if !ok {
			n = len(l.lanes)
			lane[g] = n
			l.lanes = append(l.lanes, nil)
		}
		of[k] = n
		l.lanes[n] = append(l.lanes[n], k)
	}
	for k, i := range run {
		needed := make([]int32, len(l.lanes))
		for n, events := range l.lanes {
			if n != of[k] {
				first, _ := slices.BinarySearchFunc(events, i, func(j, i int) int {
					if in.Order.Before(run[j], i) {
						return -1
					}
					return 1
				})
				needed[n] = int32(first)
			}
		}
		l.needed = append(l.needed, needed)
	}
	return l
}

// A node is a cut, with the state of the monitor in which a run comes there, and that run:
// the node before it, and the event after that.
type node struct {
	done  []int32 // by lane
	state int
	from  *node
	event int
}

// violations goes through the cuts level by level (Figure 7), each with each state of the
// monitor once, and returns what leads to the violated state first: of each run the
// events that change the state. It takes its cuts from left.
func (l *lattice) violations(left *int) (found [][]int) {
	seen := make(map[string]bool) // violations
	level := []*node{{done: make([]int32, len(l.lanes))}}
	for len(level) > 0 {
		var next []*node
		known := make(map[string]bool) // cuts of next
		for _, n := range level {
			for lane := range l.lanes {
				k, ok := l.enabled(n, lane)
				if !ok {
					continue
				}
				m := &node{slices.Clone(n.done), l.p.Monitor.Step(n.state, l.letter(k)), n, k}
				m.done[lane]++
				if m.state == l.p.Monitor.Violated {
					accesses := l.changes(m)
					if key := l.places(accesses); !seen[key] && len(found) < maxAccesses {
						seen[key] = true
						found = append(found, accesses)
					}
					continue
				}
				key := m.key()
				if known[key] {
					continue
				}
				if *left--; *left < 0 || len(next) == maxWidth {
					l.cut = true
					continue
				}
				known[key] = true
				next = append(next, m)
			}
		}
		level = next
	}
	slices.SortStableFunc(found, func(a, b []int) int { return cmp.Compare(slices.Max(a), slices.Max(b)) })
	return found
}

// enabled returns the next event of a lane, if it can come after n.
func (l *lattice) enabled(n *node, lane int) (event int, ok bool) {
	at := int(n.done[lane])
	if at == len(l.lanes[lane]) {
		return 0, false
	}
	event = l.lanes[lane][at]
	for other, count := range l.needed[event] {
		if n.done[other] < count {
			return 0, false
		}
	}
	return event, true
}

func (l *lattice) letter(k int) int { return l.p.Calls[l.in.Trace.Events[l.run[k]].Val] }

func (n *node) key() string {
	key := binary.AppendUvarint(nil, uint64(n.state))
	for _, c := range n.done {
		key = binary.AppendUvarint(key, uint64(c))
	}
	return string(key)
}

// changes returns the positions of the events on the way to n that change the state.
func (l *lattice) changes(n *node) (accesses []int) {
	for ; n.from != nil; n = n.from {
		if n.state != n.from.state {
			accesses = append(accesses, l.run[n.event])
		}
	}
	slices.Reverse(accesses)
	return accesses
}

// places is the same for violations that differ in nothing but how often the goroutines
// have come there.
func (l *lattice) places(accesses []int) string {
	var key []byte
	for _, i := range accesses {
		e := &l.in.Trace.Events[i]
		key = binary.AppendUvarint(key, uint64(e.G))
		key = binary.AppendUvarint(key, uint64(e.Site))
	}
	return string(key)
}
