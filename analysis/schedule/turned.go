package schedule

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
)

// maxPasses bounds how often turned goes over the events.
const maxPasses = 64

// turned performs the cone of both accesses so that the critical sections that
// are open at the accesses come after all others of their locks, although the
// recorded order is another one: PECAN's rule of the outermost lock, applied
// to every lock on both sides. Sections that these turn round in their turn
// follow the guide. All else keeps the recorded order as far as that lets it.
func (p *Planner) turned(v target, r reads) ([]int, bool) {
	last := slices.Concat(p.o.Held(v.violation[0]), p.o.Held(v.violation[1]))
	if len(last) == 0 && !slices.ContainsFunc(v.guide, func(e causality.Edge) bool { return e.From > e.To }) {
		return nil, false // nothing to turn round
	}
	prop := p.graphs.Race(v.violation[0], v.violation[1])
	return p.guided(p.of(v), prop, v.guide, r, last, func(c *cone) bool { return c.lead(v) })
}

// execute performs the events of a cone along its guide. Where that comes to an
// end too early, blocked is not nil, and tells what could help.
func (p *Planner) execute(c *cone) (steps []int, blocked []causality.Edge) {
	x := &execution{
		cone:  c,
		next:  make([]int32, len(p.t.Goroutines)),
		seg:   make([]int, len(p.t.Goroutines)),
		locks: make(map[uint64]*lockUse),
	}
	for g := range x.next {
		x.next[g] = c.base.at
	}
	for _, s := range c.base.open {
		if s.Shared {
			x.lock(s.Obj).readers++
		} else {
			x.lock(s.Obj).writers++
		}
	}
	return x.run(c.steps())
}

// An execution performs the events of a cone one after another, each as soon
// as it can be.
type execution struct {
	*cone
	next  []int32 // by goroutine: one more than the last event performed
	seg   []int   // by goroutine: one more than that event's segment
	locks map[uint64]*lockUse
}

// lockUse is who uses a lock now, and how many sections that will end have not
// ended yet.
type lockUse struct {
	writers, readers             int
	writersToCome, readersToCome int
}

// run goes over the events in recorded order until all are performed. Where
// one must wait, its goroutine stays behind until the next pass.
func (x *execution) run(events []int) (steps []int, blocked []causality.Edge) {
	for _, i := range events {
		x.count(i)
	}
	stopped := make([]int, len(x.next)) // by goroutine: the pass that it waits in
	steps = make([]int, 0, len(events))
	for pass := 1; len(events) > 0; pass++ {
		before := len(steps)
		events = slices.DeleteFunc(events, func(i int) bool {
			g := x.p.t.Events[i].G
			if stopped[g] == pass || !x.can(i) {
				stopped[g] = pass
				return false
			}
			x.perform(i)
			steps = append(steps, i)
			return true
		})
		if len(steps) == before || pass == maxPasses {
			return nil, x.blocked(steps, events)
		}
	}
	return steps, nil
}

func (x *execution) lock(id uint64) *lockUse {
	u := x.locks[id]
	if u == nil {
		u = new(lockUse)
		x.locks[id] = u
	}
	return u
}

// count counts the sections that come to an end.
func (x *execution) count(i int) {
	e := &x.p.t.Events[i]
	switch e.Kind {
	case trace.Release:
		x.lock(e.Obj).writersToCome++
	case trace.RRelease:
		x.lock(e.Obj).readersToCome++
	}
}

// can reports whether event i, the next one of its goroutine, can be performed.
func (x *execution) can(i int) bool {
	e := &x.p.t.Events[i]
	if !x.follows(i, x.guide[e.G]) {
		return false
	}
	if x.seg[e.G] != x.p.o.Segment(i)+1 {
		for g, last := range x.p.o.Ancestors(i) {
			if int(x.next[g]) <= last {
				return false
			}
		}
	}
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		return x.free(i, e)
	case trace.Send, trace.Recv, trace.Select:
		return x.performed(x.p.o.InLine(i))
	case trace.Read, trace.AtomicLoad, trace.AtomicRMW:
		for _, w := range x.p.o.Sources(i) {
			if x.keeps(e) && !x.performed(int(w)) {
				return false
			}
		}
	}
	return true
}

// follows reports whether what the guide wants before event i is performed.
func (x *execution) follows(i int, guide []causality.Edge) bool {
	k, _ := slices.BinarySearchFunc(guide, i, func(e causality.Edge, i int) int { return cmp.Compare(e.To, i) })
	for ; k < len(guide) && guide[k].To == i; k++ {
		if !x.performed(guide[k].From) {
			return false
		}
	}
	return true
}

func (x *execution) performed(i int) bool {
	return i < 0 || x.next[x.p.t.Events[i].G] > int32(i)
}

// free reports whether the acquire i can have its lock now. One that keeps it
// lets all others go first.
func (x *execution) free(i int, e *trace.Event) bool {
	u := x.lock(e.Obj)
	shared := e.Kind == trace.RAcquire
	if slices.Contains(x.last, int32(i)) && (u.writersToCome > 0 || !shared && u.readersToCome > 0) {
		return false
	}
	return u.writers == 0 && (shared || u.readers == 0)
}

func (x *execution) perform(i int) {
	e := &x.p.t.Events[i]
	x.next[e.G], x.seg[e.G] = int32(i)+1, x.p.o.Segment(i)+1
	switch e.Kind {
	case trace.Acquire:
		x.lock(e.Obj).writers++
	case trace.RAcquire:
		x.lock(e.Obj).readers++
	case trace.Release:
		u := x.lock(e.Obj)
		u.writers, u.writersToCome = u.writers-1, u.writersToCome-1
	case trace.RRelease:
		u := x.lock(e.Obj)
		u.readers, u.readersToCome = u.readers-1, u.readersToCome-1
	}
}
