package schedule

import (
	"math"

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

// of is where the replays of schedules for v begin.
func (p *Planner) of(v target) *base { return p.base(v.guide, v.accesses...) }

// start is what the schedules for v begin with.
func (p *Planner) start(v target) *base {
	if v.late != nil {
		return v.late
	}
	return p.of(v)
}

// base returns the base of the schedules for a violation; it is empty where
// they go back to before its tests.
func (p *Planner) base(guide []causality.Edge, violation ...int) *base {
	at := int32(math.MaxInt32)
	for _, i := range violation {
		begin, ok := p.begins[p.t.Goroutines[p.t.Events[i].G].Test]
		if !ok {
			return p.baseAt(0)
		}
		at = min(at, begin, int32(i))
	}
	for _, i := range violation {
		if outer := p.o.Outermost(i); outer >= 0 && outer < int(at) {
			return p.baseAt(0)
		}
	}
	for _, e := range guide {
		if e.To < int(at) && int(at) <= e.From {
			return p.baseAt(0)
		}
	}
	return p.baseAt(at)
}

func (p *Planner) baseAt(at int32) *base {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.bases[at]
	if b == nil {
		b = &base{at, p.o.Open(int(at))}
		p.bases[at] = b
	}
	return b
}

// runs reports whether goroutine g runs at b, and returns its last event before
// that, -1 for none.
func (p *Planner) runs(b *base, g trace.GID) (last int, ok bool) {
	last = p.o.Prev(g, int(b.at))
	return last, last >= 0 || p.forks[g] < b.at
}
