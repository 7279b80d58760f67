package tracetest

import (
	"math/rand/v2"

	"github.com/gopredict/gopredict/recorder/trace"
)

// ServerTrace returns a trace of about the given number of events, with the shape
// of that of Derby in PECAN's Table 1: four goroutines, 99 shared locations,
// nested locks. The goroutines serve requests of forty kinds; a kind takes one
// to three locks, in a fixed order, accesses what they guard at places of its
// own, and now and then something that they do not guard. Some take an inner
// lock twice in one critical section of an outer one.
func ServerTrace(events int) *trace.Trace { return ServerTraceOf(events, 4, 40) }

// ServerTraceOf is Server with other numbers of goroutines and of kinds of requests: each kind is at about seven places.
func ServerTraceOf(events, goroutines, kinds int) *trace.Trace {
	const locks, locations = 24, 99
	s := &server{simulation: newSimulation(rand.New(rand.NewPCG(1, 2)), locks, locations, 2)}
	s.t.Events = make([]trace.Event, 0, events+100)
	requests := make([][]trace.Event, kinds)
	for k := range requests {
		s.site = trace.SiteID(100 * (k + 1))
		requests[k] = s.request(s.IntN(locks), 1+s.IntN(3))
	}
	s.start(goroutines)
	todo := make([][]trace.Event, goroutines)
	for len(s.t.Events) < events {
		g := s.IntN(goroutines)
		if len(todo[g]) == 0 {
			todo[g] = requests[s.IntN(kinds)]
		}
		if s.perform(trace.GID(g), todo[g][0]) {
			todo[g] = todo[g][1:]
		}
	}
	return s.t
}

// A server plans and performs requests.
type server struct {
	*simulation
	site trace.SiteID // of the event planned last
}

// request plans a kind of request: lock, accesses, those of an inner lock, accesses, unlock.
func (s *server) request(lock, depth int) []trace.Event {
	es := []trace.Event{s.event(trace.Acquire, uint64(lock))}
	for range 1 + s.IntN(3) {
		es = append(es, s.access(lock))
	}
	if next := lock + 1 + s.IntN(4); depth > 1 && next < len(s.held) {
		// The same inner lock twice: other goroutines may have it in between.
		for range 1 + s.IntN(2) {
			es = append(es, s.request(next, depth-1)...)
		}
	}
	es = append(es, s.access(lock), s.event(trace.Release, uint64(lock)))
	if s.IntN(8) == 0 {
		es = append(es, s.access(s.IntN(len(s.held)))) // not guarded
	}
	return es
}

// access plans a read or write of something that the lock guards.
func (s *server) access(lock int) trace.Event {
	e := s.event(s.randomAccess(uint64(lock)))
	if e.Kind == trace.Read && s.IntN(8) > 0 { // few reads decide where to go
		site := s.t.Sites[e.Site]
		site.OnlyStored = true
		s.t.Sites[e.Site] = site
	}
	return e
}

func (s *server) event(kind trace.Kind, obj uint64) trace.Event {
	s.site++
	s.t.Sites[s.site] = trace.Site{ID: s.site, Key: uint64(s.site), Func: "x.f", File: "/src/x/x.go", Line: int(s.site), Op: kind.String()}
	return trace.Event{Kind: kind, Site: s.site, Obj: obj}
}

// AnomalyAtEnd appends to t a read and a write of goroutine 1, in two critical sections within
// another one, and a write of goroutine 2. It returns these accesses in the order that is an
// anomaly.
func AnomalyAtEnd(t *trace.Trace) []int {
	const outer, inner, x = 0x900, 0x901, 0x9000
	t.Events = append(t.Events,
		trace.Event{Kind: trace.Acquire, G: 1, Obj: outer},
		trace.Event{Kind: trace.Acquire, G: 1, Obj: inner},
		trace.Event{Kind: trace.Read, G: 1, Obj: x, Size: 8},
		trace.Event{Kind: trace.Release, G: 1, Obj: inner},
		trace.Event{Kind: trace.Acquire, G: 1, Obj: inner},
		trace.Event{Kind: trace.Write, G: 1, Obj: x, Size: 8},
		trace.Event{Kind: trace.Release, G: 1, Obj: inner},
		trace.Event{Kind: trace.Release, G: 1, Obj: outer},
		trace.Event{Kind: trace.Acquire, G: 2, Obj: inner},
		trace.Event{Kind: trace.Write, G: 2, Obj: x, Size: 8},
		trace.Event{Kind: trace.Release, G: 2, Obj: inner},
	)
	n := len(t.Events)
	return []int{n - 9, n - 2, n - 6}
}
