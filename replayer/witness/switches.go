package witness

import (
	"encoding/binary"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// maxPlaces bounds the search for the fewest switches: it is 20,000 states of 20
// goroutines, each of which is somewhere. Beyond it the steps stay in the order
// that they have.
const maxPlaces = 400_000

// fewestSwitches returns the steps in the order, of those in which events that
// depend on each other stay as they are, that switches least between goroutines
// on the way to the violation. All these orders are executions alike: each read
// reads what it read (Mazurkiewicz's equivalence). The steps shown keep their order.
//
// A goroutine that runs goes on as far as it can: to do its steps sooner never
// takes another switch. So the search is for the order of the runs, in breadth.
func fewestSwitches(t *trace.Trace, steps, shown, stand []int) []int {
	if len(steps) > readSteps {
		return steps // most such searches end at their bound, in vain
	}
	s := newSearch(t, steps, shown)
	if len(s.lanes) < 2 {
		return steps
	}
	last := make(map[int]bool) // lanes that end at the violation
	for _, i := range stand {
		if l, ok := s.lane[t.Events[i].G]; ok {
			last[l] = true
		}
	}
	type node struct {
		done []int // by lane: its steps that are done
		lane int   // the one that ran last
		from *node
	}
	level := []*node{{done: make([]int, len(s.lanes)), lane: -1}}
	seen := make(map[string]bool)
	done, key := make([]int, len(s.lanes)), []byte(nil) // of the state that is tried
	var end *node
	for len(level) > 0 {
		var next []*node
		for _, n := range level {
			for l := range s.lanes {
				if l == n.lane {
					continue
				}
				if len(seen)*len(s.lanes) > maxPlaces {
					return steps
				}
				if !s.run(done, n.done, l) {
					continue
				}
				if key = stateKey(key[:0], done, l); !seen[string(key)] {
					seen[string(key)] = true
					next = append(next, &node{slices.Clone(done), l, n})
				}
			}
		}
		for _, n := range next {
			if s.all(n.done) && (end == nil || last[n.lane] && !last[end.lane]) {
				end = n
			}
		}
		if end != nil {
			break
		}
		level = next
	}
	if end == nil {
		return steps
	}
	var runs []*node
	for n := end; n.from != nil; n = n.from {
		runs = append(runs, n)
	}
	out := make([]int, 0, len(steps))
	for _, n := range slices.Backward(runs) {
		for k := n.from.done[n.lane]; k < n.done[n.lane]; k++ {
			out = append(out, steps[s.lanes[n.lane][k]])
		}
	}
	return out
}

// stateKey appends to key what tells a state from others.
func stateKey(key []byte, done []int, lane int) []byte {
	key = binary.AppendUvarint(key, uint64(lane))
	for _, n := range done {
		key = binary.AppendUvarint(key, uint64(n))
	}
	return key
}

// A search knows which steps depend on which.
type search struct {
	lane  map[trace.GID]int
	lanes [][]int // by lane: the indices of its steps
	of    []int   // by step: its place in its lane
	who   []int   // by step: its lane
	after [][]int // by step: steps of other lanes that it comes after
}

func newSearch(t *trace.Trace, steps, shown []int) *search {
	s := &search{
		lane: make(map[trace.GID]int),
		of:   make([]int, len(steps)), who: make([]int, len(steps)), after: make([][]int, len(steps)),
	}
	for k, i := range steps {
		g := t.Events[i].G
		l, ok := s.lane[g]
		if !ok {
			l = len(s.lanes)
			s.lane[g] = l
			s.lanes = append(s.lanes, nil)
		}
		s.of[k], s.who[k] = len(s.lanes[l]), l
		s.lanes[l] = append(s.lanes[l], k)
	}
	s.depend(t, steps, shown)
	return s
}

// depend finds for each step those of other goroutines that it must follow.
func (s *search) depend(t *trace.Trace, steps, shown []int) {
	const channels = ^uint64(0) // a select may touch any channel
	selects := slices.ContainsFunc(steps, func(i int) bool { return t.Events[i].Kind == trace.Select })
	mem := sharedMemory(t, steps)
	type cell struct {
		write int
		reads []int // since then, of each goroutine the last
	}
	cells := make(map[int]*cell)     // by piece of memory
	objects := make(map[uint64]int)  // last step on each
	forks := make(map[trace.GID]int) // the step that starts each goroutine
	follow := func(k, before int) {
		if s.who[k] != s.who[before] && !slices.Contains(s.after[k], before) {
			s.after[k] = append(s.after[k], before)
		}
	}
	chain := func(obj uint64, k int) {
		if before, ok := objects[obj]; ok {
			follow(k, before)
		}
		objects[obj] = k
	}
	access := -1 // the last step that is shown
	for k, i := range steps {
		e := t.Events[i]
		if before, ok := forks[e.G]; ok {
			follow(k, before)
		}
		if slices.Contains(shown, i) {
			if access >= 0 {
				follow(k, access)
			}
			access = k
		}
		switch {
		case e.Kind == trace.Fork:
			forks[trace.GID(e.Obj)] = k
		case e.Kind == trace.Select:
			chain(channels, k)
		case isSync(e.Kind):
			chain(e.Obj, k)
			if selects && (e.Kind == trace.Send || e.Kind == trace.Recv || e.Kind == trace.Close) {
				chain(channels, k)
			}
		case e.Kind.IsAccess():
			mem.each(k, func(n int) {
				c := cells[n]
				if c == nil {
					c = &cell{write: -1}
					cells[n] = c
				}
				if c.write >= 0 {
					follow(k, c.write)
				}
				if !e.Kind.IsWrite() {
					if at := slices.IndexFunc(c.reads, func(r int) bool { return s.who[r] == s.who[k] }); at >= 0 {
						c.reads[at] = k // which follows the one before
					} else {
						c.reads = append(c.reads, k)
					}
					return
				}
				for _, r := range c.reads {
					follow(k, r)
				}
				c.write, c.reads = k, c.reads[:0]
			})
		}
	}
}

// run writes to out what is done once lane l has run as far as it can, and reports
// whether it can run at all.
func (s *search) run(out, done []int, l int) bool {
	n := done[l]
	for n < len(s.lanes[l]) && s.ready(done, s.lanes[l][n]) {
		n++
	}
	if n == done[l] {
		return false
	}
	copy(out, done)
	out[l] = n
	return true
}

func (s *search) ready(done []int, k int) bool {
	for _, before := range s.after[k] {
		if done[s.who[before]] <= s.of[before] {
			return false
		}
	}
	return true
}

func (s *search) all(done []int) bool {
	for l, n := range done {
		if n < len(s.lanes[l]) {
			return false
		}
	}
	return true
}
