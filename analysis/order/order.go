// Package order computes what every analysis of a trace asks for: which events
// must happen before which, which locks are held where, what was sent through
// which channel, and which accesses touch the same memory.
//
// It takes a [trace.Trace] and changes nothing in it. Positions are indices
// into trace.Trace.Events throughout.
//
// The must-order is PECAN's partial order relation (Huang and Zhang, ISSTA
// 2011, Definition 1, in the compact form of §5.1) for the Go memory model:
// program order, and the edges
//
//	go statement             → first event of the goroutine
//	begin of the k-th send   → completion of the k-th receive
//	begin of the k-th receive → completion of the (k+C)-th send, C the capacity
//	close                    → receive that finds the channel closed
//	every Done of a round    → return of a Wait after it, and of one after later
//	                           rounds whose adds were before it
//	end of Once's function   → return of every later Do
//	Signal, Broadcast        → return of the Wait that it woke
//	atomic store             → atomic load that reads it
//	post                     → every later await of its token
//	every event              → every later await of token 0
//
// It has no edge between critical sections, for these may swap: they are
// described by lock sets and sections instead. Two read-modify-writes of one
// address whose results nobody uses ([trace.Site.IsUpdate]) may swap likewise.
// Where a result is used, an edge from one to the next is in, although they
// might swap too where nothing depends on the value.
package order

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/facts"
)

// An Order answers questions about one trace. It is safe for concurrent use.
type Order struct {
	t       *trace.Trace
	sites   *trace.SiteIndex
	facts   *facts.Facts
	must    *relation
	held    *heldLocks
	groups  []Group
	sources sources
	program *trace.ProgramOrder

	handedOver map[uint64]bool // locks
}

// New analyses t, which must not change afterwards. It takes time near-linear
// in the number of events, and fails only for a trace that names goroutines
// that it does not define, or that has more than 2^31-2 events.
func New(t *trace.Trace) (*Order, error) {
	if len(t.Events) >= math.MaxInt32 {
		return nil, fmt.Errorf("order: the trace has %d events; at most %d can be analysed: record fewer tests at once", len(t.Events), math.MaxInt32-1)
	}
	for i := range t.Events {
		if g := t.Events[i].G; int(g) >= len(t.Goroutines) {
			return nil, fmt.Errorf("order: event %d is of goroutine %d, but the trace defines only %d goroutines: it is damaged", i, g, len(t.Goroutines))
		}
	}
	o := &Order{t: t, sites: trace.NewSiteIndex(t)}
	done := make(chan bool)
	go func() { // of memory and goroutines, which the rest has nothing to do with
		o.groups = groups(t)
		o.sources = findSources(t, o.groups)
		o.program = trace.NewProgramOrder(t)
		close(done)
	}()
	o.facts = facts.New(t)
	o.must = relate(t, o.sites, o.facts)
	o.held = findHeld(t, o.facts, o.Before)
	o.handedOver = handedOver(o.facts)
	<-done
	return o, nil
}

// Sites returns the sites of the trace, for those who ask about each event.
func (o *Order) Sites() *trace.SiteIndex { return o.sites }

// Facts returns what follows from the trace alone.
func (o *Order) Facts() *facts.Facts { return o.facts }

// Before reports whether event i must happen before event j in every run that
// performs both.
func (o *Order) Before(i, j int) bool {
	if i >= j {
		return false
	}
	gi := o.t.Events[i].G
	return gi == o.t.Events[j].G || o.must.before(i, gi, j)
}

// A Past is all that must happen before one event.
type Past struct {
	must     *relation
	clock    clock
	g        trace.GID
	position int32
}

// Past is that of event j. Many questions of Before about one event are answered faster by it.
func (o *Order) Past(j int) Past {
	return Past{o.must, o.must.segments[o.must.segmentOf.At(j)].clock, o.t.Events[j].G, int32(j)}
}

// Has reports whether event i, which is one of goroutine g, must happen before the event.
func (p *Past) Has(g trace.GID, i int32) bool {
	if i >= p.position {
		return false
	}
	return g == p.g || p.must.get(p.clock, uint32(g)) > i
}

// BeforeReached reports whether event i must happen before the goroutine of
// event j is about to execute it. It differs from Before where j itself waits for
// others or observes them, as atomic loads do.
//
// Example: an atomic load reads what store i of another goroutine wrote. Before is true: the load
// that reads this value comes later. BeforeReached is false: its goroutine gets to the load without
// it.
func (o *Order) BeforeReached(i, j int) bool {
	gi := o.t.Events[i].G
	if gi == o.t.Events[j].G || i >= j {
		return i < j && gi == o.t.Events[j].G
	}
	return o.must.get(o.must.clockReached(j), uint32(gi)) > int32(i)
}

// Ancestors yields, for each other goroutine with events that must happen
// before event i, the last such event.
func (o *Order) Ancestors(i int) iter.Seq2[trace.GID, int] {
	return func(yield func(trace.GID, int) bool) {
		own := uint32(o.t.Events[i].G)
		c := o.must.segments[o.must.segmentOf.At(i)].clock
		o.must.higherEntries(c, 0, func(g uint32, v int32) bool {
			return g == own || yield(trace.GID(g), int(v-1))
		})
	}
}

// AncestorsBeyond yields the ancestors of event i without those that must happen before
// event j; of event j's own goroutine it may yield one all the same. It takes as long as
// there are such, where Ancestors takes as long as there are goroutines. Where j is
// negative, it yields all.
func (o *Order) AncestorsBeyond(i, j int) iter.Seq2[trace.GID, int] {
	return func(yield func(trace.GID, int) bool) {
		own := uint32(o.t.Events[i].G)
		var known clock
		if j >= 0 {
			known = o.must.segments[o.must.segmentOf.At(j)].clock
		}
		o.must.higherEntries(o.must.segments[o.must.segmentOf.At(i)].clock, known, func(g uint32, v int32) bool {
			return g == own || yield(trace.GID(g), int(v-1))
		})
	}
}

// Segment numbers the segment of its goroutine's events that event i lies in.
// All events of a segment have the same order to the events of others.
func (o *Order) Segment(i int) int { return int(o.must.segmentOf.At(i)) }

// Program is the program order of the trace.
func (o *Order) Program() *trace.ProgramOrder { return o.program }

// Events returns the events of goroutine g.
func (o *Order) Events(g trace.GID) trace.GoroutineEvents { return o.program.Of(g) }

// ReplaceWakes returns the events with, in place of each wake, where the wait for the condition has
// begun.
func (o *Order) ReplaceWakes(events []int) []int {
	begun := slices.Clone(events)
	for k, i := range begun {
		if o.t.Events[i].Kind != trace.CondWake {
			continue
		}
		for i >= 0 && o.t.Events[i].Kind != trace.CondWait {
			i = o.program.Prev(i)
		}
		if i >= 0 {
			begun[k] = i
		}
	}
	return begun
}

// Groups returns the memory that goroutines share: the events on it, by
// location, in the order of their first events. The caller must not change
// them.
func (o *Order) Groups() []Group { return o.groups }

// Sources returns the writes by other goroutines that the read at position i
// saw in the recorded run, newest first.
func (o *Order) Sources(i int) []int32 { return o.sources.of(i) }
