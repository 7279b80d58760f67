package minimize

import (
	"encoding/binary"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// FewestSwitches returns the steps in the order with the fewest switches between goroutines, of
// the orders that keep the order of dependent events. All these orders are equivalent executions:
// each read reads what it read (Mazurkiewicz). Events of the violation keep their order.
//
// A goroutine that runs goes on as far as it can: to execute its steps sooner never takes another
// switch. So a breadth-first search looks for the order in which goroutines run. A long schedule
// stays as it is, as most searches for it would end at their bound.
func FewestSwitches(s Schedule) []int {
	if len(s.Steps) > unchangedSteps {
		return s.Steps
	}
	d := newDependences(s)
	if len(d.lanes) < 2 {
		return s.Steps
	}
	search := switchSearch{dependences: d, seen: make(map[string]bool), doneSteps: make([]int, len(d.lanes))}
	for _, i := range s.Pending {
		if lane, ok := d.laneOf[s.Trace.Events[i].G]; ok {
			search.pending = append(search.pending, lane)
		}
	}
	end := search.run()
	if end == nil {
		return s.Steps
	}
	out := make([]int, 0, len(s.Steps))
	for _, k := range search.order(end) {
		out = append(out, s.Steps[k])
	}
	return out
}

// A switchSearch looks for an order of the steps with the fewest switches.
type switchSearch struct {
	*dependences
	pending   []int // lanes of pending events: an order that ends in one is preferred
	seen      map[string]bool
	doneSteps []int  // how far the lanes are in the state that is tried
	key       []byte // of that state
}

// A searchState is a state of the search: the steps that each goroutine has executed, and the
// goroutine that ran last.
type searchState struct {
	done []int // by lane: its steps that are done
	lane int   // the one that ran last
	from *searchState
}

// run returns the state after all steps with the fewest switches; nil if none was found within
// the bound.
func (s *switchSearch) run() (end *searchState) {
	level := []*searchState{{done: make([]int, len(s.lanes)), lane: -1}}
	for len(level) > 0 && end == nil {
		level = s.successors(level)
		for _, p := range level {
			if s.complete(p.done) && (end == nil || slices.Contains(s.pending, p.lane) && !slices.Contains(s.pending, end.lane)) {
				end = p
			}
		}
	}
	return end
}

// successors returns the new states one switch after those of a level; none beyond the bound.
func (s *switchSearch) successors(level []*searchState) (next []*searchState) {
	for _, p := range level {
		for lane := range s.lanes {
			if lane == p.lane {
				continue
			}
			if len(s.seen)*len(s.lanes) > maxPlaces {
				return nil
			}
			if !s.advance(s.doneSteps, p.done, lane) {
				continue
			}
			if !s.visited(lane) {
				next = append(next, &searchState{slices.Clone(s.doneSteps), lane, p})
			}
		}
	}
	return next
}

// visited reports whether the state that is tried, in which a lane ran last, was there before.
func (s *switchSearch) visited(lane int) bool {
	s.key = binary.AppendUvarint(s.key[:0], uint64(lane))
	for _, n := range s.doneSteps {
		s.key = binary.AppendUvarint(s.key, uint64(n))
	}
	if s.seen[string(s.key)] {
		return true
	}
	s.seen[string(s.key)] = true
	return false
}

// order returns the indices of the steps in the order that leads to end.
func (s *switchSearch) order(end *searchState) (steps []int) {
	var runs []*searchState
	for p := end; p.from != nil; p = p.from {
		runs = append(runs, p)
	}
	for _, p := range slices.Backward(runs) {
		steps = append(steps, s.lanes[p.lane][p.from.done[p.lane]:p.done[p.lane]]...)
	}
	return steps
}

// dependences has for each step the steps that must come before it. The steps of one goroutine
// are a lane.
type dependences struct {
	laneOf map[trace.GID]int
	lanes  [][]int // by lane: the indices of its steps
	lane   []int   // by step
	rank   []int   // by step: its index in its lane
	after  [][]int // by step: steps of other lanes that it must follow
}

func newDependences(s Schedule) *dependences {
	n := len(s.Steps)
	d := &dependences{laneOf: make(map[trace.GID]int), lane: make([]int, n), rank: make([]int, n), after: make([][]int, n)}
	for k, i := range s.Steps {
		g := s.Trace.Events[i].G
		lane, ok := d.laneOf[g]
		if !ok {
			lane = len(d.lanes)
			d.laneOf[g] = lane
			d.lanes = append(d.lanes, nil)
		}
		d.lane[k], d.rank[k] = lane, len(d.lanes[lane])
		d.lanes[lane] = append(d.lanes[lane], k)
	}
	d.findSync(s)
	d.findAccesses(s)
	return d
}

// mustFollow records that step k must follow an earlier one.
func (d *dependences) mustFollow(k, earlier int) {
	if d.lane[k] != d.lane[earlier] && !slices.Contains(d.after[k], earlier) {
		d.after[k] = append(d.after[k], earlier)
	}
}

// findSync orders the operations on each object, go statements before the goroutines' steps, and
// the events of the violation. A select may use any channel.
func (d *dependences) findSync(s Schedule) {
	const anyChannel = ^uint64(0)
	selects := slices.ContainsFunc(s.Steps, func(i int) bool { return s.Trace.Events[i].Kind == trace.Select })
	last := make(map[uint64]int)      // by object: the last operation on it
	starts := make(map[trace.GID]int) // by goroutine: its go statement
	chain := func(obj uint64, k int) {
		if earlier, ok := last[obj]; ok {
			d.mustFollow(k, earlier)
		}
		last[obj] = k
	}
	performed := -1 // the last one
	for k, i := range s.Steps {
		e := &s.Trace.Events[i]
		if start, ok := starts[e.G]; ok {
			d.mustFollow(k, start)
		}
		if s.isPerformed(i) {
			if performed >= 0 {
				d.mustFollow(k, performed)
			}
			performed = k
		}
		switch {
		case e.Kind == trace.Fork:
			starts[trace.GID(e.Obj)] = k
		case e.Kind == trace.Select:
			chain(anyChannel, k)
		case IsSync(e.Kind):
			chain(e.Obj, k)
			if selects && (e.Kind == trace.Send || e.Kind == trace.Recv || e.Kind == trace.Close) {
				chain(anyChannel, k)
			}
		}
	}
}

// findAccesses orders conflicting accesses.
func (d *dependences) findAccesses(s Schedule) {
	mem := memoryOf(s.Trace, s.Steps)
	mem.eachConflict(s.Trace, s.Steps, func(_, earlier, later int) { d.mustFollow(later, earlier) })
}

// advance writes to out how far the lanes are once one of them has run as far as it can, and
// reports whether it can run at all.
func (d *dependences) advance(out, done []int, lane int) bool {
	n := done[lane]
	for n < len(d.lanes[lane]) && d.ready(done, d.lanes[lane][n]) {
		n++
	}
	if n == done[lane] {
		return false
	}
	copy(out, done)
	out[lane] = n
	return true
}

// ready reports whether all that step k must follow is done.
func (d *dependences) ready(done []int, k int) bool {
	return !slices.ContainsFunc(d.after[k], func(earlier int) bool { return done[d.lane[earlier]] <= d.rank[earlier] })
}

// complete reports whether all steps are done.
func (d *dependences) complete(done []int) bool {
	for lane, n := range done {
		if n < len(d.lanes[lane]) {
			return false
		}
	}
	return true
}
