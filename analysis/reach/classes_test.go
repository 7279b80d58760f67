package reach_test

import (
	"flag"
	"fmt"
	"hash/fnv"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Other explorers make a run for each class of interleavings that differ only in the order
// of operations on different objects, or of reads: the traces of A. Mazurkiewicz, of which
// dynamic partial-order reduction (C. Flanagan and P. Godefroid, POPL 2005) comes to each
// once at best.

var maxClasses = flag.Int("classes", 500, "classes of beginnings of a random program, at most, of which the interleavings are counted")

// classes returns how many classes of interleavings a program has; 0 if there are too many.
func classes(p *program) (n int) {
	seen := make(map[uint64]bool)
	for todo := [][][2]int{nil}; len(todo) > 0; {
		choices := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		m := replayed(p, choices)
		class := classOf(m.tr)
		if seen[class] {
			continue
		}
		if seen[class] = true; len(seen) > *maxClasses {
			return 0
		}
		next := m.choices()
		if len(next) == 0 {
			n++
		}
		for _, c := range next {
			todo = append(todo, append(append([][2]int{}, choices...), c))
		}
	}
	return n
}

// An object is what operations depend on each other by.
type object struct {
	of  string
	obj uint64
}

// classOf tells classes apart: each event is named by what it depends on, and the class by
// all of these names, in whatever order.
func classOf(t *trace.Trace) (class uint64) {
	type uses struct {
		last  uint64 // the name of the last one that depends on all others
		since uint64 // those of the others since
	}
	of := make(map[object]uses)
	last := make(map[trace.GID]uint64)
	for i := range t.Events {
		e := &t.Events[i]
		h := fnv.New64a()
		fmt.Fprint(h, e.G, e.Kind, e.Site, last[e.G])
		o, looks := dependsBy(e)
		its := of[o]
		if o.of != "" {
			fmt.Fprint(h, its.last)
			if !looks {
				fmt.Fprint(h, its.since)
			}
		}
		name := h.Sum64()
		switch {
		case o.of == "":
		case looks:
			its.since += name
		default:
			its = uses{last: name}
		}
		of[o] = its
		if e.Kind == trace.Fork { // its child begins after it
			last[trace.GID(e.Obj)] = name
		}
		last[e.G] = name
		class += name
	}
	return class
}

// dependsBy returns the object of an operation, and whether it can change places with
// others that only look, too.
func dependsBy(e *trace.Event) (o object, looks bool) {
	switch e.Kind {
	case trace.Read, trace.Write, trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW:
		return object{"memory", e.Obj}, !e.Kind.IsWrite()
	case trace.Acquire, trace.Release, trace.RAcquire, trace.RRelease:
		return object{"lock", e.Obj}, e.Kind == trace.RAcquire || e.Kind == trace.RRelease
	case trace.Send, trace.SendDone, trace.Recv, trace.RecvDone, trace.Close, trace.SelectSend, trace.SelectRecv:
		return object{"channel", e.Obj}, false
	case trace.WaitGroupAdd, trace.WaitGroupWait, trace.WaitGroupWaited:
		return object{"group", e.Obj}, e.Kind == trace.WaitGroupAdd
	case trace.CondWait, trace.CondWake, trace.CondSignal, trace.CondBroadcast:
		return object{"condition", e.Obj}, false
	case trace.OnceBegin, trace.OnceEnd, trace.OnceDone:
		return object{"once", e.Obj}, false
	}
	return object{}, false
}
