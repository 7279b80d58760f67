package tracetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Server returns a trace of about the given number of events, with the shape
// of that of Derby in PECAN's Table 1: four goroutines, 99 shared locations,
// nested locks. The goroutines serve requests of forty kinds; a kind takes one
// to three locks, in a fixed order, accesses what they guard at places of its
// own, and now and then something that they do not guard. Some take an inner
// lock twice in one critical section of an outer one.
func Server(events int) *trace.Trace { return Servers(events, 4, 40) }

// Servers is Server with so many goroutines, and kinds of requests: each is at about seven places.
func Servers(events, goroutines, kinds int) *trace.Trace {
	const locks = 24
	r := rand.New(rand.NewPCG(1, 2))
	s := &server{Rand: r, tr: &trace.Trace{Events: make([]trace.Event, 0, events+100), Sites: make(map[trace.SiteID]trace.Site), Complete: true}, held: make([]bool, locks)}
	requests := make([][]trace.Event, kinds)
	for k := range requests {
		s.site = trace.SiteID(100 * (k + 1))
		requests[k] = s.request(r.IntN(locks), 1+r.IntN(3), locks)
	}
	for g := range goroutines {
		path := "0"
		if g > 0 {
			path = fmt.Sprintf("0.%d", g)
		}
		s.tr.Goroutines = append(s.tr.Goroutines, trace.Goroutine{ID: trace.GID(g), Test: "TestX", Path: path})
		if g > 0 {
			s.tr.Events = append(s.tr.Events,
				trace.Event{Kind: trace.Fork, Obj: uint64(g), Site: trace.SiteID(g)},
				trace.Event{Kind: trace.Begin, G: trace.GID(g), Site: trace.SiteID(g)})
			s.tr.Sites[trace.SiteID(g)] = trace.Site{ID: trace.SiteID(g), Key: uint64(g), Line: g}
		}
	}
	todo := make([][]trace.Event, goroutines)
	for len(s.tr.Events) < events {
		g := r.IntN(goroutines)
		if len(todo[g]) == 0 {
			todo[g] = requests[r.IntN(kinds)]
		}
		if s.do(trace.GID(g), todo[g][0]) {
			todo[g] = todo[g][1:]
		}
	}
	return s.tr
}

type server struct {
	*rand.Rand
	tr   *trace.Trace
	held []bool
	site trace.SiteID
	mem  [99]uint64
}

// request makes the events of a kind: lock, accesses, those of an inner lock,
// accesses, unlock.
func (s *server) request(lock, depth, locks int) []trace.Event {
	es := []trace.Event{s.event(trace.Acquire, uint64(lock))}
	for range 1 + s.IntN(3) {
		es = append(es, s.access(lock, locks))
	}
	if next := lock + 1 + s.IntN(4); depth > 1 && next < locks {
		// Twice the same inner lock: in between, others may have it.
		for range 1 + s.IntN(2) {
			es = append(es, s.request(next, depth-1, locks)...)
		}
	}
	es = append(es, s.access(lock, locks), s.event(trace.Release, uint64(lock)))
	if s.IntN(8) == 0 {
		es = append(es, s.access(s.IntN(locks), locks)) // not guarded
	}
	return es
}

// access reads or writes something that the lock guards.
func (s *server) access(lock, locks int) trace.Event {
	kind := trace.Read
	if s.IntN(3) == 0 {
		kind = trace.Write
	}
	e := s.event(kind, uint64(lock+locks*s.IntN(4))%99)
	e.Size, e.Flags = 8, trace.FlagValue
	if kind == trace.Read && s.IntN(8) > 0 { // few reads decide where to go
		site := s.tr.Sites[e.Site]
		site.OnlyStored = true
		s.tr.Sites[e.Site] = site
	}
	return e
}

func (s *server) event(kind trace.Kind, obj uint64) trace.Event {
	s.site++
	s.tr.Sites[s.site] = trace.Site{ID: s.site, Key: uint64(s.site), Func: "x.f", File: "/src/x/x.go", Line: int(s.site), Op: kind.String()}
	return trace.Event{Kind: kind, Site: s.site, Obj: obj}
}

// do performs e in goroutine g, unless its lock is taken.
func (s *server) do(g trace.GID, e trace.Event) bool {
	e.G = g
	switch e.Kind {
	case trace.Acquire:
		if s.held[e.Obj] {
			return false
		}
		s.held[e.Obj] = true
		e.Obj += 0x100
	case trace.Release:
		s.held[e.Obj] = false
		e.Obj += 0x100
	default:
		if e.Kind == trace.Write {
			s.mem[e.Obj] = uint64(s.IntN(2))
		}
		e.Val = s.mem[e.Obj]
		e.Obj = 0x1000 + 16*e.Obj
	}
	s.tr.Events = append(s.tr.Events, e)
	return true
}

// AnomalyAtEnd lets goroutine 1 of t read and write, in two critical sections
// within another, and then goroutine 2 write, and returns these accesses in the
// order that does harm.
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
