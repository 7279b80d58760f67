package symbolic

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A condEncoder encodes condition variables.
type condEncoder struct {
	*timeline
	takes map[[2]int32]solver.Bool // by signal and wait: that it wakes this one
}

// condition encodes a condition: a queue, first come first served. A waiter
// that wakes was taken from it by a broadcast, or by a signal when all those
// before it had been taken.
func (e *condEncoder) condition(obj uint64) {
	f, c := e.f, e.m.cond(obj)
	takes := e.takes // by signal and wait
	var all [][2]int32
	var signals []int32
	for _, signal := range c.signals {
		if !e.outside(signal) && !e.past(signal) { // for the others see wake
			signals = append(signals, signal)
		}
	}
	var waits []int32 // that are not known to be over
	woken := e.wokenInPast(c)
	for _, wait := range c.waits {
		if !e.outside(wait) && !(e.past(wait) && woken(wait)) {
			waits = append(waits, wait)
		}
	}
	for _, wait := range waits {
		for _, signal := range signals {
			if e.before(wait, signal) == f.False() {
				continue
			}
			pair := [2]int32{signal, wait}
			takes[pair] = f.Bool(fmt.Sprintf("takes %d %d", signal, wait))
			if all = append(all, pair); len(all)*len(all) > maxWays {
				e.err = fmt.Errorf("symbolic: more than %d pairs of a condition's waiters and signals are too many to encode", len(all)-1)
				return
			}
		}
	}
	// taken says that wait is taken from the queue before event i.
	known := make(map[[2]int32]solver.Bool)
	taken := func(wait, i int32) solver.Bool {
		if e.past(i) {
			return f.True()
		}
		if is, ok := known[[2]int32{wait, i}]; ok {
			return is
		}
		var ways []solver.Bool
		for _, b := range c.broadcasts {
			ways = append(ways, f.And(e.before(wait, b), e.before(b, i)))
		}
		for _, s := range signals {
			if b, ok := takes[[2]int32{s, wait}]; ok {
				ways = append(ways, f.And(b, e.before(s, i)))
			}
		}
		is := f.Or(ways...)
		known[[2]int32{wait, i}] = is
		return is
	}
	if e.conditionWays += len(all) * len(all); e.stops() {
		return
	}
	for _, pair := range all {
		signal, wait := pair[0], pair[1]
		needs := []solver.Bool{e.before(wait, signal)}
		for _, other := range waits {
			if earlier := e.before(wait, other); other != wait && earlier != f.True() {
				needs = append(needs, f.Or(earlier, taken(other, signal)))
			}
		}
		e.assert(f.Implies(takes[pair], f.And(needs...)))
	}
	if slices.ContainsFunc(e.cone.targets, func(t Target) bool { return len(t.Over) > 0 }) {
		e.onlyFirst(c, all, signals, taken)
	}
	for _, wait := range waits {
		wake := e.wake(wait)
		if !e.outside(wake) && !e.past(wake) {
			e.need(wake, taken(wait, wake))
		}
	}
}

// onlyFirst says of pairs of signals and waiters of a condition, of which a signal need take
// nobody as long as only those matter who wake, that a signal takes one where there are any,
// and nobody is taken twice.
func (e *condEncoder) onlyFirst(c *condition, pairs [][2]int32, signals []int32, taken func(wait, i int32) solver.Bool) {
	f := e.f
	bySignal, byWait := make(map[int32][]solver.Bool), make(map[int32][]solver.Bool)
	for _, pair := range pairs {
		bySignal[pair[0]] = append(bySignal[pair[0]], e.takes[pair])
		byWait[pair[1]] = append(byWait[pair[1]], e.takes[pair])
	}
	for _, signal := range signals {
		e.atMostOne(bySignal[signal])
	}
	for _, wait := range c.waits {
		e.atMostOne(byWait[wait])
	}
	for _, pair := range pairs {
		signal, wait := pair[0], pair[1]
		for _, b := range c.broadcasts {
			e.assert(f.Not(f.And(e.takes[pair], e.before(wait, b), e.before(b, signal))))
		}
		waits := f.And(e.before(wait, signal), e.done(signal))
		e.assert(f.Implies(waits, f.Or(append(bySignal[signal], taken(wait, signal))...)))
	}
}

// misses says that a signal or broadcast, which happens, does not wake the goroutine that
// stands before the wake at position wake.
func (e *condEncoder) misses(signal, wake int32) solver.Bool {
	f, wait := e.f, wake
	for wait != none && e.m.event(wait).Kind != trace.CondWait {
		wait = e.m.prev(wait)
	}
	s := e.m.event(signal)
	if wait == none || s.Kind.Class() != trace.ClassCond || s.Obj != e.m.event(wake).Obj {
		return f.True()
	}
	ways := []solver.Bool{e.before(signal, wait)}
	for _, other := range e.m.cond(s.Obj).waits {
		if b, ok := e.takes[[2]int32{signal, other}]; ok && other != wait {
			ways = append(ways, b)
		}
	}
	return f.Or(ways...)
}

// wokenInPast returns which waits of c were taken from its queue in the past.
func (e *condEncoder) wokenInPast(c *condition) func(wait int32) bool {
	by := make(map[uint64]bool) // tickets, by signals of the past
	for _, s := range c.signals {
		if e.past(s) {
			by[e.m.event(s).Val-1] = true
		}
	}
	return func(wait int32) bool {
		ticket := e.m.event(wait).Val
		return by[ticket] || slices.ContainsFunc(c.broadcasts, func(b int32) bool {
			ev := e.m.event(b)
			return e.past(b) && ticket-ev.Val < uint64(ev.Size)
		})
	}
}

// wake returns the event at which the wait at position i wakes, or none.
func (e *condEncoder) wake(i int32) int32 {
	for next := e.m.next(i); next != none; next = e.m.next(next) {
		if k := e.m.event(next).Kind; k == trace.CondWake {
			return next
		} else if k == trace.CondWait {
			return none
		}
	}
	return none
}

// A condition is the operations of one sync.Cond.
type condition struct{ waits, signals, broadcasts []int32 }

func (m *Control) cond(obj uint64) *condition { return entry(m.conds, obj) }
