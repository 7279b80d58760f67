package schedule

import (
	"math"
	"slices"
	"sync"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A base is what a schedule begins with: the recorded order up to the moment at
// which the first of its tests begins. No event before that can be part of the
// violation's way within the tests, and whoever wants to know whether schedules
// are feasible has to look at it only once: a trace can have many tests.
type base struct {
	at   int32
	open []order.Section // those that are open there
}

// testBegins returns by top-level test where it begins, as its own goroutine
// says.
func testBegins(t *trace.Trace) map[string]int32 {
	begins := make(map[string]int32)
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != trace.TestBegin {
			continue
		}
		g := &t.Goroutines[e.G]
		if _, again := begins[g.Test]; !again && g.Test != "" && g.Path == "0" {
			begins[g.Test] = int32(i)
		}
	}
	return begins
}

// bases are the bases of the schedules for one trace, each made once. They are safe for concurrent use.
type bases struct {
	t       *trace.Trace
	o       *order.Order
	answers *answers
	begins  map[string]int32 // see testBegins
	forks   []int32          // by goroutine: its fork, or [math.MaxInt32]
	mu      sync.Mutex
	known   map[int32]*base // by position
}

// newBases returns those of t, whose order is o.
func newBases(t *trace.Trace, o *order.Order, a *answers) *bases {
	s := &bases{t: t, o: o, answers: a, begins: testBegins(t), forks: make([]int32, len(t.Goroutines)), known: make(map[int32]*base)}
	for g := range s.forks {
		s.forks[g] = math.MaxInt32
	}
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind == trace.Fork && e.Obj < uint64(len(s.forks)) {
			s.forks[e.Obj] = int32(i)
		}
	}
	return s
}

// withOwnCache returns the same bases that keep what they make, and what they ask a, by themselves.
func (s *bases) withOwnCache(a *answers) *bases {
	return &bases{t: s.t, o: s.o, answers: a, begins: s.begins, forks: s.forks, known: make(map[int32]*base)}
}

// of is where the replays of schedules for v begin.
func (s *bases) of(v target) *base { return s.base(v.guide, v.accesses...) }

// start is what the schedule that m makes for v begins with. Late ones keep as much of the recorded run as the guide
// lets them. Those that are tried last begin at a causality barrier: they may have to turn round what that keeps.
func (s *bases) start(m method, v target) *base {
	switch m {
	case pecan: // which has all that happened in any case
		return s.near(v, locksAt(s.o, v.accesses[0]))
	case sequenceRecorded:
		return s.near(v, s.o.Held(v.accesses[len(v.accesses)-1]))
	}
	switch {
	case !v.late:
		return s.of(v)
	case m == directAll, m == directMatter:
		return s.near(v, nil)
	case m == sequenceAll:
		return s.near(v, s.o.Held(v.accesses[len(v.accesses)-1]))
	case m > sequenceAll:
		return s.behind(v, s.answers.graphs.Sequence(v.accesses...))
	}
	return s.behind(v, s.answers.graphs.Meeting(v.accesses...))
}

// near is the base of schedules for v that begin with all that happened before the accesses, the sections of last, which
// stay open, and what the guide wants after a later event. So much of the recorded run is as the guide wants it.
func (s *bases) near(v target, last []int32) *base {
	at := int32(slices.Min(v.accesses))
	for _, acq := range last {
		at = min(at, acq)
	}
	for _, e := range v.guide {
		if e.From >= e.To {
			at = min(at, int32(e.To))
		}
	}
	if b := s.of(v); b.at >= at {
		return b
	}
	return s.baseAt(at)
}

// behind is the base at a causality barrier before a property of v, or that of v where it is later.
func (s *bases) behind(v target, prop causality.Property) *base {
	b := s.of(v)
	if at := s.answers.barrier(prop); at > b.at {
		return s.baseAt(at)
	}
	return b
}

// base returns the base of the schedules for a violation; it is empty where
// they go back to before its tests.
func (s *bases) base(guide []causality.Edge, violation ...int) *base {
	at := int32(math.MaxInt32)
	for _, i := range violation {
		begin, ok := s.begins[s.t.Goroutines[s.t.Events[i].G].Test]
		if !ok {
			return s.baseAt(0)
		}
		at = min(at, begin, int32(i))
	}
	for _, i := range violation {
		if outer := s.o.Outermost(i); outer >= 0 && outer < int(at) {
			return s.baseAt(0)
		}
	}
	for _, e := range guide {
		if e.To < int(at) && int(at) <= e.From {
			return s.baseAt(0)
		}
	}
	return s.baseAt(at)
}

func (s *bases) baseAt(at int32) *base {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.known[at]
	if b == nil {
		b = &base{at, s.o.Open(int(at))}
		s.known[at] = b
	}
	return b
}

// runs reports whether goroutine g runs at b, and returns its last event before
// that, -1 for none.
func (s *bases) runs(b *base, g trace.GID) (last int, ok bool) {
	last = s.o.Events(g).LastBefore(int(b.at))
	return last, last >= 0 || s.forks[g] < b.at
}

// held is s, which begins with b, with what the goroutines do next: only replays need to know it.
func (bs *bases) held(s Schedule, b *base, violation ...int) Schedule {
	last := make([]int, len(bs.t.Goroutines))
	took := make([]bool, len(bs.t.Goroutines))
	for g := range last {
		last[g], took[g] = bs.runs(b, trace.GID(g))
	}
	for _, i := range s.Steps {
		last[bs.t.Events[i].G] = i
	}
	for g := range took {
		if last[g] >= int(b.at) {
			took[g] = true
		} else if f := bs.forks[g]; !took[g] && f < math.MaxInt32 && last[bs.t.Events[int(f)].G] >= int(f) {
			took[g] = true
		}
	}
	for _, i := range violation {
		took[bs.t.Events[i].G] = false
	}
	for g, ok := range took {
		if !ok {
			continue
		}
		if next := bs.next(trace.GID(g), last[g]); next >= 0 {
			s.Hold = append(s.Hold, next)
		}
	}
	slices.Sort(s.Hold)
	return s
}

// next returns the first event of goroutine g after position i that the
// goroutine can be kept from, or -1: what was begun before can complete by
// itself.
func (s *bases) next(g trace.GID, i int) int {
	for i = s.o.Events(g).FirstFrom(i + 1); i >= 0; i = s.o.Program().Next(i) {
		if s.t.Events[i].Kind.CanHold() {
			return i
		}
	}
	return -1
}
