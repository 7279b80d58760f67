package reach_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

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

// A comparison is what programs have shown in few runs beside all that they have.
type comparison struct {
	upTo []row // by the classes that they have
	all  row
}

// A row is of several programs, together.
type row struct {
	programs, runs, behaviours, classes int
	interleavings                       float64
}

// bounds are the most classes that the programs of each row but the last one have.
var bounds = []int{1, 10, 100}

// add counts one program; it has no classes if there are too many.
func (c *comparison) add(runs, behaviours, classes int, interleavings float64) {
	if c.upTo == nil {
		c.upTo = make([]row, len(bounds)+2)
	}
	k := len(bounds) + 1
	if classes > 0 {
		k, _ = slices.BinarySearch(bounds, classes)
	}
	for _, r := range []*row{&c.upTo[k], &c.all} {
		r.programs++
		r.runs += runs
		r.behaviours += behaviours
		r.classes += classes
		r.interleavings += interleavings
	}
}

// String returns the table, in Markdown.
func (c *comparison) String() string {
	var s strings.Builder
	fmt.Fprintln(&s, "| classes of a program | programs | behaviours | runs | classes | interleavings |")
	fmt.Fprintln(&s, "|---|---|---|---|---|---|")
	for k, r := range c.upTo {
		of, from := "more, not counted", 1
		if k > 0 && k <= len(bounds) {
			from = bounds[k-1] + 1
		}
		all := fmt.Sprint(r.classes)
		switch {
		case k < len(bounds) && from == bounds[k]:
			of = fmt.Sprint(from)
		case k < len(bounds):
			of = fmt.Sprintf("%d to %d", from, bounds[k])
		case k == len(bounds):
			of = fmt.Sprintf("%d or more", from)
		default:
			all = ""
		}
		fmt.Fprintf(&s, "| %s | %d | %d | %d | %s | %.3g |\n", of, r.programs, r.behaviours, r.runs, all, r.interleavings)
	}
	fmt.Fprintf(&s, "| all | %d | %d | %d | | %.3g |\n", c.all.programs, c.all.behaviours, c.all.runs, c.all.interleavings)
	return s.String()
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
