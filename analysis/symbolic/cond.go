package symbolic

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A condition is the events of one sync.Cond, ascending.
type condition struct{ waits, signals, broadcasts []int32 }

func newConditions(t *trace.Trace) map[uint64]*condition {
	all := make(map[uint64]*condition)
	for i := range t.Events {
		e, pos := &t.Events[i], int32(i)
		if e.Kind.Class() != trace.ClassCond {
			continue
		}
		c := findOrMake(all, e.Obj)
		switch e.Kind {
		case trace.CondWait:
			c.waits = append(c.waits, pos)
		case trace.CondSignal:
			c.signals = append(c.signals, pos)
		case trace.CondBroadcast:
			c.broadcasts = append(c.broadcasts, pos)
		}
	}
	return all
}

// findOrMake returns what m has for obj, a new one if it has none.
func findOrMake[V any](m map[uint64]*V, obj uint64) *V {
	v := m[obj]
	if v == nil {
		v = new(V)
		m[obj] = v
	}
	return v
}

// ticket returns the ticket of a wait or wake.
func (m *Control) ticket(i int32) *facts.Ticket {
	return &m.facts.Tickets()[m.facts.TicketOf(int(i))]
}

// A condEncoder encodes condition variables: queues, first come first served. The wait sets of Said
// et al., NFM 2011, §4.1, have no order, as a Java notify may wake any waiter. Go's Signal wakes the
// goroutine that has waited longest. So a signal takes a waiter only if each one that began to wait
// earlier has been taken before.
//
// An example:
//
//	g1: Wait w1
//	g2: Wait w2
//	g3: Signal s
//
// s takes w2 only if w2 precedes s, and if w1 comes after w2 or is taken before s. With no other
// signal, the order w1, w2, s wakes g1.
type condEncoder struct {
	*timeline
	takes map[[2]int32]solver.Bool // by signal and wait: the signal wakes this waiter
}

// A waitQueue is the part of one condition that is encoded.
//
// The waits and signals are those of the condition that the formula needs. A wait whose wake-up all
// runs begin with is left out, and so is a signal of the past. A pair is a signal and a wait, in
// this order.
type waitQueue struct {
	*condEncoder
	*condition
	waits   []int32 // those that may be in the queue
	signals []int32 // those that may happen
	pairs   [][2]int32
	taken   map[[2]int32]solver.Bool // by wait and event; see takenBefore
}

// assertCondition encodes a condition. A waiter that wakes was taken from the queue by a broadcast, or
// by a signal when all those before it had been taken.
func (e *condEncoder) assertCondition(obj uint64) {
	f := e.f
	q := &waitQueue{condEncoder: e, condition: findOrMake(e.m.conds, obj), taken: make(map[[2]int32]solver.Bool)}
	if !q.pair() {
		return
	}
	if e.addWork(perConditionWay, len(q.pairs)*len(q.pairs)); e.overLimit() {
		return
	}
	for _, pair := range q.pairs {
		signal, wait := pair[0], pair[1]
		needs := []solver.Bool{e.precedes(wait, signal)}
		for _, other := range q.waits {
			// A waiter that surely comes later is behind in the queue and needs no term.
			if earlier := e.precedes(wait, other); other != wait && earlier != f.True() {
				needs = append(needs, f.Or(earlier, q.takenBefore(other, signal)))
			}
		}
		e.assert(f.Implies(e.takes[pair], f.And(needs...)))
	}
	if slices.ContainsFunc(e.cone.targets, func(t Target) bool { return len(t.Executed) > 0 }) {
		q.takeOnce()
	}
	for _, wait := range q.waits {
		wake := e.m.ticket(wait).Wake
		if !e.neverHappens(wake) && !e.isPast(wake) {
			e.assertIf(wake, q.takenBefore(wait, wake))
		}
	}
}

// pair makes the literals for which signal wakes which waiter. It returns false if they are too
// many.
func (q *waitQueue) pair() bool {
	for _, signal := range q.condition.signals {
		if !q.neverHappens(signal) && !q.isPast(signal) {
			q.signals = append(q.signals, signal)
		}
	}
	for _, wait := range q.condition.waits {
		waker := q.m.ticket(wait).Waker
		over := waker != none && q.isPast(waker)
		if !q.neverHappens(wait) && !(q.isPast(wait) && over) {
			q.waits = append(q.waits, wait)
		}
	}
	for _, wait := range q.waits {
		for _, signal := range q.signals {
			if q.precedes(wait, signal) == q.f.False() {
				continue
			}
			pair := [2]int32{signal, wait}
			q.takes[pair] = q.f.Bool(fmt.Sprintf("takes %d %d", signal, wait))
			if q.pairs = append(q.pairs, pair); len(q.pairs)*len(q.pairs) > maxConditionWays {
				q.err = fmt.Errorf("symbolic: more than %d pairs of a condition's waiters and signals are too many to encode", len(q.pairs)-1)
				return false
			}
		}
	}
	return true
}

// takenBefore says that a waiter is taken from the queue before event i.
func (q *waitQueue) takenBefore(wait, i int32) solver.Bool {
	f := q.f
	if q.isPast(i) {
		return f.True()
	}
	if b, ok := q.taken[[2]int32{wait, i}]; ok {
		return b
	}
	var ways []solver.Bool
	for _, b := range q.broadcasts {
		ways = append(ways, f.And(q.precedes(wait, b), q.precedes(b, i)))
	}
	for _, s := range q.signals {
		if b, ok := q.takes[[2]int32{s, wait}]; ok {
			ways = append(ways, f.And(b, q.precedes(s, i)))
		}
	}
	b := f.Or(ways...)
	q.taken[[2]int32{wait, i}] = b
	return b
}

// takeOnce says that a signal takes a waiter whenever one waits, and that nobody is taken twice. A
// target needs that if its violation is a waiter that no signal wakes.
// Where only those matter that wake, a signal may take nobody: that is as good as taking a waiter
// that never goes on.
func (q *waitQueue) takeOnce() {
	f := q.f
	bySignal, byWait := make(map[int32][]solver.Bool), make(map[int32][]solver.Bool)
	for _, pair := range q.pairs {
		bySignal[pair[0]] = append(bySignal[pair[0]], q.takes[pair])
		byWait[pair[1]] = append(byWait[pair[1]], q.takes[pair])
	}
	for _, signal := range q.signals {
		q.atMostOne(bySignal[signal])
	}
	for _, wait := range q.condition.waits {
		q.atMostOne(byWait[wait])
	}
	for _, pair := range q.pairs {
		signal, wait := pair[0], pair[1]
		for _, b := range q.broadcasts {
			q.assert(f.Not(f.And(q.takes[pair], q.precedes(wait, b), q.precedes(b, signal))))
		}
		waits := f.And(q.precedes(wait, signal), q.happens(signal))
		q.assert(f.Implies(waits, f.Or(append(bySignal[signal], q.takenBefore(wait, signal))...)))
	}
}

// misses says that a signal or broadcast, which happens, does not wake the goroutine that is about
// to wake at position wake.
func (e *condEncoder) misses(signal, wake int32) solver.Bool {
	f, wait, s := e.f, e.m.ticket(wake).Wait, e.m.event(signal)
	if wait == none || s.Kind.Class() != trace.ClassCond || s.Obj != e.m.event(wake).Obj {
		return f.True()
	}
	ways := []solver.Bool{e.precedes(signal, wait)}
	for _, other := range e.m.conds[s.Obj].waits {
		if b, ok := e.takes[[2]int32{signal, other}]; ok && other != wait {
			ways = append(ways, b)
		}
	}
	return f.Or(ways...)
}
