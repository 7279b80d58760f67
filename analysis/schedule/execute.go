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
	next    []int32 // by goroutine: one more than the last event performed
	at      []int32 // by goroutine: its next event, or [math.MaxInt32]
	seg     []int32 // by goroutine: one more than the segment of which all ancestors are performed
	due     []int32 // by goroutine: its next event that the guide wants others before, or [math.MaxInt32]
	soon    []int32 // by goroutine: its first event that another one waits for, or [math.MaxInt32]
	ready   queue
	waiting map[trace.GID][]waiter // by the goroutine that they wait for
	waits   map[trace.GID]wait     // by goroutine: what it waits for that no other order of sections brings
	before  int                    // how many steps come first as recorded
	then    []int32                // the steps after these
	circle  bool                   // goroutines wait for events of each other
}

// lockUse is who has a lock now, who waits for it, and how many sections that
// will end have not ended yet.
type lockUse struct {
	held                         []int32  // acquires
	room                         [2]int32 // of held
	waiting                      []trace.GID
	writersToCome, readersToCome int32
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

// A wait is for an event of a goroutine, or of the acquire of a section that stays open for all others of its lock.
type wait struct {
	by  trace.GID
	acq int32 // -1 for none
}

// A queue is goroutines by the positions of their next events, a heap.
type queue []turn

type turn struct {
	g    trace.GID
	next int32
}

// push adds t.
func (q *queue) push(t turn) {
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
	all := len(c.upto)
	room := make([]int32, 5*all)
	x := &execution{
		cone: c,
		next: room[:all], at: room[all : 2*all], seg: room[2*all : 3*all], due: room[3*all : 4*all], soon: room[4*all:],
		waiting: make(map[trace.GID][]waiter), waits: make(map[trace.GID]wait),
	}
	n := x.begin()
	c.p.spent.Add(int64(n + len(c.upto)))
	x.count()
	for len(x.ready) > 0 {
		t := &x.ready[0]
		g, i := t.g, int(t.next)
		if !x.can(i) {
			if x.circle {
				return nil, []causality.Edge{}
			}
			x.ready.pop()
			continue
		}
		x.at[g] = orNever(c.p.o.Program().Next(i))
		if x.at[g] < x.upto[g] {
			t.next = x.at[g]
			x.ready.sink()
		} else {
			x.ready.pop()
		}
		x.perform(i)
	}
	if x.before+len(x.then) < n {
		return nil, x.blocked()
	}
	return x.done(), nil
}

// wanted returns the first event of goroutine g from position i on that the guide wants others before,
// [math.MaxInt32] for none.
func (x *execution) wanted(g trace.GID, i int32) int32 {
	es := x.guide.to(g)
	if k, _ := slices.BinarySearchFunc(es, int(i), toCompare); k < len(es) {
		return int32(es[k].To)
	}
	return math.MaxInt32
}

// orNever returns the position of an event, [math.MaxInt32] if it is -1 as there is none.
func orNever(i int) int32 {
	if i < 0 {
		return math.MaxInt32
	}
	return int32(i)
}

// begin has performed what the cone begins with, makes all goroutines ready, and
// returns how many steps there are to be.
func (x *execution) begin() (n int) {
	end := x.asRecorded()
	for g, upto := range x.upto {
		es := x.p.o.Events(trace.GID(g))
		x.next[g] = x.base.at
		if begin := es.CountBefore(int(x.base.at)); upto > x.base.at {
			first := max(0, es.CountBefore(int(min(upto, end)))-begin)
			n, x.before = n+es.CountBefore(int(upto))-begin, x.before+first
			if first > 0 {
				x.next[g] = int32(es.LastBefore(int(min(upto, end)))) + 1
			}
		}
		x.at[g] = orNever(es.FirstFrom(int(x.next[g])))
		x.due[g], x.soon[g] = x.wanted(trace.GID(g), x.next[g]), math.MaxInt32
	}
	x.hold()
	for g := range x.upto {
		x.wake(trace.GID(g))
	}
	return n
}

// done returns what was performed, in order. Most executions end before all is, and are never asked.
func (x *execution) done() []int {
	steps := make([]int, 0, x.before+len(x.then))
	for i := int(x.base.at); len(steps) < x.before; i++ {
		if int32(i) < x.upto[x.p.gids.of(i)] {
			steps = append(steps, i)
		}
	}
	for _, i := range x.then {
		steps = append(steps, int(i))
	}
	return steps
}

// asRecorded returns a position before which nothing of the cone has to wait in recorded order: that of the
// first event for which the guide wants a later one first, or of the first section that stays open. A cone is
// closed under all else that events wait for, unless it is lazy.
func (x *execution) asRecorded() int32 {
	if x.lazy {
		return x.base.at
	}
	at := slices.Max(x.upto)
	for _, acq := range x.last {
		at = min(at, acq)
	}
	for _, e := range x.guide.edges {
		if e.From >= e.To {
			at = min(at, int32(e.To))
		}
	}
	return at
}

// hold gives the locks to those who hold them after what the cone begins with.
func (x *execution) hold() {
	held := func(s order.Section) {
		if s.Rel < 0 || int32(s.Rel) >= x.next[x.p.gids.of(s.Rel)] {
			x.use(s.Obj).hold(int32(s.Acq))
		}
	}
	for _, s := range x.base.open {
		held(s)
	}
	for _, next := range x.next {
		if next == x.base.at {
			continue
		}
		for _, acq := range x.p.o.Held(int(next) - 1) {
			if s, ok := x.p.o.Section(int(acq)); ok && acq >= x.base.at && !x.p.handed[s.Obj] {
				held(s)
			}
		}
	}
	for _, s := range x.p.given {
		if int32(s.Acq) >= x.base.at && x.next[x.p.gids.of(s.Acq)] > int32(s.Acq) {
			held(s)
		}
	}
}

// count counts the sections that come to an end, of the locks that stay held.
func (x *execution) count() {
	for _, s := range x.rivals {
		switch {
		case s.rel < 0 || !x.includes(int(s.rel)) || x.performed(int(s.rel)):
		case s.shared:
			x.lock(s.lock).use.readersToCome++
		default:
			x.lock(s.lock).use.writersToCome++
		}
	}
}

// wake makes goroutine g ready, if it has events to come.
func (x *execution) wake(g trace.GID) {
	if x.at[g] < x.upto[g] {
		x.ready.push(turn{g, x.at[g]})
	}
}

func (x *execution) use(lock uint64) *lockUse { return &x.lock(x.p.o.LockNumber(lock)).use }

// can reports whether event i, the next one of its goroutine, can be performed.
// If not, the goroutine is put down as waiting.
func (x *execution) can(i int) bool {
	e := &x.p.t.Events[i]
	if x.leavesOut(i) {
		return true
	}
	if seg := int32(x.p.o.Segment(i) + 1); x.seg[e.G] != seg {
		for _, last := range x.p.o.AncestorsBeyond(i, x.latest(e.G)) {
			if !x.after(e.G, last) {
				return false
			}
		}
		x.seg[e.G] = seg
	}
	if int(x.due[e.G]) == i {
		es := x.guide.to(e.G)
		k, _ := slices.BinarySearchFunc(es, i, toCompare)
		for ; k < len(es) && es[k].To == i; k++ {
			if !x.after(e.G, es[k].From) {
				return false
			}
		}
		x.due[e.G] = x.wanted(e.G, int32(i)+1)
	}
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		return x.free(i, e)
	case trace.Send, trace.Recv, trace.Select:
		return x.after(e.G, x.p.o.PreviousInLine(i))
	case trace.Read, trace.AtomicLoad, trace.AtomicRMW:
		for _, w := range x.p.o.Sources(i) {
			if !x.performed(int(w)) && x.keeps(i, e) {
				return x.after(e.G, int(w))
			}
		}
	}
	return true
}

// latest returns the last performed event of goroutine g, or of the one that started it
// if it has none itself, or -1. What must happen before that is performed as well.
func (x *execution) latest(g trace.GID) int {
	for _, g := range []trace.GID{g, x.p.t.Goroutines[g].Parent} {
		if last := x.p.o.Events(g).LastBefore(int(x.at[g])); last >= 0 {
			return last
		}
	}
	return -1
}

// after reports whether event i is performed. If not, goroutine g waits for it.
func (x *execution) after(g trace.GID, i int) bool {
	if x.performed(i) {
		return true
	}
	by := x.p.t.Events[i].G
	x.waiting[by] = append(x.waiting[by], waiter{g, i})
	x.soon[by] = min(x.soon[by], int32(i))
	x.wait(g, wait{by, -1})
	return false
}

// wait notes what g waits for, and whether that waits for g.
func (x *execution) wait(g trace.GID, w wait) {
	x.waits[g] = w
	seen := map[trace.GID]bool{}
	for work := []trace.GID{g}; len(work) > 0 && !x.circle; {
		w, ok := x.waits[work[len(work)-1]]
		work = work[:len(work)-1]
		if !ok {
			continue
		}
		for _, h := range x.awaited(w) {
			x.circle = x.circle || h == g
			if !seen[h] {
				seen[h], work = true, append(work, h)
			}
		}
	}
}

// awaited returns the goroutines that w is for.
func (x *execution) awaited(w wait) (gs []trace.GID) {
	if w.acq < 0 {
		return []trace.GID{w.by}
	}
	e := &x.p.t.Events[w.acq]
	lock := x.p.o.LockNumber(e.Obj)
	for _, s := range x.rivals {
		rel := int(s.rel)
		if s.lock == lock && rel >= 0 && x.includes(rel) && !x.performed(rel) && !(s.shared && e.Kind == trace.RAcquire) {
			gs = append(gs, x.p.gids.of(rel))
		}
	}
	return gs
}

func (x *execution) performed(i int) bool {
	return i < 0 || x.next[x.p.t.Events[i].G] > int32(i)
}

// free reports whether the acquire i can have its lock now. One that keeps it
// lets all others go first. If it cannot, its goroutine waits for the lock.
func (x *execution) free(i int, e *trace.Event) bool {
	u := x.use(e.Obj)
	shared := e.Kind == trace.RAcquire
	free := true
	if slices.Contains(x.last, int32(i)) && (u.writersToCome > 0 || !shared && u.readersToCome > 0) {
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
	x.then = append(x.then, int32(i))
	x.next[e.G] = int32(i) + 1
	kind := e.Kind
	if x.leavesOut(i) {
		kind = trace.None
	}
	switch kind {
	case trace.Acquire, trace.RAcquire:
		x.use(e.Obj).hold(int32(i))
	case trace.Release:
		u := x.use(e.Obj)
		u.writersToCome--
		x.release(u, e, trace.Acquire)
	case trace.RRelease:
		u := x.use(e.Obj)
		u.readersToCome--
		x.release(u, e, trace.RAcquire)
	}
	if x.soon[e.G] > int32(i) {
		return
	}
	x.soon[e.G] = math.MaxInt32
	x.waiting[e.G] = slices.DeleteFunc(x.waiting[e.G], func(w waiter) bool {
		if w.event > i {
			x.soon[e.G] = min(x.soon[e.G], int32(w.event))
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

// blocked returns what would let the goroutines go on that wait for locks: the
// section that each wants to begin before one that is open, or after its end.
// The result is not nil.
func (x *execution) blocked() []causality.Edge {
	edges := []causality.Edge{}
	for g := range x.upto {
		if x.at[g] >= x.upto[g] {
			continue
		}
		wants, ok := x.p.o.Section(int(x.at[g]))
		if !ok {
			continue
		}
		for _, h := range x.use(wants.Obj).held {
			s, _ := x.p.o.Section(int(h))
			edges = x.decisions(edges, wants, s)
		}
	}
	slices.SortStableFunc(edges, func(a, b causality.Edge) int { return cmp.Compare(a.To, b.To) })
	return edges
}

// decisions adds the two orders of a section that a goroutine wants to begin
// and one that is open.
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
