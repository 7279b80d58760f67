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
	if len(in.Properties) == 0 {
		return nil
	}
	objects := in.objects()
	var cs []Candidate
	for k := range in.Properties {
		p := &in.Properties[k]
		at := make(map[string]int) // candidates by their places
		calls := objects
		if p.Params != nil {
			cut := false
			calls, cut = in.pairs(p)
			counts.Truncated = counts.Truncated || cut
		}
		for _, calls := range calls {
			run := slices.DeleteFunc(slices.Clone(calls), func(i int) bool { return !named(p, in.Trace, i) })
			if !breakable(p, in.Trace, run) || p.Builtin && violated(p, in.Trace, run) {
				continue
			}
			l := newLattice(in, p, run)
			for _, accesses := range l.violations() {
				places := in.name(bug.Property, accesses)
				if at[places]++; at[places] > maxFailures { // of one finding: others show the same
					continue
				}
				cs = append(cs, Candidate{Kind: bug.Property, Instances: []Instance{{
					Accesses: accesses, Pattern: sequence(p, in.Trace, accesses), Property: p, ObjectCalls: run,
				}}})
			}
			counts.Truncated = counts.Truncated || l.cut
		}
	}
	return cs
}

// An object is what calls are on.
type object struct {
	addr       uint64
	generation int32
}

// maxPairs bounds the pairs of a trace that are looked at for a property.
const maxPairs = 1 << 12

// pairs returns the events of each pair of objects that an event of p is about, ascending: those
// that are about both, or only about one of the two (Chen and Roşu, 2005, §4: parametric
// properties). It is cut if there are more pairs than are looked at.
func (in *Input) pairs(p *property.Property) (runs [][]int, cut bool) {
	operands := make(map[uint64]bool)
	for _, of := range p.Params {
		operands[of.Operand] = of.Operand != 0
	}
	generations := trace.NewGenerations(in.Trace)
	type operand struct {
		g      trace.GID
		number uint64
	}
	var (
		told  = make(map[operand]object) // the last ones, by who told
		alone [2]map[object][]int        // events that are about one
		both  = make(map[[2]object]int)  // pairs, by index in order
		order [][2]object
	)
	alone[0], alone[1] = make(map[object][]int), make(map[object][]int)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if e.Kind != trace.Call {
			continue
		}
		on := object{e.Obj, generations.Of(i)}
		of, ok := p.Params[e.Val]
		switch {
		case operands[e.Val]:
			told[operand{e.G, e.Val}] = on
		case !ok:
		case of.Operand == 0:
			alone[of.Of][on] = append(alone[of.Of][on], i)
		default:
			var pair [2]object
			pair[of.Of] = on
			if pair[1-of.Of], ok = told[operand{e.G, of.Operand}]; !ok {
				continue // before the trace begins
			}
			k, known := both[pair]
			if !known {
				if len(order) == maxPairs {
					cut = true
					continue
				}
				k = len(order)
				both[pair] = k
				order = append(order, pair)
				runs = append(runs, nil)
			}
			runs[k] = append(runs[k], i)
		}
	}
	for k, pair := range order {
		runs[k] = slices.Concat(runs[k], alone[0][pair[0]], alone[1][pair[1]])
		slices.Sort(runs[k])
	}
	return runs, cut
}

// objects returns the calls on each object, ascending: the slices of the trace by the value
// of the properties' parameter.
func (in *Input) objects() [][]int {
	isCall := func(e trace.Event) bool { return e.Kind == trace.Call }
	if !slices.ContainsFunc(in.Trace.Events, isCall) {
		return nil
	}
	generations := trace.NewGenerations(in.Trace)
	var calls [][]int
	of := make(map[object]int)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if e.Kind != trace.Call {
			continue
		}
		o := object{e.Obj, generations.Of(i)}
		k, ok := of[o]
		if !ok {
			k = len(calls)
			of[o] = k
			calls = append(calls, nil)
		}
		calls[k] = append(calls[k], i)
	}
	return calls
}

// named reports whether call i is an event of p.
func named(p *property.Property, t *trace.Trace, i int) bool {
	_, ok := p.Calls[t.Events[i].Val]
	return ok
}

// breakable reports whether calls of the methods of a run can violate p, in whatever order and
// however often they come.
func breakable(p *property.Property, t *trace.Trace, run []int) bool {
	has := make([]bool, len(p.Monitor.Events))
	for _, i := range run {
		has[p.Calls[t.Events[i].Val]] = true
	}
	reached := map[int]bool{0: true}
	for work := []int{0}; len(work) > 0; {
		row := p.Monitor.Next[work[0]]
		work = work[1:]
		for e, to := range row {
			if has[e] && !reached[to] {
				reached[to] = true
				work = append(work, to)
			}
		}
	}
	return reached[p.Monitor.Violated]
}

// violated reports whether the recorded run violates p. Of a built-in property the program
// is made for that, as the test has gone on: what it was told there, it has dealt with.
func violated(p *property.Property, t *trace.Trace, run []int) bool {
	state := 0
	for _, i := range run {
		state = p.Monitor.Step(state, p.Calls[t.Events[i].Val])
	}
	return state == p.Monitor.Violated
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
		if _, ok := slices.BinarySearch(v.ObjectCalls, i); ok {
			state = m.Step(state, v.Property.Calls[t.Events[i].Val])
		}
	}
	for _, i := range v.ObjectCalls {
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

// maxWidth bounds the cuts after the same number of events of an object.
const maxWidth = 1 << 10

// lanesALook is of how many lanes it takes as long to go through the numbers as a look takes
// ([Input.Looks]).
const lanesALook = 32

// maxAccesses bounds the violations of an object that are candidates.
const maxAccesses = 64

// A lattice is the cuts of the events of one object that are consistent: with each event,
// they have all that must come before it (Chen and Roşu, 2005, Definitions 18 to 21).
//
// Of calls of one event in a row that the same calls must precede, and be preceded by, it has
// no more than can change the state of the monitor, where a second one never changes the state
// that the first one leads to, and no state is ever come back to, and the last one, before
// which most can come: the others may come at once after those before them.
type lattice struct {
	in     *Input
	p      *property.Property
	run    []int
	letter []int     // by index in run: the event's number in the property
	joins  []bool    // by index in run: the event is about both objects of a pair
	lanes  [][]int   // by goroutine: indices of events in run
	needed [][]int32 // by event and lane: how many of the lane must come before
	gone   int       // lanes that were gone through and are not paid for
	cut    bool      // not all cuts were looked at
}

func newLattice(in *Input, p *property.Property, run []int) *lattice {
	l := &lattice{in: in, p: p, run: run, letter: make([]int, len(run)), joins: make([]bool, len(run)), needed: make([][]int32, len(run))}
	lane := make(map[trace.GID]int)
	for k, i := range run {
		l.letter[k] = p.Calls[in.Trace.Events[i].Val]
		l.joins[k] = p.Params[in.Trace.Events[i].Val].Operand != 0
		g := in.Trace.Events[i].G
		n, ok := lane[g]
		if !ok {
			n = len(l.lanes)
			lane[g] = n
			l.lanes = append(l.lanes, nil)
		}
		l.lanes[n] = append(l.lanes[n], k)
	}
	if len(run)*len(l.lanes) > in.LooksLeft {
		l.cut = true
		return l
	}
	in.LooksLeft -= len(run) * len(l.lanes)
	for own := range l.lanes {
		l.need(own)
	}
	l.thin()
	return l
}

// pay takes what was gone through off the looks that are left, and reports whether there are any.
func (l *lattice) pay() bool {
	l.in.LooksLeft -= l.gone / lanesALook
	l.gone %= lanesALook
	return l.in.LooksLeft >= 0
}

// need finds what must come before the events of a lane. Before each of them is what is before
// the one before.
func (l *lattice) need(own int) {
	last := make([]int32, len(l.lanes))
	for _, k := range l.lanes[own] {
		grown := false
		for n, events := range l.lanes {
			from := int(last[n])
			if n == own || from == len(events) || !l.in.Order.Before(l.run[events[from]], l.run[k]) {
				continue
			}
			if !grown {
				last, grown = slices.Clone(last), true
			}
			more, _ := slices.BinarySearchFunc(events[from:], l.run[k], func(j, i int) int {
				if l.in.Order.Before(l.run[j], i) {
					return -1
				}
				return 1
			})
			last[n] = int32(from + more)
		}
		l.needed[k] = last
	}
}

// thin leaves out events that need not change the state.
func (l *lattice) thin() {
	m := l.p.Monitor
	most, ok := changing(m)
	if !ok {
		return
	}
	ends := make([][]bool, len(l.lanes)) // by lane: how many of its events some event needs
	for n := range l.lanes {
		ends[n] = make([]bool, len(l.lanes[n])+1)
		for _, needed := range l.needed {
			ends[n][needed[n]] = true
		}
	}
	settles := make([]bool, len(m.Events)) // a second one changes nothing
	for e := range m.Events {
		settles[e] = true
		for s := range m.Next {
			settles[e] = settles[e] && m.Step(m.Step(s, e), e) == m.Step(s, e)
		}
	}
	kept := make([][]int32, len(l.lanes)) // by lane and number of its events: how many of them
	for n, events := range l.lanes {
		var left []int
		counts, row := []int32{0}, 0
		begins := func(at int) bool { // a row of its own
			k := events[at]
			return at == 0 || ends[n][at] || !settles[l.letter[k]] || l.letter[k] != l.letter[events[at-1]] || l.joins[k] != l.joins[events[at-1]] || !slices.Equal(l.needed[k], l.needed[events[at-1]])
		}
		for at, k := range events {
			row++
			if begins(at) {
				row = 1
			}
			last := at == len(events)-1 || begins(at+1)
			if last || row <= max(1, most[l.letter[k]]) {
				left = append(left, k)
			}
			counts = append(counts, int32(len(left)))
		}
		l.lanes[n], kept[n] = left, counts
	}
	for _, events := range l.lanes {
		for _, k := range events {
			needed := slices.Clone(l.needed[k])
			for n, count := range needed {
				needed[n] = kept[n][count]
			}
			l.needed[k] = needed
		}
	}
}

// changing returns by event how often it changes the state of m in a run, at most; ok is false
// if m can leave a state and come to it again.
func changing(m *property.Monitor) (most []int, ok bool) {
	into := make([]int, len(m.Next)) // ways from states that are not done
	for s, row := range m.Next {
		for _, to := range row {
			if to != s {
				into[to]++
			}
		}
	}
	longest := make([][]int, len(m.Next)) // by state and event: on the way there
	for s := range longest {
		longest[s] = make([]int, len(m.Events))
	}
	most = make([]int, len(m.Events))
	done := 0
	for work := []int{0}; len(work) > 0 && into[0] == 0; done++ {
		s := work[0]
		work = work[1:]
		for e, to := range m.Next[s] {
			if to == s {
				continue
			}
			for other, n := range longest[s] {
				if other == e {
					n++
				}
				longest[to][other] = max(longest[to][other], n)
				most[other] = max(most[other], n)
			}
			if into[to]--; into[to] == 0 {
				work = append(work, to)
			}
		}
	}
	return most, done == len(m.Next)
}

// A node is a cut, with the state of the monitor in which a run comes there, and that run:
// the node before it, and the event after that.
type node struct {
	done   []int32 // by lane; nil if it is behind the level that is looked at
	state  int
	from   *node
	event  int
	exists bool // it is an object, or a pair that some event has made
}

// violations goes through the cuts level by level (Figure 7), each with each state of the
// monitor once, and returns what leads to the violated state first: of each run the
// events that change the state.
func (l *lattice) violations() (found [][]int) {
	seen := make(map[string]bool) // violations
	for level := l.first(); len(level) > 0; {
		level = l.next(level, func(n *node) {
			accesses := l.changes(n)
			if key := l.places(accesses); !seen[key] && len(found) < maxAccesses {
				seen[key] = true
				found = append(found, accesses)
			}
		})
	}
	slices.SortStableFunc(found, func(a, b []int) int { return cmp.Compare(slices.Max(a), slices.Max(b)) })
	return found
}

// first returns the level of the cut that has no event.
func (l *lattice) first() []*node {
	if l.cut {
		return nil
	}
	return []*node{{done: make([]int32, len(l.lanes)), exists: l.p.Params == nil}}
}

// next returns the level behind level, and calls violated for what of it is violated, and so
// has no further level.
func (l *lattice) next(level []*node, violated func(*node)) (next []*node) {
	known := make(map[string]bool)
	for _, n := range level {
		if !l.pay() {
			l.cut = true
			return nil
		}
		for lane := range l.lanes {
			k, ok := l.enabled(n, lane)
			if !ok {
				continue
			}
			l.gone += 4 * len(l.lanes) // for the new cut and its key
			m := &node{slices.Clone(n.done), l.p.Monitor.Step(n.state, l.letter[k]), n, k, n.exists || l.joins[k]}
			m.done[lane]++
			if m.state == l.p.Monitor.Violated && m.exists {
				violated(m)
				continue
			}
			key := m.key()
			if known[key] {
				continue
			}
			if len(next) == maxWidth {
				l.cut = true
				continue
			}
			known[key] = true
			next = append(next, m)
		}
		l.gone += len(l.lanes)
		n.done = nil // of the way to later ones no more is asked than what happened
	}
	return next
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
			l.gone += other
			return 0, false
		}
	}
	l.gone += len(l.lanes)
	return event, true
}

func (n *node) key() string {
	key := binary.AppendUvarint(nil, uint64(n.state))
	for _, c := range n.done {
		key = binary.AppendUvarint(key, uint64(c))
	}
	return string(key)
}

// changes returns the positions of the events on the way to n that change the state, or make the
// objects a pair: what was before may violate the property then.
func (l *lattice) changes(n *node) (accesses []int) {
	for ; n.from != nil; n = n.from {
		if n.state != n.from.state || n.exists != n.from.exists {
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
