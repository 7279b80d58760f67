package schedule

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// An execution performs the events of a cone, each as soon as it can be, and
// of those that can be the one that was first in the recorded run. So it departs from the recorded
// order only where the guide or an open section makes it.
//
// An event waits for the events that must happen before it, for those with guide edges to it, for its
// lock, and for its needs. Each waiting goroutine waits for one of these at a time, and is asked again
// when that has happened. So the whole takes time near-linear in the steps.
type execution struct {
	*cone
	next          []int32 // by goroutine: the position after the last event performed
	nextEvent     []int32 // by goroutine: its next event, or [math.MaxInt32]
	ordered       []int32 // by goroutine: one more than the segment of which all ancestors are performed
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
// competing sections that have yet to end.
type lockUse struct {
	held                           []int32 // rows of sections
	waiting                        []trace.GID
	pendingWriters, pendingReaders int32
}

// A waiter is a goroutine that waits for an event of another one.
type waiter struct {
	g     trace.GID
	event int32
}

// A wait is what a goroutine waits for: an event of another goroutine, or, if its section is kept
// open, the end of all other sections of the lock.
type wait struct {
	goroutine trace.GID
	section   int32 // row of the section that is kept open, or [facts.None]
}

// A queue is a heap of ready goroutines, ordered by the positions of their next events.
type queue []readyGoroutine

type readyGoroutine struct {
	g    trace.GID
	next int32
}

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].next < q[j].next }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(r any)        { *q = append(*q, r.(readyGoroutine)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	r := (*q)[last]
	*q = (*q)[:last]
	return r
}

// execute performs the events of a cone along its guide. If all goroutines are blocked before the
// end, steps is nil, and decisions are edges that could help. There are none if goroutines wait for
// events of each other.
func (c *cone) execute() (steps []int, decisions []causality.Edge) {
	n := len(c.ends)
	x := &execution{
		cone: c,
		next: make([]int32, n), nextEvent: make([]int32, n), ordered: make([]int32, n), nextGuided: make([]int32, n), nextAwaited: make([]int32, n),
		waiting: make(map[trace.GID][]waiter), waits: make(map[trace.GID]wait),
	}
	total := x.begin()
	c.p.spent.Add(int64(total + n))
	x.countCompeting()
	for len(x.ready) > 0 {
		g, i := x.ready[0].g, int(x.ready[0].next)
		if !x.canPerform(i) {
			if x.waitCycle {
				return nil, []causality.Edge{}
			}
			heap.Pop(&x.ready)
			continue
		}
		x.nextEvent[g] = orNever(c.p.o.Program().Next(i))
		if x.nextEvent[g] < x.ends[g] {
			x.ready[0].next = x.nextEvent[g]
			heap.Fix(&x.ready, 0)
		} else {
			heap.Pop(&x.ready)
		}
		x.perform(i)
	}
	// Steps are left, and no goroutine is ready. As no waits form a cycle, some goroutine waits for
	// a lock that an open section holds.
	if x.recordedSteps+len(x.laterSteps) < total {
		return nil, x.possibleDecisions()
	}
	return x.steps(), nil
}

// nextGuidedEvent returns the first event of goroutine g from position i on that has a guide edge
// to it, or [math.MaxInt32].
func (x *execution) nextGuidedEvent(g trace.GID, i int32) int32 {
	edges := x.guide[g]
	if k, _ := slices.BinarySearchFunc(edges, int(i), compareTo); k < len(edges) {
		return int32(edges[k].To)
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
func (x *execution) begin() (total int) {
	end := x.recordedEnd()
	for g, upto := range x.ends {
		events := x.p.o.Events(trace.GID(g))
		x.next[g] = x.base.position
		if before := events.CountBefore(int(x.base.position)); upto > x.base.position {
			first := max(0, events.CountBefore(int(min(upto, end)))-before)
			total, x.recordedSteps = total+events.CountBefore(int(upto))-before, x.recordedSteps+first
			if first > 0 {
				x.next[g] = int32(events.LastBefore(int(min(upto, end)))) + 1
			}
		}
		x.nextEvent[g] = orNever(events.FirstFrom(int(x.next[g])))
		x.nextGuided[g], x.nextAwaited[g] = x.nextGuidedEvent(trace.GID(g), x.next[g]), math.MaxInt32
	}
	x.initLocks()
	for g := range x.ends {
		x.wake(trace.GID(g))
	}
	return total
}

// steps returns the performed events, in order.
func (x *execution) steps() []int {
	steps := make([]int, 0, x.recordedSteps+len(x.laterSteps))
	for i := int(x.base.position); len(steps) < x.recordedSteps; i++ {
		if x.includes(i) {
			steps = append(steps, i)
		}
	}
	for _, i := range x.laterSteps {
		steps = append(steps, int(i))
	}
	return steps
}

// recordedEnd returns a position up to which the cone can be executed in recorded order. It is the
// first event with a guide edge from a later event, or the first section that is kept open. Nothing
// else makes events wait, as the cone is closed, unless it is lazy.
func (x *execution) recordedEnd() int32 {
	// Some sections of a lazy cone have no end, so that even in recorded order an acquire may wait.
	if x.lazy {
		return x.base.position
	}
	end := slices.Max(x.ends)
	for _, row := range x.keptOpen {
		end = min(end, x.p.sections[row].Acquire)
	}
	for _, edges := range x.guide {
		for _, e := range edges {
			if e.From >= e.To {
				end = min(end, int32(e.To))
			}
		}
	}
	return end
}

// initLocks sets the holders of each lock after the recorded beginning.
func (x *execution) initLocks() {
	hold := func(row int32) {
		s := &x.p.sections[row]
		if s.Release == facts.None || !x.performed(int(s.Release)) {
			use := x.lockUse(row)
			use.held = append(use.held, row)
		}
	}
	for _, row := range x.base.openSections {
		hold(row)
	}
	for _, next := range x.next {
		if next == x.base.position {
			continue
		}
		for _, acquire := range x.p.o.Held(int(next) - 1) {
			row := x.p.facts.SectionOf(int(acquire))
			if acquire >= x.base.position && !x.p.facts.HandedOver(x.p.sections[row].Lock()) {
				hold(row)
			}
		}
	}
	// Another goroutine may release such a lock: what the acquirer holds does not tell whether it is
	// free. Only the release itself tells.
	for _, row := range x.p.handedOver {
		if acquire := x.p.sections[row].Acquire; acquire >= x.base.position && x.performed(int(acquire)) {
			hold(row)
		}
	}
}

// countCompeting counts the competing sections that have yet to end.
func (x *execution) countCompeting() {
	for _, row := range x.competing {
		switch {
		case !x.isPending(row):
		case x.p.sections[row].Shared():
			x.lockUse(row).pendingReaders++
		default:
			x.lockUse(row).pendingWriters++
		}
	}
}

// isPending reports whether the release of a section is in the cone and not performed.
func (x *execution) isPending(row int32) bool {
	release := int(x.p.sections[row].Release)
	return release >= 0 && x.includes(release) && !x.performed(release)
}

// wake makes goroutine g ready, if it has events to come.
func (x *execution) wake(g trace.GID) {
	if x.nextEvent[g] < x.ends[g] {
		heap.Push(&x.ready, readyGoroutine{g, x.nextEvent[g]})
	}
}

// lockUse returns the use of the lock of a section.
func (x *execution) lockUse(row int32) *lockUse { return &x.lock(x.p.sections[row].Lock()).use }

// canPerform reports whether event i, the next one of its goroutine, can be performed. If not, the
// goroutine is put down as waiting.
func (x *execution) canPerform(i int) bool {
	e := &x.p.t.Events[i]
	// The run takes the other branch and never gets here. The event waits for nothing, and
	// sequenceSteps takes it out of the schedule.
	if x.leavesOut(i) {
		return true
	}
	// All events of a segment have the same ancestors, so that only the first one has to ask.
	if segment := int32(x.p.o.Segment(i) + 1); x.ordered[e.G] != segment {
		for _, last := range x.p.o.AncestorsBeyond(i, x.latest(e.G)) {
			if !x.isPerformedOrWait(e.G, last) {
				return false
			}
		}
		x.ordered[e.G] = segment
	}
	// Several guide edges may lead to one event. It waits for their events one at a time.
	if int(x.nextGuided[e.G]) == i {
		edges := x.guide[e.G]
		k, _ := slices.BinarySearchFunc(edges, i, compareTo)
		for ; k < len(edges) && edges[k].To == i; k++ {
			if !x.isPerformedOrWait(e.G, edges[k].From) {
				return false
			}
		}
		x.nextGuided[e.G] = x.nextGuidedEvent(e.G, int32(i)+1)
	}
	if e.Kind.Acquires() {
		return x.canAcquire(i, e.G)
	}
	return !slices.ContainsFunc(x.needs(i, e.Kind), func(needed int32) bool { return !x.isPerformedOrWait(e.G, int(needed)) })
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

// performed reports whether event i is performed.
func (x *execution) performed(i int) bool { return x.next[x.p.gids.of(i)] > int32(i) }

// isPerformedOrWait reports whether event i is performed. If not, it makes goroutine g wait for it.
func (x *execution) isPerformedOrWait(g trace.GID, i int) bool {
	if x.performed(i) {
		return true
	}
	by := x.p.gids.of(i)
	x.waiting[by] = append(x.waiting[by], waiter{g, int32(i)})
	x.nextAwaited[by] = min(x.nextAwaited[by], int32(i))
	x.wait(g, wait{by, facts.None})
	return false
}

// wait records what g waits for, and detects cycles of waiting goroutines. A wait for
// a lock that another section holds is not recorded, as another order of sections may end it: see
// possibleDecisions.
func (x *execution) wait(g trace.GID, w wait) {
	x.waits[g] = w
	// Only the wait that is new can close a cycle, so that each cycle there is leads back to g.
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
	if w.section == facts.None {
		return []trace.GID{w.goroutine}
	}
	kept := &x.p.sections[w.section]
	for _, row := range x.competing {
		if excludes(&x.p.sections[row], kept) && x.isPending(row) {
			gs = append(gs, x.p.gids.of(int(x.p.sections[row].Release)))
		}
	}
	return gs
}

// excludes reports whether critical sections a and b cannot overlap.
func excludes(a, b *facts.Section) bool {
	return a.Lock() == b.Lock() && !(a.Shared() && b.Shared())
}

// canAcquire reports whether acquire i of goroutine g can have its lock now. If its section is kept
// open, all other sections must end first. If it cannot, the goroutine waits for the lock.
func (x *execution) canAcquire(i int, g trace.GID) bool {
	row := x.p.facts.SectionOf(i)
	s, use := &x.p.sections[row], x.lockUse(row)
	free := true
	// Once begun, this section does not end, and a competing one that is left could never begin.
	if slices.Contains(x.keptOpen, row) && (use.pendingWriters > 0 || !s.Shared() && use.pendingReaders > 0) {
		free = false
		x.wait(g, wait{section: row})
	}
	for _, held := range use.held {
		free = free && !excludes(s, &x.p.sections[held])
	}
	if !free {
		use.waiting = append(use.waiting, g)
	}
	return free
}

// perform performs event i, and wakes the goroutines that wait for it.
func (x *execution) perform(i int) {
	e := &x.p.t.Events[i]
	x.laterSteps = append(x.laterSteps, int32(i))
	x.next[e.G] = int32(i) + 1
	if row := x.p.facts.SectionOf(i); row != facts.None && !x.leavesOut(i) {
		if use := x.lockUse(row); e.Kind.Acquires() {
			use.held = append(use.held, row)
		} else {
			x.release(use, row)
		}
	}
	// Nobody waits for most events. This look spares them the walk along the list of waiters.
	if x.nextAwaited[e.G] > int32(i) {
		return
	}
	x.nextAwaited[e.G] = math.MaxInt32
	x.waiting[e.G] = slices.DeleteFunc(x.waiting[e.G], func(w waiter) bool {
		if w.event > int32(i) {
			x.nextAwaited[e.G] = min(x.nextAwaited[e.G], w.event)
			return false
		}
		delete(x.waits, w.g)
		x.wake(w.g)
		return true
	})
}

// release ends the section in a row, and wakes the goroutines that wait for its lock. If the lock is
// handed over, the schedule may not have begun that section: then the release ends the oldest one.
func (x *execution) release(use *lockUse, row int32) {
	shared := x.p.sections[row].Shared()
	if shared {
		use.pendingReaders--
	} else {
		use.pendingWriters--
	}
	at := slices.Index(use.held, row)
	if at < 0 {
		at = slices.IndexFunc(use.held, func(held int32) bool { return x.p.sections[held].Shared() == shared })
	}
	if at >= 0 {
		use.held = slices.Delete(use.held, at, at+1)
	}
	// All of them ask again. The heap asks the one that was first in the recorded run first.
	waiting := use.waiting
	use.waiting = nil
	for _, g := range waiting {
		delete(x.waits, g)
		x.wake(g)
	}
}

// possibleDecisions returns the edges that could unblock the goroutines that wait for locks. Each
// puts the wanted section before the open one, or after its end. The result is not nil.
func (x *execution) possibleDecisions() []causality.Edge {
	edges := []causality.Edge{}
	for g, next := range x.nextEvent {
		if next >= x.ends[g] || !x.p.t.Events[next].Kind.Acquires() {
			continue
		}
		wanted := x.p.facts.SectionOf(int(next))
		for _, held := range x.lockUse(wanted).held {
			edges = x.decisions(edges, &x.p.sections[wanted], &x.p.sections[held])
		}
	}
	slices.SortStableFunc(edges, func(a, b causality.Edge) int { return cmp.Compare(a.To, b.To) })
	return edges
}

// decisions appends both orders of a wanted section and an open one.
func (x *execution) decisions(edges []causality.Edge, wanted, open *facts.Section) []causality.Edge {
	if !excludes(wanted, open) || x.p.t.Events[open.Acquire].G == x.p.t.Events[wanted.Acquire].G {
		return edges
	}
	// Either the open section ends first. If its release is in the cone, such an edge adds nothing.
	if open.Release != facts.None && !x.includes(int(open.Release)) {
		edges = append(edges, causality.Edge{From: int(open.Release), To: int(wanted.Acquire)})
	}
	// Or the wanted section comes first, as a whole.
	if wanted.Release != facts.None {
		edges = append(edges, causality.Edge{From: int(wanted.Release), To: int(open.Acquire)})
	}
	return edges
}
