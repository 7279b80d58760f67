// Package flips lists the choices of a recorded run that could have been made otherwise: a
// select had other cases, another sender's message could have come first, a lock gone to
// another goroutine, a signal come before the wait, a time-out before what it races with,
// what was written to a connection been read in parts, or all of it before that was closed, an
// atomic flag been looked at before it was set.
//
// It takes a trace and its [order.Order], and stands beside the predictors: these reorder
// what was recorded, a flip leads to where the program does what was not. Each is one
// operation that is put off: the run is as recorded up to there, then its goroutine is the
// last to go on. So all that others can do comes before, which is the other order of each
// two operations that meet on one object. A select that is put off has all cases ready
// that can be, and is asked for one of them. A few delays find most bugs that rest on the
// order of operations (Emmi, Qadeer and Rakamarić, Delay-Bounded Scheduling, POPL 2011).
package flips

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Flip is an operation to put off.
type Flip struct {
	At   int // its position in the trace
	Case int // the number of the case, from 1, that the select there is to take; 0: any
	// Key is equal for flips that are alike, in all traces of one binary: of operations at
	// the same place, in goroutines that were started at the same places; both of them the
	// first such one of their run, or both the last.
	Key  string
	rank rank
}

// Plain reports whether what is put off is an operation on a lock, Once or WaitGroup: that
// it goes to another one first is what recordings in other orders of goroutines show as well.
func (f *Flip) Plain() bool { return f.rank == ofLock || f.rank == ofOther }

// Atomic reports whether what is put off is an atomic operation.
func (f *Flip) Atomic() bool { return f.rank == ofAtomic }

// A rank says which flips come first: those after which most often something blocks.
type rank int

const (
	ofWait rank = iota // for a condition: a signal that has come before is lost
	ofPart             // of what was read from a connection, and what has ended a read: there are few
	ofSelect
	ofMessage
	ofLock
	ofOther
	ofAtomic
)

const (
	// effort bounds the pairs of operations that are looked at, and reach how many after
	// one are.
	effort = 1 << 20
	reach  = 64
	// maxCases is how many cases of a select are asked for.
	maxCases = 8
)

// pieces are where the tokens begin of what is written to connections (recorder/predictrt).
const pieces = 1 << 62

// Within is how many events of a trace are looked at, its first ones: all before what is put
// off is replayed.
const Within = 1 << 19

// Of returns the flips of the run of each top-level test in t, whose order is o. Of those that
// are alike these are the first one and, after all others, the last one. No more than [Within]
// events are looked at.
func Of(t *trace.Trace, o *order.Order) map[string][]Flip {
	all := make(map[string][]Flip)
	for test, l := range listers(t, o) {
		for _, op := range l.finish() {
			l.flip(op)
		}
		for _, at := range l.parts {
			l.keep(at, 0, ofPart)
		}
		slices.SortStableFunc(l.flips, func(a, b Flip) int { return int(a.rank - b.rank) })
		last := slices.SortedFunc(maps.Values(l.last), func(a, b Flip) int {
			return cmp.Or(int(a.rank-b.rank), a.At-b.At, strings.Compare(a.Key, b.Key))
		})
		all[test] = append(l.flips, last...)
	}
	return all
}

// A lister lists the flips of one test.
type lister struct {
	t       *trace.Trace
	o       *order.Order
	left    int                    // of the effort
	all     []operation            // that can be put off, which come before the test's end, in their order
	atomics []operation            // the same of atomic ones, of which there may be very many
	parts   []int                  // writes to connections that were read together with what came before them, and what has ended operations of others
	posted  map[uint64]posted      // by token
	over    bool                   // the test has ended
	begun   map[trace.GID]int      // the select that a goroutine is in
	on      map[uint64][]operation // by object, those of one in their order
	selects map[int]*choice        // by position
	roles   map[trace.GID]string
	seen    map[string]bool
	last    map[string]Flip // by key; not the first one
	flips   []Flip
}

// An operation is one on an object, at a position.
type operation struct {
	at    int // -1: the goroutine stands before it at the end
	g     trace.GID
	kind  trace.Kind // of a select what the case does that it took
	nth   int        // of the object's operations
	next  int        // of these the next one of another goroutine
	obj   uint64
	tries bool // it is a select, which does something else if this is not possible
}

// A choice is what a select has chosen.
type choice struct {
	cases int
	taken int // number of the case, from 1; 0: default
	op    *operation
}

// listers returns one for each test of t, with its operations that wait for each other.
func listers(t *trace.Trace, o *order.Order) map[string]*lister {
	all := make(map[string]*lister)
	of := make([]*lister, len(t.Goroutines)) // nil outside of tests
	for g := range t.Goroutines {
		test, _, _ := strings.Cut(t.Goroutines[g].Test, "#")
		if test == "" {
			continue
		}
		if all[test] == nil {
			all[test] = &lister{
				t: t, o: o, left: effort, begun: make(map[trace.GID]int), on: make(map[uint64][]operation), selects: make(map[int]*choice),
				roles: make(map[trace.GID]string), last: make(map[string]Flip), seen: make(map[string]bool),
				posted: make(map[uint64]posted),
			}
		}
		of[g] = all[test]
	}
	for i := range t.Events[:min(len(t.Events), Within)] {
		if l := of[t.Events[i].G]; l != nil {
			l.event(i)
		}
	}
	for _, s := range t.Stuck {
		if l := of[s.G]; l != nil && (s.Op == trace.Acquire || s.Op == trace.RAcquire) {
			l.meets(-1, s.G, s.Op, s.Obj, false)
		}
	}
	return all
}

// meets notes an operation on an object.
func (l *lister) meets(i int, g trace.GID, kind trace.Kind, obj uint64, tries bool) operation {
	op := operation{at: i, g: g, kind: kind, nth: len(l.on[obj]), obj: obj, tries: tries}
	l.on[obj] = append(l.on[obj], op)
	return op
}

// event notes the event at position i, which is one of the test.
func (l *lister) event(i int) {
	e := &l.t.Events[i]
	switch e.Kind {
	case trace.Post:
		p, again := l.posted[e.Obj]
		l.posted[e.Obj] = posted{i, p.several || again && l.t.Events[p.at].G != e.G}
	case trace.Await:
		l.await(i)
	case trace.TestEnd:
		l.over = l.over || l.t.Goroutines[e.G].Path == "0"
	case trace.Select:
		l.begun[e.G] = i
		if !l.over {
			l.all = append(l.all, operation{at: i, g: e.G, kind: trace.Select})
		}
	case trace.SelectDone:
		if at, ok := l.begun[e.G]; ok {
			l.selects[at] = &choice{cases: int(l.t.Events[at].Val), taken: int(e.Val)}
			if e.Val == 0 {
				delete(l.begun, e.G)
			}
		}
	case trace.SendDone, trace.RecvDone:
		if at, ok := l.begun[e.G]; ok {
			kind := trace.Send
			if e.Kind == trace.RecvDone {
				kind = trace.Recv
			}
			if c := l.selects[at]; c != nil {
				op := l.meets(at, e.G, kind, e.Obj, true)
				c.op = &op
			}
			delete(l.begun, e.G)
		}
	case trace.Acquire, trace.RAcquire, trace.Send, trace.Recv, trace.Close, trace.CondWait, trace.CondSignal,
		trace.CondBroadcast, trace.WaitGroupAdd, trace.WaitGroupWait, trace.OnceBegin:
		if e.Obj != 0 && !(e.Kind == trace.WaitGroupAdd && int64(e.Val) < 0) {
			if op := l.meets(i, e.G, e.Kind, e.Obj, false); !l.over {
				l.all = append(l.all, op)
			}
		}
	case trace.OnceDone: // what comes second runs nothing, and has nothing to put off
		l.meets(i, e.G, e.Kind, e.Obj, false)
	case trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW:
		if op := l.meets(i, e.G, e.Kind, e.Obj, false); !l.over {
			l.atomics = append(l.atomics, op)
		}
	}
}

// A posted is the posts of a token.
type posted struct {
	at      int  // the last one
	several bool // of several goroutines
}

// await notes the await at position i. One that follows another of the same read has got what
// was written last together with what the same goroutine had written before, which could have
// been read alone. One of what only another goroutine has done so far is of an operation that this
// has ended, by a close or a deadline, and that could have come to its end before.
func (l *lister) await(i int) {
	e := &l.t.Events[i]
	last := l.o.Program().Prev(i)
	p, ok := l.posted[e.Obj]
	if last < 0 || !ok || l.over || e.Val != 0 {
		return
	}
	before, by := &l.t.Events[last], l.t.Events[p.at].G
	switch {
	case before.Kind == trace.Await && before.Site == e.Site:
		if first, ok := l.posted[before.Obj]; ok && first.at < p.at && l.t.Events[first.at].G == by {
			l.parts = append(l.parts, p.at)
		}
	case before.Kind != trace.Begin && e.Obj < pieces && by != e.G && !p.several:
		l.parts = append(l.parts, p.at)
	}
}

// finish links the operations of each object, once all are there, and returns those that can be
// put off.
func (l *lister) finish() []operation {
	for _, ops := range l.on {
		for n := len(ops) - 1; n >= 0; n-- {
			if ops[n].next = n + 1; n+1 < len(ops) && ops[n+1].g == ops[n].g {
				ops[n].next = ops[n+1].next
			}
		}
	}
	return append(l.all, l.atomics...)
}

// flip lists the flips of an operation.
func (l *lister) flip(op operation) {
	if op.kind != trace.Select {
		l.add(op, 0, rankOf(op.kind))
		return
	}
	c := l.selects[op.at]
	if c == nil { // it was never done
		return
	}
	for n := 1; n <= min(c.cases, maxCases); n++ {
		if n != c.taken {
			l.add(op, n, ofSelect)
		}
	}
	if c.cases == 1 && c.op != nil {
		l.add(*c.op, 0, ofMessage)
	}
}

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

// add lists a flip, if there is another goroutine's operation that it lets come first: of
// the cases that a select has not taken, the trace does not know on what they are.
func (l *lister) add(op operation, n int, r rank) {
	if n > 0 || l.meetsLater(op) {
		l.keep(op.at, n, r)
	}
}

// keep lists the flip of what is at a position.
func (l *lister) keep(at, n int, r rank) {
	e := &l.t.Events[at]
	key := fmt.Sprintf("%v %x %s %d", e.Kind, l.t.Sites[e.Site].Key, l.role(e.G), n)
	f := Flip{At: at, Case: n, Key: key, rank: r}
	if l.seen[key] {
		f.Key += " last"
		l.last[key] = f
		return
	}
	l.seen[key] = true
	l.flips = append(l.flips, f)
}

// role names where a goroutine was started, and that which has started it, and so on.
func (l *lister) role(g trace.GID) string {
	if r, ok := l.roles[g]; ok {
		return r
	}
	l.roles[g] = "" // should it be its own ancestor
	its := &l.t.Goroutines[g]
	r := fmt.Sprintf("%x", l.t.Sites[its.Site].Key)
	if its.Parent != g && int(its.Parent) < len(l.t.Goroutines) {
		r = l.role(its.Parent) + "." + r
	}
	l.roles[g] = r
	return r
}

// meetsLater reports whether another goroutine comes to the object of op later, and could
// have come before.
func (l *lister) meetsLater(op operation) bool {
	all := l.on[op.obj]
	for n, looked := all[op.nth].next, 0; n < len(all) && looked < reach; looked++ {
		if l.left--; l.left < 0 {
			return false
		}
		other := all[n]
		if n++; other.g == op.g {
			n = other.next
		} else if meet(op, other) && !l.first(op, other) {
			return true
		}
	}
	return false
}

// first reports whether op must happen before the goroutine of other can stand at that.
func (l *lister) first(op, other operation) bool {
	if other.at >= 0 {
		return l.o.BeforeReached(op.at, other.at)
	}
	last := l.o.Events(other.g).Last()
	return last >= 0 && l.o.Before(op.at, last)
}

// meet reports whether it makes a difference which of two operations on one object comes
// first.
func meet(a, b operation) bool {
	is := func(k, o trace.Kind) bool { return a.kind == k && b.kind == o || a.kind == o && b.kind == k }
	switch a.kind {
	case trace.Acquire, trace.RAcquire:
		return !is(trace.RAcquire, trace.RAcquire)
	case trace.Send, trace.Recv, trace.Close:
		// A receive that waits gets what was sent before the close, or else finds that.
		return !is(trace.Send, trace.Recv) && !is(trace.Recv, trace.Close) || a.tries || b.tries
	case trace.CondWait, trace.CondSignal, trace.CondBroadcast:
		return a.kind == trace.CondWait || b.kind == trace.CondWait
	case trace.WaitGroupAdd, trace.WaitGroupWait:
		return is(trace.WaitGroupAdd, trace.WaitGroupWait)
	case trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW:
		return !is(trace.AtomicLoad, trace.AtomicLoad)
	}
	return is(trace.OnceBegin, trace.OnceDone)
}
