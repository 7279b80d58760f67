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

// properties returns the candidates for violations of properties. Each is calls of one object in an order
// that the must-order allows and in which the monitor reaches its violated state.
func properties(in *Input, counts *Counts) []Candidate {
	if len(in.Properties) == 0 {
		return nil
	}
	objects := in.callsByObject()
	var cs []Candidate
	for k := range in.Properties {
		p := &in.Properties[k]
		found := make(map[string]int) // candidates by their places
		calls := objects
		if p.Params != nil {
			truncated := false
			calls, truncated = in.pairRuns(p)
			counts.Truncated = counts.Truncated || truncated
		}
		for _, calls := range calls {
			run := slices.DeleteFunc(slices.Clone(calls), func(i int) bool { return !isEventOf(p, in.Trace, i) })
			if !canViolate(p, in.Trace, run) || p.Builtin && isViolated(p, in.Trace, run) {
				continue
			}
			l := newLattice(in, p, run)
			for _, accesses := range l.violations() {
				places := in.nameOf(bug.Property, accesses)
				if found[places]++; found[places] > maxFailures { // further ones show the same finding
					continue
				}
				cs = append(cs, Candidate{Kind: bug.Property, Instances: []Instance{{
					Accesses: accesses, Pattern: patternOf(p, in.Trace, accesses), Property: p, ObjectCalls: run,
				}}})
			}
			counts.Truncated = counts.Truncated || l.truncated
		}
	}
	return cs
}

// An object is the receiver of calls. The generation tells apart objects that had the same address.
type object struct {
	addr       uint64
	generation int32
}

// maxPairs bounds the pairs of objects that are looked at for a property.
const maxPairs = 1 << 12

// pairRuns returns the events of p for each pair of objects, ascending: those about both objects, and
// those about one of them (Chen and Roşu, 2005, §4: parametric properties). It is truncated if there are
// more than maxPairs pairs.
func (in *Input) pairRuns(p *property.Property) (runs [][]int, truncated bool) {
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
		lastOf    = make(map[operand]object) // the last object, by goroutine and method
		single    [2]map[object][]int        // events that are about one object
		pairIndex = make(map[[2]object]int)  // indices in pairs
		pairs     [][2]object
	)
	single[0], single[1] = make(map[object][]int), make(map[object][]int)
	for i := range in.Trace.Events {
		e := &in.Trace.Events[i]
		if e.Kind != trace.Call {
			continue
		}
		on := object{e.Obj, generations.Of(i)}
		of, ok := p.Params[e.Val]
		switch {
		case operands[e.Val]:
			lastOf[operand{e.G, e.Val}] = on
		case !ok:
		case of.Operand == 0:
			single[of.Of][on] = append(single[of.Of][on], i)
		default:
			var pair [2]object
			pair[of.Of] = on
			if pair[1-of.Of], ok = lastOf[operand{e.G, of.Operand}]; !ok {
				continue // it was called before the trace begins
			}
			k, known := pairIndex[pair]
			if !known {
				if len(pairs) == maxPairs {
					truncated = true
					continue
				}
				k = len(pairs)
				pairIndex[pair] = k
				pairs = append(pairs, pair)
				runs = append(runs, nil)
			}
			runs[k] = append(runs[k], i)
		}
	}
	for k, pair := range pairs {
		runs[k] = slices.Concat(runs[k], single[0][pair[0]], single[1][pair[1]])
		slices.Sort(runs[k])
	}
	return runs, truncated
}

// callsByObject returns the calls on each object, ascending: the slices of the trace by the value of the
// properties' parameter.
func (in *Input) callsByObject() [][]int {
	isCall := func(e trace.Event) bool { return e.Kind == trace.Call }
	if !slices.ContainsFunc(in.Trace.Events, isCall) {
		return nil // generations take long
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

// isEventOf reports whether call i is an event of p.
func isEventOf(p *property.Property, t *trace.Trace, i int) bool {
	_, ok := p.Calls[t.Events[i].Val]
	return ok
}

// canViolate reports whether calls of the methods of a run can violate p in any order, if each may come
// any number of times.
func canViolate(p *property.Property, t *trace.Trace, run []int) bool {
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

// isViolated reports whether the recorded run violates p. If a built-in property is violated and the test
// went on, the program is made for that.
func isViolated(p *property.Property, t *trace.Trace, run []int) bool {
	state := 0
	for _, i := range run {
		state = p.Monitor.Step(state, p.Calls[t.Events[i].Val])
	}
	return state == p.Monitor.Violated
}

// patternOf returns the pattern of calls of one object in the order of the accesses. Its name is that of p.
func patternOf(p *property.Property, t *trace.Trace, accesses []int) *anomaly.Pattern {
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

// Violates reports whether the property of v is violated after these events: all before position from, then
// the steps, then the last access. It returns true for instances without a property.
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

// maxWidth bounds the cuts of one level.
const maxWidth = 1 << 10

// goroutinesPerLook is how many counts of goroutines take as long to look at as one look ([Input.LooksLeft]).
const goroutinesPerLook = 32

// maxAccesses bounds the violations of one object that are candidates.
const maxAccesses = 64

// A lattice is the consistent cuts of the events of one object: with each event, a cut has all events that
// must come before it (Chen and Roşu, 2005, Definitions 18 to 21).
//
// Loops repeat calls. Of calls of one event in a row with the same events before and after them, the
// lattice keeps no more than can change the state of the monitor, and the last one. That is sound if a
// second call in a row changes nothing, and the monitor never returns to a state: the dropped calls may
// come right after those before them.
type lattice struct {
	in          *Input
	p           *property.Property
	calls       []int
	eventNumber []int     // by index in calls: the number of the event in the property
	isPairEvent []bool    // by index in calls: the event is about both objects of a pair
	byGoroutine [][]int   // by goroutine: indices in calls
	needed      [][]int32 // by index in calls and goroutine: how many of its events must come before
	unpaid      int       // work that is not taken off the looks yet
	truncated   bool      // not all cuts were looked at
}

func newLattice(in *Input, p *property.Property, run []int) *lattice {
	l := &lattice{in: in, p: p, calls: run, eventNumber: make([]int, len(run)), isPairEvent: make([]bool, len(run)), needed: make([][]int32, len(run))}
	lane := make(map[trace.GID]int)
	for k, i := range run {
		l.eventNumber[k] = p.Calls[in.Trace.Events[i].Val]
		l.isPairEvent[k] = p.Params[in.Trace.Events[i].Val].Operand != 0
		g := in.Trace.Events[i].G
		n, ok := lane[g]
		if !ok {
			n = len(l.byGoroutine)
			lane[g] = n
			l.byGoroutine = append(l.byGoroutine, nil)
		}
		l.byGoroutine[n] = append(l.byGoroutine[n], k)
	}
	if len(run)*len(l.byGoroutine) > in.LooksLeft {
		l.truncated = true
		return l
	}
	in.LooksLeft -= len(run) * len(l.byGoroutine)
	for own := range l.byGoroutine {
		l.findNeeded(own)
	}
	l.dropRepeated()
	return l
}

// hasLooksLeft takes the unpaid work off the looks that are left, and reports whether any are left.
func (l *lattice) hasLooksLeft() bool {
	l.in.LooksLeft -= l.unpaid / goroutinesPerLook
	l.unpaid %= goroutinesPerLook
	return l.in.LooksLeft >= 0
}

// findNeeded finds what must come before the events of a goroutine. Each event needs all that the event
// before it needs.
func (l *lattice) findNeeded(own int) {
	last := make([]int32, len(l.byGoroutine))
	for _, k := range l.byGoroutine[own] {
		grown := false
		for n, events := range l.byGoroutine {
			from := int(last[n])
			if n == own || from == len(events) || !l.in.Order.Before(l.calls[events[from]], l.calls[k]) {
				continue
			}
			if !grown {
				last, grown = slices.Clone(last), true
			}
			more, _ := slices.BinarySearchFunc(events[from:], l.calls[k], func(j, i int) int {
				if l.in.Order.Before(l.calls[j], i) {
					return -1
				}
				return 1
			})
			last[n] = int32(from + more)
		}
		l.needed[k] = last
	}
}

// dropRepeated drops repeated events that need not change the state.
func (l *lattice) dropRepeated() {
	m := l.p.Monitor
	most, ok := maxChanges(m)
	if !ok {
		return
	}
	ends := make([][]bool, len(l.byGoroutine)) // by lane: how many of its events some event needs
	for n := range l.byGoroutine {
		ends[n] = make([]bool, len(l.byGoroutine[n])+1)
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
	kept := make([][]int32, len(l.byGoroutine)) // by lane and number of its events: how many of them
	for n, events := range l.byGoroutine {
		var left []int
		counts, row := []int32{0}, 0
		begins := func(at int) bool { // a row of its own
			k := events[at]
			return at == 0 || ends[n][at] || !settles[l.eventNumber[k]] || l.eventNumber[k] != l.eventNumber[events[at-1]] || l.isPairEvent[k] != l.isPairEvent[events[at-1]] || !slices.Equal(l.needed[k], l.needed[events[at-1]])
		}
		for at, k := range events {
			row++
			if begins(at) {
				row = 1
			}
			last := at == len(events)-1 || begins(at+1)
			if last || row <= max(1, most[l.eventNumber[k]]) {
				left = append(left, k)
			}
			counts = append(counts, int32(len(left)))
		}
		l.byGoroutine[n], kept[n] = left, counts
	}
	for _, events := range l.byGoroutine {
		for _, k := range events {
			needed := slices.Clone(l.needed[k])
			for n, count := range needed {
				needed[n] = kept[n][count]
			}
			l.needed[k] = needed
		}
	}
}

// maxChanges returns, by event, how often it changes the state of m in a run at most. It fails if m can
// leave a state and return to it.
func maxChanges(m *property.Monitor) (most []int, ok bool) {
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

// A latticeCut is a cut with the state of the monitor in which a run reaches it. The cut before it and the
// event after that one make up the run.
type latticeCut struct {
	counts   []int32 // by goroutine: how many of its events the cut has; nil once the next level is made
	state    int
	previous *latticeCut
	event    int
	isPair   bool // an event is about both objects; always set for a single object
}

// violations goes through the cuts level by level (Figure 7), each with each state of the monitor once. It
// returns the events that change the state, for each run that first reaches the violated state.
func (l *lattice) violations() (found [][]int) {
	seen := make(map[string]bool) // violations
	for level := l.firstLevel(); len(level) > 0; {
		level = l.nextLevel(level, func(n *latticeCut) {
			accesses := l.accessesTo(n)
			if key := l.placesKey(accesses); !seen[key] && len(found) < maxAccesses {
				seen[key] = true
				found = append(found, accesses)
			}
		})
	}
	slices.SortStableFunc(found, func(a, b []int) int { return cmp.Compare(slices.Max(a), slices.Max(b)) })
	return found
}

// firstLevel returns the level of the empty cut.
func (l *lattice) firstLevel() []*latticeCut {
	if l.truncated {
		return nil
	}
	return []*latticeCut{{counts: make([]int32, len(l.byGoroutine)), isPair: l.p.Params == nil}}
}

// nextLevel returns the level after level. It calls violated for cuts in the violated state, which no
// level follows.
func (l *lattice) nextLevel(level []*latticeCut, violated func(*latticeCut)) (next []*latticeCut) {
	known := make(map[string]bool)
	for _, n := range level {
		if !l.hasLooksLeft() {
			l.truncated = true
			return nil
		}
		for lane := range l.byGoroutine {
			k, ok := l.enabled(n, lane)
			if !ok {
				continue
			}
			l.unpaid += 4 * len(l.byGoroutine) // for the new cut and its key
			m := &latticeCut{slices.Clone(n.counts), l.p.Monitor.Step(n.state, l.eventNumber[k]), n, k, n.isPair || l.isPairEvent[k]}
			m.counts[lane]++
			if m.state == l.p.Monitor.Violated && m.isPair {
				violated(m)
				continue
			}
			key := m.key()
			if known[key] {
				continue
			}
			if len(next) == maxWidth {
				l.truncated = true
				continue
			}
			known[key] = true
			next = append(next, m)
		}
		l.unpaid += len(l.byGoroutine)
		n.counts = nil // accessesTo needs no counts
	}
	return next
}

// enabled returns the next event of a goroutine, if all events that it needs are in the cut.
func (l *lattice) enabled(n *latticeCut, lane int) (event int, ok bool) {
	at := int(n.counts[lane])
	if at == len(l.byGoroutine[lane]) {
		return 0, false
	}
	event = l.byGoroutine[lane][at]
	for other, count := range l.needed[event] {
		if n.counts[other] < count {
			l.unpaid += other
			return 0, false
		}
	}
	l.unpaid += len(l.byGoroutine)
	return event, true
}

func (n *latticeCut) key() string {
	key := binary.AppendUvarint(nil, uint64(n.state))
	for _, c := range n.counts {
		key = binary.AppendUvarint(key, uint64(c))
	}
	return string(key)
}

// accessesTo returns the positions of the events on the way to n that change the state, or that make the
// objects a pair: events before that may violate the property then.
func (l *lattice) accessesTo(n *latticeCut) (accesses []int) {
	for ; n.previous != nil; n = n.previous {
		if n.state != n.previous.state || n.isPair != n.previous.isPair {
			accesses = append(accesses, l.calls[n.event])
		}
	}
	slices.Reverse(accesses)
	return accesses
}

// placesKey returns a key for the places and goroutines of accesses. Violations that differ only in how
// often goroutines were there have the same key.
func (l *lattice) placesKey(accesses []int) string {
	var key []byte
	for _, i := range accesses {
		e := &l.in.Trace.Events[i]
		key = binary.AppendUvarint(key, uint64(e.G))
		key = binary.AppendUvarint(key, uint64(e.Site))
	}
	return string(key)
}
