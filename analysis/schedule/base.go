package schedule

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A base is the recorded beginning of a schedule: the events up to the position at which the first
// of its tests begins. No earlier event can be part of the violation's way within the tests. The
// feasibility of a base is checked only once, as a trace can have many tests.
type base struct {
	position     int32
	openSections []int32 // rows of the critical sections that are open there, ascending
}

// bases are the bases of schedules so far, by position. Each is computed once. They are safe for
// concurrent use.
type bases struct {
	mu         sync.Mutex
	byPosition map[int32]*base
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
		// A subtest begins in a goroutine of its own, whose path is longer than "0".
		if _, again := begins[g.Test]; !again && g.Test != "" && g.Path == "0" {
			begins[g.Test] = int32(i)
		}
	}
	return begins
}

// start returns the base of the schedule that method m makes for v. A schedule that begins late is short,
// and quick to make and to judge. If v.fromBarrier is set, the
// base keeps as much of the recorded run as the guide allows. The methods that are tried last begin
// at a causality barrier, as they may have to reorder more.
func (p *Planner) start(m method, v target) *base {
	last := v.accesses[len(v.accesses)-1]
	switch {
	case m == pecan: // which has all that happened in any case
		return p.latestRecordedBase(v, p.sectionsAt(v.accesses[0]))
	case m == sequenceRecorded, m == sequenceAll && v.fromBarrier:
		return p.latestRecordedBase(v, p.heldAt(last))
	case !v.fromBarrier:
		return p.testBase(v)
	case m == directAll, m == directMatter:
		return p.latestRecordedBase(v, nil)
	case m > sequenceAll:
		return p.barrierBase(v, p.graphs.Sequence(v.accesses...))
	}
	return p.barrierBase(v, p.graphs.Meeting(v.accesses...))
}

// latestRecordedBase returns the latest base for v that agrees with the guide. It ends before the
// accesses, before the sections in keptOpen begin, and before each event with a guide edge from
// a later event.
func (p *Planner) latestRecordedBase(v target, keptOpen []int32) *base {
	end := int32(slices.Min(v.accesses))
	for _, row := range keptOpen {
		end = min(end, p.sections[row].Acquire)
	}
	for _, e := range v.guide {
		// The guide reverses this pair, so that the recorded order is of use only up to the event To.
		if e.From >= e.To {
			end = min(end, int32(e.To))
		}
	}
	return p.laterBase(v, end)
}

// barrierBase returns the base at a causality barrier before property prop of v, or the base of v's
// tests if that is later. In the recorded run nothing before the barrier is after what comes later,
// so that it can happen as it did, with all that was read.
func (p *Planner) barrierBase(v target, prop causality.Property) *base {
	return p.laterBase(v, slices.Min(p.graphs.Barrier(prop)))
}

// laterBase returns the base that ends at a position, or the base of v's tests if that is later.
func (p *Planner) laterBase(v target, position int32) *base {
	if b := p.testBase(v); b.position >= position {
		return b
	}
	return p.baseAt(position)
}

// testBase returns the base that ends where the first of v's tests begins. It is empty if schedules
// for v have to reorder events from before their tests.
func (p *Planner) testBase(v target) *base {
	end := int32(math.MaxInt32)
	for _, i := range v.accesses {
		begin, ok := p.testBegins[p.t.Goroutines[p.t.Events[i].G].Test]
		if !ok {
			return p.baseAt(0)
		}
		end = min(end, begin, int32(i))
	}
	// A section that was begun before the tests may have to move, with its acquire (PECAN §6.1). A
	// base that has the acquire would keep it in its place.
	for _, i := range v.accesses {
		if outer := p.o.Outermost(i); outer >= 0 && outer < int(end) {
			return p.baseAt(0)
		}
	}
	// Such a base would also keep To before From, which the guide reverses.
	for _, e := range v.guide {
		if e.To < int(end) && int(end) <= e.From {
			return p.baseAt(0)
		}
	}
	return p.baseAt(end)
}

// baseAt returns the base that ends at a position.
func (p *Planner) baseAt(position int32) *base {
	p.bases.mu.Lock()
	defer p.bases.mu.Unlock()
	b := p.bases.byPosition[position]
	if b == nil {
		b = &base{position, p.openSections(position)}
		p.bases.byPosition[position] = b
	}
	return b
}

// openSections returns the rows of the critical sections that are open before a position, ascending.
// It takes time in proportion to the goroutines, unlike [facts.Facts.Open].
func (d *traceData) openSections(position int32) (rows []int32) {
	for g := range d.t.Goroutines {
		last := d.o.Events(trace.GID(g)).LastBefore(int(position))
		if last < 0 {
			continue
		}
		// A release counts as within its section, which may have ended with the last event.
		for _, row := range d.heldAt(last) {
			if s := &d.sections[row]; s.Release == facts.None || s.Release >= position {
				rows = append(rows, row)
			}
		}
	}
	slices.SortFunc(rows, cmp.Compare[int32])
	return rows
}

// heldAt returns the rows of the critical sections that the goroutine of event i is in, the oldest
// first.
func (d *traceData) heldAt(i int) []int32 {
	held := d.o.Held(i)
	rows := make([]int32, len(held))
	for k, acquire := range held {
		rows[k] = d.facts.SectionOf(int(acquire))
	}
	return rows
}

// sectionsAt returns the rows of the critical sections that the goroutine of event i is in when it
// is about to execute i: not one that event i begins.
func (d *traceData) sectionsAt(i int) []int32 {
	return slices.DeleteFunc(d.heldAt(i), func(row int32) bool { return int(d.sections[row].Acquire) == i })
}

// runs reports whether goroutine g runs at b, and returns its last event before
// that, -1 for none.
func (p *Planner) runs(b *base, g trace.GID) (last int, ok bool) {
	last = p.o.Events(g).LastBefore(int(b.position))
	fork := p.facts.Fork(g)
	return last, last >= 0 || fork != facts.None && fork < b.position
}

// withHold returns schedule s, which begins with b, with its Hold: the next event of each goroutine
// that runs at its end. Only replays need it.
func (p *Planner) withHold(s Schedule, b *base, violation ...int) Schedule {
	last := make([]int, len(p.t.Goroutines))
	runs := make([]bool, len(p.t.Goroutines))
	for g := range last {
		last[g], runs[g] = p.runs(b, trace.GID(g))
	}
	for _, i := range s.Steps {
		last[p.t.Events[i].G] = i
	}
	// A goroutine runs as well if it has a step, or if the go statement that starts it is one.
	for g := range runs {
		if last[g] >= int(b.position) {
			runs[g] = true
		} else if fork := int(p.facts.Fork(trace.GID(g))); fork >= 0 && last[p.t.Events[fork].G] >= fork {
			runs[g] = true
		}
	}
	for _, i := range violation {
		runs[p.t.Events[i].G] = false
	}
	for g, ok := range runs {
		if !ok {
			continue
		}
		if next := p.nextHold(trace.GID(g), last[g]); next >= 0 {
			s.Hold = append(s.Hold, next)
		}
	}
	slices.Sort(s.Hold)
	return s
}

// nextHold returns the first event of goroutine g after position i at which the scheduler can hold
// the goroutine, or -1. An operation that has begun can complete by itself.
func (p *Planner) nextHold(g trace.GID, i int) int {
	for i = p.o.Events(g).FirstFrom(i + 1); i >= 0; i = p.o.Program().Next(i) {
		if p.t.Events[i].Kind.CanHold() {
			return i
		}
	}
	return -1
}
