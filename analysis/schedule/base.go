package schedule

import (
	"math"
	"slices"

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

// start is what the schedule that m makes for v begins with. Late ones keep as much of the recorded run as the guide
// lets them. Those that are tried last begin at a causality barrier: they may have to turn round what that keeps.
func (p *Planner) start(m method, v target) *base {
	switch m {
	case pecan: // which has all that happened in any case
		return p.near(v, p.holds(v.accesses[0]))
	case sequenceRecorded:
		return p.near(v, p.o.Held(v.accesses[len(v.accesses)-1]))
	}
	switch {
	case !v.late:
		return p.of(v)
	case m == directAll, m == directMatter:
		return p.near(v, nil)
	case m == sequenceAll, m == sequenceMatter:
		return p.near(v, p.o.Held(v.accesses[len(v.accesses)-1]))
	case m > sequenceAll:
		return p.behind(v, p.graphs.Sequence(v.accesses...))
	}
	return p.behind(v, p.graphs.Meeting(v.accesses...))
}

// near is the base of schedules for v that begin with all that happened before the accesses, the sections of last, which
// stay open, and what the guide wants after a later event. So much of the recorded run is as the guide wants it.
func (p *Planner) near(v target, last []int32) *base {
	at := int32(slices.Min(v.accesses))
	for _, acq := range last {
		at = min(at, acq)
	}
	for _, e := range v.guide {
		if e.From >= e.To {
			at = min(at, int32(e.To))
		}
	}
	if b := p.of(v); b.at >= at {
		return b
	}
	return p.baseAt(at)
}

// behind is the base at a causality barrier before a property of v, or that of v where it is later.
func (p *Planner) behind(v target, prop causality.Property) *base {
	b := p.of(v)
	if at := p.barrier(prop); at > b.at {
		return p.baseAt(at)
	}
	return b
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
	last = p.o.Events(g).Until(int(b.at))
	return last, last >= 0 || p.forks[g] < b.at
}
