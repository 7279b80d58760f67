// Package flips lists the choices of a recorded run that could have been made otherwise: a
// select had other cases, another sender's message could have come first, a lock gone to
// another goroutine, a signal come before the wait, a time-out before the operation that it
// ends, what was written to a connection been read in parts, or all of it before that was
// closed, an atomic flag been read before it was set.
//
// It takes a trace and its [order.Order], and complements the predictors. They reorder what
// was recorded; a flip leads to where the program does what was not. Each is one operation
// that is delayed: the run is as recorded up to there, then its goroutine is the last to go
// on. So all that others can do comes before, which is the other order of each two operations
// on one object. A select that is delayed has all cases ready that can be, and is asked for
// one of them. A few delays find most bugs that rest on the order of operations (Emmi, Qadeer
// and Rakamarić, Delay-Bounded Scheduling, POPL 2011).
package flips

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// A Flip is an operation to delay.
type Flip struct {
	Position int // its position in the trace
	Case     int // the number of the case, from 1, that the select there is to take; 0: any
	// Key is equal for flips that are alike, in all traces of one binary: of operations at
	// the same site, in goroutines that were started at the same sites, which both are the
	// first such operation of their run, or both the last.
	Key string
	// NeedsTimer is set if a timer is to fire before the operation.
	NeedsTimer bool
	rank       rank
}

// IsOfLockOrGroup reports whether what is delayed is an operation on a lock, Once or WaitGroup: that
// another goroutine is first is what recordings in other orders of goroutines show as well.
func (f *Flip) IsOfLockOrGroup() bool { return f.rank == ofLock || f.rank == ofOther }

// IsAtomic reports whether what is delayed is an atomic operation.
func (f *Flip) IsAtomic() bool { return f.rank == ofAtomic }

// A rank says which flips come first: those after which most often something blocks.
type rank int

const (
	ofWait  rank = iota // for a condition: a signal that has come before is lost
	ofTimer             // the function of a timer may begin before that is stopped, or the test ends
	ofPart              // of what was read from a connection, and what has ended a read: there are few
	ofSelect
	ofMessage
	ofLock
	ofOther
	ofAtomic
)

// rankOf is the rank of an operation that is no select.
func rankOf(k trace.Kind) rank {
	switch k.Class() {
	case trace.ClassCond:
		return ofWait
	case trace.ClassChannel:
		return ofMessage
	case trace.ClassLock:
		return ofLock
	case trace.ClassAccess:
		return ofAtomic
	}
	return ofOther
}

// List returns the flips of the run of each top-level test in t, whose order is o. Of those that
// are alike these are the first one and, after all others, the last one. At most [MaxPosition]
// events are looked at.
func List(t *trace.Trace, o *order.Order) map[string][]Flip {
	all := make(map[string][]Flip)
	for test, l := range listers(t, o) {
		l.linkOperations()
		for _, op := range append(l.delayable, l.atomics...) {
			l.flip(op)
		}
		for _, at := range l.splitPosts {
			l.add(at, 0, ofPart)
		}
		for _, at := range l.late {
			l.add(at, 0, ofTimer)
		}
		slices.SortStableFunc(l.flips, func(a, b Flip) int { return int(a.rank - b.rank) })
		last := slices.SortedFunc(maps.Values(l.last), func(a, b Flip) int {
			return cmp.Or(int(a.rank-b.rank), a.Position-b.Position, strings.Compare(a.Key, b.Key))
		})
		all[test] = append(l.flips, last...)
	}
	return all
}

// A lister lists the flips of one test.
type lister struct {
	t         *trace.Trace
	o         *order.Order
	facts     *facts.Facts
	testEnded bool // the test has ended

	operations map[uint64][]operation // by object, those of one in their order
	delayable  []operation            // those before the test's end that are not atomic, in their order
	atomics    []operation            // the atomic ones, of which there may be very many
	chosen     map[int]operation      // by position of a select: what it has chosen
	posted     map[uint64]posted      // by token
	// parts are posts to delay: writes to connections that were read together with what
	// came before them, and what has ended operations of others.
	splitPosts []int
	// late are events to delay until a timer has fired: stops of timers that call functions, and the end of
	// a test in which such a timer has neither fired nor been stopped.
	late []int
	// startedTimers are the tokens of timers whose functions have not begun.
	startedTimers map[uint64]bool
	numStops      int // of timers that call functions

	pairsLeft int                  // of maxPairs
	origins   map[trace.GID]string // see originOf
	seen      map[string]bool      // keys
	flips     []Flip               // the first ones of their keys
	last      map[string]Flip      // by key; not the first one
}

// An operation is one on an object, at a position.
type operation struct {
	position int // -1: the goroutine is about to execute it at the end
	g        trace.GID
	kind     trace.Kind // of a select what the case does that it took
	index    int        // among the operations on the object
	next     int        // the index of the next one by another goroutine
	obj      uint64
	isSelect bool // it does something else if this is not possible
}

// listers returns one for each test of t, with its operations.
func listers(t *trace.Trace, o *order.Order) map[string]*lister {
	all := make(map[string]*lister)
	byGoroutine := make([]*lister, len(t.Goroutines)) // nil outside of tests
	for g := range t.Goroutines {
		test, _, _ := strings.Cut(t.Goroutines[g].Test, "#")
		if test == "" {
			continue
		}
		if all[test] == nil {
			all[test] = &lister{
				t: t, o: o, facts: o.Facts(), pairsLeft: maxPairs,
				operations: make(map[uint64][]operation), chosen: make(map[int]operation), posted: make(map[uint64]posted), startedTimers: make(map[uint64]bool),
				origins: make(map[trace.GID]string), seen: make(map[string]bool), last: make(map[string]Flip),
			}
		}
		byGoroutine[g] = all[test]
	}
	for i := range t.Events[:min(len(t.Events), MaxPosition)] {
		if l := byGoroutine[t.Events[i].G]; l != nil {
			l.event(i)
		}
	}
	for _, s := range t.Blocked {
		if l := byGoroutine[s.G]; l != nil && s.Op.Acquires() {
			l.addOperation(-1, s.G, s.Op, s.Obj, false)
		}
	}
	return all
}

// addOperation notes an operation on an object.
func (l *lister) addOperation(i int, g trace.GID, kind trace.Kind, obj uint64, isSelect bool) operation {
	op := operation{position: i, g: g, kind: kind, index: len(l.operations[obj]), obj: obj, isSelect: isSelect}
	l.operations[obj] = append(l.operations[obj], op)
	return op
}

// event notes the event at position i, which is one of the test.
func (l *lister) event(i int) {
	e := &l.t.Events[i]
	switch {
	case e.StartsTimer():
		l.startedTimers[e.Obj] = true
	case e.Kind == trace.Post:
		p, known := l.posted[e.Obj]
		l.posted[e.Obj] = posted{i, p.several || known && l.t.Events[p.last].G != e.G}
	case e.StopsTimer():
		if l.numStops++; !l.testEnded {
			l.late = append(l.late, i)
		}
	case e.Kind == trace.Await:
		delete(l.startedTimers, e.Obj)
		l.await(i)
	case e.Kind == trace.TestEnd && l.t.Goroutines[e.G].Path == "0":
		if !l.testEnded && len(l.startedTimers) > l.numStops {
			l.late = append(l.late, i)
		}
		l.testEnded = true
	case e.Kind == trace.Select:
		if !l.testEnded {
			l.delayable = append(l.delayable, operation{position: i, g: e.G, kind: trace.Select})
		}
	case e.Kind.Class() == trace.ClassChannel && e.Kind.Completes():
		l.choose(i, e)
	case e.Kind == trace.OnceDone: // one that runs nothing, and has nothing to delay
		l.addOperation(i, e.G, e.Kind, e.Obj, false)
	case e.Kind.IsAccess() && !e.Kind.IsPlain():
		if op := l.addOperation(i, e.G, e.Kind, e.Obj, false); !l.testEnded {
			l.atomics = append(l.atomics, op)
		}
	case isContended(e):
		if op := l.addOperation(i, e.G, e.Kind, e.Obj, false); !l.testEnded {
			l.delayable = append(l.delayable, op)
		}
	}
}

// isContended reports whether it can make a difference which of e and another operation on
// the same object comes first. A Done can only let others go on.
func isContended(e *trace.Event) bool {
	switch k := e.Kind; k.Class() {
	case trace.ClassLock:
		return k.Acquires()
	case trace.ClassChannel:
		return e.Obj != 0 && (k.Begins() || k == trace.Close)
	case trace.ClassCond, trace.ClassWaitGroup:
		return !k.Completes() && !e.IsDone()
	default:
		return k == trace.OnceBegin
	}
}

// choose notes what a select has chosen, if event i completes one.
func (l *lister) choose(i int, e *trace.Event) {
	row := l.facts.OperationOf(i)
	if row == facts.None || e.Kind == trace.SelectDone {
		return
	}
	begin := int(l.facts.Operations()[row].Begin)
	if l.t.Events[begin].Kind != trace.Select {
		return
	}
	kind := trace.Send
	if e.Kind.Receives() {
		kind = trace.Recv
	}
	l.chosen[begin] = l.addOperation(begin, e.G, kind, e.Obj, true)
}

// posted is the posts of a token.
type posted struct {
	last    int  // the last one
	several bool // of several goroutines
}

// connections are where the tokens begin of what is written to connections (recorder/predictrt).
const connections = 1 << 62

// await notes the await at position i. One that follows another of the same read has got what
// was written last together with what the same goroutine had written before, which could have
// been read alone. If only another goroutine has posted the token so far, that one has ended
// the operation, by a close or a deadline, and the operation could have completed before.
func (l *lister) await(i int) {
	e := &l.t.Events[i]
	last := l.o.Program().Prev(i)
	p, known := l.posted[e.Obj]
	if last < 0 || !known || l.testEnded || e.Val != 0 {
		return
	}
	before, by := &l.t.Events[last], l.t.Events[p.last].G
	switch {
	case before.Kind == trace.Await && before.Site == e.Site:
		if first, ok := l.posted[before.Obj]; ok && first.last < p.last && l.t.Events[first.last].G == by {
			l.splitPosts = append(l.splitPosts, p.last)
		}
	case before.Kind != trace.Begin && e.Obj < connections && by != e.G && !p.several:
		l.splitPosts = append(l.splitPosts, p.last)
	}
}

// linkOperations links each operation with the next one on its object by another goroutine.
func (l *lister) linkOperations() {
	for _, ops := range l.operations {
		for n := len(ops) - 1; n >= 0; n-- {
			if ops[n].next = n + 1; n+1 < len(ops) && ops[n+1].g == ops[n].g {
				ops[n].next = ops[n+1].next
			}
		}
	}
}

// flip lists the flips of an operation.
func (l *lister) flip(op operation) {
	if op.kind != trace.Select {
		if l.canBeSecond(op) {
			l.add(op.position, 0, rankOf(op.kind))
		}
		return
	}
	done := l.facts.Selects()[l.facts.SelectOf(l.facts.OperationOf(op.position))].Done
	if done == facts.None || done >= MaxPosition {
		return
	}
	cases, taken := int(l.t.Events[op.position].Val), int(l.t.Events[done].Val)
	// What the other cases are on is not looked at: each may be possible.
	for n := 1; n <= min(cases, maxCases); n++ {
		if n != taken {
			l.add(op.position, n, ofSelect)
		}
	}
	if chosen, ok := l.chosen[op.position]; ok && cases == 1 && l.canBeSecond(chosen) {
		l.add(op.position, 0, ofMessage)
	}
}

// add lists the flip of the event at a position.
func (l *lister) add(at, n int, r rank) {
	e := &l.t.Events[at]
	key := fmt.Sprintf("%v %x %s %d", e.Kind, l.t.Sites[e.Site].Key, l.originOf(e.G), n)
	f := Flip{Position: at, Case: n, Key: key, NeedsTimer: r == ofTimer, rank: r}
	if l.seen[key] {
		f.Key += " last"
		l.last[key] = f
		return
	}
	l.seen[key] = true
	l.flips = append(l.flips, f)
}

// originOf names the site where a goroutine was started, that where its parent was, and so on.
func (l *lister) originOf(g trace.GID) string {
	if origin, known := l.origins[g]; known {
		return origin
	}
	l.origins[g] = "" // should it be its own ancestor
	goroutine := &l.t.Goroutines[g]
	origin := fmt.Sprintf("%x", l.t.Sites[goroutine.Site].Key)
	if parent := goroutine.Parent; parent != g && int(parent) < len(l.t.Goroutines) {
		origin = l.originOf(parent) + "." + origin
	}
	l.origins[g] = origin
	return origin
}

// canBeSecond reports whether another goroutine operates on the object of op later, and could
// have done so before, with another outcome.
func (l *lister) canBeSecond(op operation) bool {
	all := l.operations[op.obj]
	for n, looked := all[op.index].next, 0; n < len(all) && looked < maxLater; looked++ {
		if l.pairsLeft--; l.pairsLeft < 0 {
			return false
		}
		other := all[n]
		if n++; other.g == op.g {
			n = other.next
		} else if orderMatters(op, other) && !l.mustBeFirst(op, other) {
			return true
		}
	}
	return false
}

// mustBeFirst reports whether op must happen before the goroutine of other can reach that.
func (l *lister) mustBeFirst(op, other operation) bool {
	if other.position >= 0 {
		return l.o.BeforeReached(op.position, other.position)
	}
	last := l.o.Events(other.g).Last()
	return last >= 0 && l.o.Before(op.position, last)
}

// orderMatters reports whether it makes a difference which of two operations on one object
// comes first.
func orderMatters(a, b operation) bool {
	are := func(k, o trace.Kind) bool { return a.kind == k && b.kind == o || a.kind == o && b.kind == k }
	switch a.kind.Class() {
	case trace.ClassLock:
		return !are(trace.RAcquire, trace.RAcquire)
	case trace.ClassChannel:
		// A receive that waits gets what was sent before the close, or else finds that.
		return !are(trace.Send, trace.Recv) && !are(trace.Recv, trace.Close) || a.isSelect || b.isSelect
	case trace.ClassCond:
		return a.kind == trace.CondWait || b.kind == trace.CondWait
	case trace.ClassWaitGroup:
		return trace.AreAddAndWait(a.kind, b.kind)
	case trace.ClassAccess:
		return !are(trace.AtomicLoad, trace.AtomicLoad)
	}
	return are(trace.OnceBegin, trace.OnceDone)
}
