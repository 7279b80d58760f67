package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An execution performs the events of a cone, each as soon as it can be, and
// of those that can be the one that was first in the recorded run.
type execution struct {
	*cone
	next          []int32 // by goroutine: the position after the last event performed
	nextEvent     []int32 // by goroutine: its next event, or [math.MaxInt32]
	seg           []int32 // by goroutine: one more than the segment of which all ancestors are performed
	nextGuided    []int32 // by goroutine: its next event with a guide edge to it, or [math.MaxInt32]
	nextAwaited   []int32 // by goroutine: its first event that another one waits for, or [math.MaxInt32]
	ready         queue
	waiting       map[trace.GID][]waiter // by the goroutine that they wait for
	waits         map[trace.GID]wait     // by goroutine: what it waits for, if no other order of sections would help
	recordedSteps int                    // how many steps at the beginning are in recorded order
	laterSteps    []int32                // the steps after these
	waitCycle     bool                   // goroutines wait for events of each other
}

// lockUse is the current holders of a lock, the goroutines that wait for it, and the number of
// sections that have yet to end.
type lockUse struct {
	held                           []int32  // acquires
	room                           [2]int32 // of held
	waiting                        []trace.GID
	pendingWriters, pendingReaders int32
}

// hold adds an acquire that has the lock.
func (u *lockUse) hold(acq int32) {
	if u.held == nil {
		u.held = u.room[:0]
	}
	u.held = append(u.held, acq)
}

// A waiter is a goroutine that waits for an event of another one.
type waiter struct {
	g     trace.GID
	event int
}

// A wait is what a goroutine waits for: an event of another goroutine, or, if its section is kept
// open, the end of all other sections of the lock.
type wait struct {
	goroutine trace.GID
	acq       int32 // -1 for none
}

// A queue is a heap of ready goroutines, ordered by the positions of their next events.
type queue []readyGoroutine

type readyGoroutine struct {
	g    trace.GID
	next int32
}

// push adds t.
func (q *queue) push(t readyGoroutine) {
	*q = append(*q, t)
	for k := len(*q) - 1; k > 0 && (*q)[k].next < (*q)[(k-1)/2].next; k = (k - 1) / 2 {
		(*q)[k], (*q)[(k-1)/2] = (*q)[(k-1)/2], (*q)[k]
	}
}

// pop removes the first one.
func (q *queue) pop() {
	last := len(*q) - 1
	(*q)[0] = (*q)[last]
	*q = (*q)[:last]
	q.sink()
}

// sink puts the first one to where it belongs.
func (q queue) sink() {
	for k := 0; ; {
		next := 2*k + 1
		if next >= len(q) {
			return
		}
		if next+1 < len(q) && q[next+1].next < q[next].next {
			next++
		}
		if q[k].next <= q[next].next {
			return
		}
		q[k], q[next] = q[next], q[k]
		k = next
	}
}

// execute performs the events of a cone along its guide. Where all goroutines
// are blocked before the end, steps is nil, and blocked tells what could help: nothing where they wait
// for events of each other.
func (c *cone) execute() (steps []int, blocked []causality.Edge) {
	all := len(c.ends)
	room := make([]int32, 5*all)
	x := &execution{
		cone: c,
		next: room[:all], nextEvent: room[all : 2*all], seg: room[2*all : 3*all], nextGuided: room[3*all : 4*all], nextAwaited: room[4*all:],
		waiting: make(map[trace.GID][]waiter), waits: make(map[trace.GID]wait),
	}
	n := x.begin()
	c.p.spent.Add(int64(n + len(c.ends)))
	x.countCompeting()
	for len(x.ready) > 0 {
		t := &x.ready[0]
		g, i := t.g, int(t.next)
		if !x.canPerform(i) {
			if x.waitCycle {
				return nil, []causality.Edge{}
			}
			x.ready.pop()
			continue
		}
		x.nextEvent[g] = orNever(c.p.o.Program().Next(i))
		if x.nextEvent[g] < x.ends[g] {
			t.next = x.nextEvent[g]
			x.ready.sink()
		} else {
			x.ready.pop()
		}
		x.perform(i)
	}
	if x.recordedSteps+len(x.laterSteps) < n {
		return nil, x.possibleDecisions()
	}
	return x.steps(), nil
}

// nextGuidedEvent returns the first event of goroutine g from position i on that has a guide edge
// to it, or [math.MaxInt32].
func (x *execution) nextGuidedEvent(g trace.GID, i int32) int32 {
	es := x.guide.edgesTo(g)
	if k, _ := slices.BinarySearchFunc(es, int(i), toCompare); k < len(es) {
		return int32(es[k].To)
	}
	return math.MaxInt32
}

// orNever returns i as a position, or [math.MaxInt32] if it is -1 (no event).
func orNever(i int) int32 {
	if i < 0 {
		return math.MaxInt32
	}
	return int32(i)
}

// begin performs the recorded beginning of the cone, makes all goroutines ready, and returns the
// total number of steps.
func (x *execution) begin() (n int) {
	end := x.asRecorded()
	for g, upto := range x.ends {
		es := x.p.o.Events(trace.GID(g))
		x.next[g] = x.base.position
		if begin := es.CountBefore(int(x.base.position)); upto > x.base.position {
			first := max(0, es.CountBefore(int(min(upto, end)))-begin)
			n, x.recordedSteps = n+es.CountBefore(int(upto))-begin, x.recordedSteps+first
			if first > 0 {
				x.next[g] = int32(es.LastBefore(int(min(upto, end)))) + 1
			}
		}
		x.nextEvent[g] = orNever(es.FirstFrom(int(x.next[g])))
		x.nextGuided[g], x.nextAwaited[g] = x.nextGuidedEvent(trace.GID(g), x.next[g]), math.MaxInt32
	}
	x.initLocks()
	for g := range x.ends {
		x.wake(trace.GID(g))
	}
	return n
}

// steps returns the performed events, in order.
func (x *execution) steps() []int {
	steps := make([]int, 0, x.recordedSteps+len(x.laterSteps))
	for i := int(x.base.position); len(steps) < x.recordedSteps; i++ {
		if int32(i) < x.ends[x.p.gids.of(i)] {
			steps = append(steps, i)
		}
	}
	for _, i := range x.laterSteps {
		steps = append(steps, int(i))
	}
	return steps
}

// asRecorded returns a position up to which the cone can be executed in recorded order. It is the
// first event with a guide edge from a later event, or the first section that is kept open. Nothing
// else makes events wait, as the cone is closed, unless it is lazy.
func (x *execution) asRecorded() int32 {
	if x.lazy {
		return x.base.position
	}
	at := slices.Max(x.ends)
	for _, acq := range x.keptOpen {
		at = min(at, acq)
	}
	for _, e := range x.guide.edges {
		if e.From >= e.To {
			at = min(at, int32(e.To))
		}
	}
	return at
}

// initLocks sets the holders of each lock after the recorded beginning.
func (x *execution) initLocks() {
	held := func(s order.Section) {
		if s.Rel < 0 || int32(s.Rel) >= x.next[x.p.gids.of(s.Rel)] {
			x.lockUseOf(s.Obj).hold(int32(s.Acq))
		}
	}
	for _, s := range x.base.openSections {
		held(s)
	}
	for _, next := range x.next {
		if next == x.base.position {
			continue
		}
		for _, acq := range x.p.o.Held(int(next) - 1) {
			if s, ok := x.p.o.Section(int(acq)); ok && acq >= x.base.position && !x.p.handed[s.Obj] {
				held(s)
			}
		}
	}
	for _, s := range x.p.given {
		if int32(s.Acq) >= x.base.position && x.next[x.p.gids.of(s.Acq)] > int32(s.Acq) {
			held(s)
		}
	}
}

// countCompeting counts the competing sections that have yet to end.
func (x *execution) countCompeting() {
	for _, s := range x.competing {
		switch {
		case s.rel < 0 || !x.includes(int(s.rel)) || x.performed(int(s.rel)):
		case s.shared:
			x.lock(s.lock).use.pendingReaders++
		default:
			x.lock(s.lock).use.pendingWriters++
		}
	}
}

// wake makes goroutine g ready, if it has events to come.
func (x *execution) wake(g trace.GID) {
	if x.nextEvent[g] < x.ends[g] {
		x.ready.push(readyGoroutine{g, x.nextEvent[g]})
	}
}

func (x *execution) lockUseOf(lock uint64) *lockUse { return &x.lock(x.p.o.LockNumber(lock)).use }

// can reports whether event i, the next one of its goroutine, can be performed.
// If not, the goroutine is put down as waiting.
func (x *execution) canPerform(i int) bool {
	e := &x.p.t.Events[i]
	if x.leavesOut(i) {
		return true
	}
	if seg := int32(x.p.o.Segment(i) + 1); x.seg[e.G] != seg {
		for _, last := range x.p.o.AncestorsBeyond(i, x.latest(e.G)) {
			if !x.isPerformedOrWait(e.G, last) {
				return false
			}
		}
		x.seg[e.G] = seg
	}
	if int(x.nextGuided[e.G]) == i {
		es := x.guide.edgesTo(e.G)
		k, _ := slices.BinarySearchFunc(es, i, toCompare)
		for ; k < len(es) && es[k].To == i; k++ {
			if !x.isPerformedOrWait(e.G, es[k].From) {
				return false
			}
		}
		x.nextGuided[e.G] = x.nextGuidedEvent(e.G, int32(i)+1)
	}
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		return x.canAcquire(i, e)
	case trace.Send, trace.Recv, trace.Select:
		return x.isPerformedOrWait(e.G, x.p.o.PreviousInLine(i))
	case trace.Read, trace.AtomicLoad, trace.AtomicRMW:
		for _, w := range x.p.o.Sources(i) {
			if !x.performed(int(w)) && x.keeps(i, e) {
				return x.isPerformedOrWait(e.G, int(w))
			}
		}
	}
	return true
}

// latest returns the last performed event of goroutine g, or else of its parent, or -1. All events
// that must happen before it are performed as well.
func (x *execution) latest(g trace.GID) int {
	for _, g := range []trace.GID{g, x.p.t.Goroutines[g].Parent} {
		if last := x.p.o.Events(g).LastBefore(int(x.nextEvent[g])); last >= 0 {
			return last
		}
	}
	return -1
}

// isPerformedOrWait reports whether event i is performed. If not, it makes goroutine g wait for it.
func (x *execution) isPerformedOrWait(g trace.GID, i int) bool {
	if x.performed(i) {
		return true
	}
	by := x.p.t.Events[i].G
	x.waiting[by] = append(x.waiting[by], waiter{g, i})
	x.nextAwaited[by] = min(x.nextAwaited[by], int32(i))
	x.wait(g, wait{by, -1})
	return false
}

// wait records what g waits for, and detects cycles of waiting goroutines.
func (x *execution) wait(g trace.GID, w wait) {
	x.waits[g] = w
	seen := map[trace.GID]bool{}
	for work := []trace.GID{g}; len(work) > 0 && !x.waitCycle; {
		w, ok := x.waits[work[len(work)-1]]
		work = work[:len(work)-1]
		if !ok {
			continue
		}
		for _, h := range x.awaited(w) {
			x.waitCycle = x.waitCycle || h == g
			if !seen[h] {
				seen[h], work = true, append(work, h)
			}
		}
	}
}

// awaited returns the goroutines that must act before w ends.
func (x *execution) awaited(w wait) (gs []trace.GID) {
	if w.acq < 0 {
		return []trace.GID{w.goroutine}
	}
	e := &x.p.t.Events[w.acq]
	lock := x.p.o.LockNumber(e.Obj)
	for _, s := range x.competing {
		rel := int(s.rel)
		if s.lock == lock && rel >= 0 && x.includes(rel) && !x.performed(rel) && !(s.shared && e.Kind == trace.RAcquire) {
			gs = append(gs, x.p.gids.of(rel))
		}
	}
	return gs
}

// perform performs event i, and wakes the goroutines that wait for it.
func (x *execution) performed(i int) bool {
	return i < 0 || x.next[x.p.t.Events[i].G] > int32(i)
}

// canAcquire reports whether acquire i can have its lock now. If its section is kept open, all
// other sections must end first. If it cannot, its goroutine waits for the lock.
func (x *execution) canAcquire(i int, e *trace.Event) bool {
	u := x.lockUseOf(e.Obj)
	shared := e.Kind == trace.RAcquire
	free := true
	if slices.Contains(x.keptOpen, int32(i)) && (u.pendingWriters > 0 || !shared && u.pendingReaders > 0) {
		free = false
		x.wait(e.G, wait{acq: int32(i)})
	}
	for _, h := range u.held {
		free = free && shared && x.p.t.Events[h].Kind == trace.RAcquire
	}
	if !free {
		u.waiting = append(u.waiting, e.G)
	}
	return free
}

func (x *execution) perform(i int) {
	e := &x.p.t.Events[i]
	x.laterSteps = append(x.laterSteps, int32(i))
	x.next[e.G] = int32(i) + 1
	kind := e.Kind
	if x.leavesOut(i) {
		kind = trace.None
	}
	switch kind {
	case trace.Acquire, trace.RAcquire:
		x.lockUseOf(e.Obj).hold(int32(i))
	case trace.Release:
		u := x.lockUseOf(e.Obj)
		u.pendingWriters--
		x.release(u, e, trace.Acquire)
	case trace.RRelease:
		u := x.lockUseOf(e.Obj)
		u.pendingReaders--
		x.release(u, e, trace.RAcquire)
	}
	if x.nextAwaited[e.G] > int32(i) {
		return
	}
	x.nextAwaited[e.G] = math.MaxInt32
	x.waiting[e.G] = slices.DeleteFunc(x.waiting[e.G], func(w waiter) bool {
		if w.event > i {
			x.nextAwaited[e.G] = min(x.nextAwaited[e.G], int32(w.event))
			return false
		}
		delete(x.waits, w.g)
		x.wake(w.g)
		return true
	})
}

// release ends the section of the releasing goroutine with the lock u, or the oldest one where
// another goroutine hands the lock over, and wakes those that wait.
func (x *execution) release(u *lockUse, e *trace.Event, kind trace.Kind) {
	found := -1
	for k, h := range u.held {
		if a := &x.p.t.Events[h]; a.Kind == kind && (a.G == e.G || found < 0) {
			found = k
			if a.G == e.G {
				break
			}
		}
	}
	if found >= 0 {
		u.held = slices.Delete(u.held, found, found+1)
	}
	ws := u.waiting
	u.waiting = nil
	for _, g := range ws {
		delete(x.waits, g)
		x.wake(g)
	}
}

// possibleDecisions returns the edges that could unblock the goroutines that wait for locks. Each
// puts the wanted section before the open one, or after its end. The result is not nil.
func (x *execution) possibleDecisions() []causality.Edge {
	edges := []causality.Edge{}
	for g := range x.ends {
		if x.nextEvent[g] >= x.ends[g] {
			continue
		}
		wants, ok := x.p.o.Section(int(x.nextEvent[g]))
		if !ok {
			continue
		}
		for _, h := range x.lockUseOf(wants.Obj).held {
			s, _ := x.p.o.Section(int(h))
			edges = x.decisions(edges, wants, s)
		}
	}
	slices.SortStableFunc(edges, func(a, b causality.Edge) int { return cmp.Compare(a.To, b.To) })
	return edges
}

// decisions appends both orders of a wanted section and an open one.
func (x *execution) decisions(edges []causality.Edge, wants, open order.Section) []causality.Edge {
	if !wants.Excludes(open.Lock) || x.p.t.Events[open.Acq].G == x.p.t.Events[wants.Acq].G {
		return edges
	}
	if open.Rel >= 0 && !x.includes(open.Rel) {
		edges = append(edges, causality.Edge{From: open.Rel, To: wants.Acq})
	}
	if wants.Rel >= 0 {
		edges = append(edges, causality.Edge{From: wants.Rel, To: open.Acq})
	}
	return edges
}
