package schedule

import (
	"math"
	"slices"
	"sync"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A base is the recorded beginning of a schedule: the events up to the position at which the first
// of its tests begins. No earlier event can be part of the violation's way within the tests. The
// feasibility of a base is checked only once, as a trace can have many tests.
type base struct {
	position     int32
	openSections []order.Section // the critical sections that are open there
}

// testBegins returns, by top-level test, the position at which its goroutine begins it.
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

// bases are the bases of the schedules for one trace. Each is computed once. They are safe for
// concurrent use.
type bases struct {
	t          *trace.Trace
	o          *order.Order
	answers    *answers
	begins     map[string]int32 // see testBegins
	forks      []int32          // by goroutine: its fork, or [math.MaxInt32]
	mu         sync.Mutex
	byPosition map[int32]*base // by position
}

// newBases returns the bases of trace t with order o.
func newBases(t *trace.Trace, o *order.Order, a *answers) *bases {
	s := &bases{t: t, o: o, answers: a, begins: testBegins(t), forks: make([]int32, len(t.Goroutines)), byPosition: make(map[int32]*base)}
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

// withOwnCache returns a copy of s with a cache of its own, which uses the answers of a.
func (s *bases) withOwnCache(a *answers) *bases {
	return &bases{t: s.t, o: s.o, answers: a, begins: s.begins, forks: s.forks, byPosition: make(map[int32]*base)}
}

// of returns the base at which replays of schedules for v begin.
func (s *bases) of(v target) *base { return s.base(v.guide, v.accesses...) }

// start returns the base of the schedule that method m makes for v. If v.fromBarrier is set, the
// base keeps as much of the recorded run as the guide allows. The methods that are tried last begin
// at a causality barrier, as they may have to reorder more.
func (s *bases) start(m method, v target) *base {
	switch m {
	case pecan: // which has all that happened in any case
		return s.latestRecordedBase(v, locksAt(s.o, v.accesses[0]))
	case sequenceRecorded:
		return s.latestRecordedBase(v, s.o.Held(v.accesses[len(v.accesses)-1]))
	}
	switch {
	case !v.fromBarrier:
		return s.of(v)
	case m == directAll, m == directMatter:
		return s.latestRecordedBase(v, nil)
	case m == sequenceAll:
		return s.latestRecordedBase(v, s.o.Held(v.accesses[len(v.accesses)-1]))
	case m > sequenceAll:
		return s.barrierBase(v, s.answers.graphs.Sequence(v.accesses...))
	}
	return s.barrierBase(v, s.answers.graphs.Meeting(v.accesses...))
}

// latestRecordedBase returns the latest base for v that agrees with the guide. It ends before the
// accesses, before the sections that keptOpen begins, and before each event with a guide edge from
// a later event.
func (s *bases) latestRecordedBase(v target, last []int32) *base {
	at := int32(slices.Min(v.accesses))
	for _, acq := range last {
		at = min(at, acq)
	}
	for _, e := range v.guide {
		if e.From >= e.To {
			at = min(at, int32(e.To))
		}
	}
	if b := s.of(v); b.position >= at {
		return b
	}
	return s.baseAt(at)
}

// barrierBase returns the base at a causality barrier before property prop of v, or the base of v's
// tests if that is later.
func (s *bases) barrierBase(v target, prop causality.Property) *base {
	b := s.of(v)
	if at := s.answers.barrier(prop); at > b.position {
		return s.baseAt(at)
	}
	return b
}

// base returns the base of the schedules for a violation. It is empty if they have to reorder
// events from before their tests.
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

// baseAt returns the base that ends at a position.
func (s *bases) baseAt(at int32) *base {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.byPosition[at]
	if b == nil {
		b = &base{at, s.o.Open(int(at))}
		s.byPosition[at] = b
	}
	return b
}

// runs reports whether goroutine g runs at b, and returns its last event before
// that, -1 for none.
func (s *bases) runs(b *base, g trace.GID) (last int, ok bool) {
	last = s.o.Events(g).LastBefore(int(b.position))
	return last, last >= 0 || s.forks[g] < b.position
}

// withHold returns schedule s, which begins with b, with its Hold: the next event of each goroutine
// that runs at its end. Only replays need it.
func (bs *bases) withHold(s Schedule, b *base, violation ...int) Schedule {
	last := make([]int, len(bs.t.Goroutines))
	took := make([]bool, len(bs.t.Goroutines))
	for g := range last {
		last[g], took[g] = bs.runs(b, trace.GID(g))
	}
	for _, i := range s.Steps {
		last[bs.t.Events[i].G] = i
	}
	for g := range took {
		if last[g] >= int(b.position) {
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

// next returns the first event of goroutine g after position i at which the scheduler can hold the
// goroutine, or -1. An operation that has begun can complete by itself.
func (s *bases) next(g trace.GID, i int) int {
	for i = s.o.Events(g).FirstFrom(i + 1); i >= 0; i = s.o.Program().Next(i) {
		if s.t.Events[i].Kind.CanHold() {
			return i
		}
	}
	return -1
}
