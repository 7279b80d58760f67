package tracetest

import (
	"math/rand/v2"

	"github.com/gopredict/gopredict/recorder/trace"
)

// NestedLocks returns a trace of about the given number of events: goroutines take two or
// three of 64 locks, in the order of their numbers, use what they guard and release them.
// With turns, one time in a thousand, the locks are taken in the other order.
func NestedLocks(events, goroutines int, turns bool) *trace.Trace {
	const locks, uses = 64, 8
	r := rand.New(rand.NewPCG(3, 4))
	tr := newTrace()
	tr.Events = make([]trace.Event, 0, events+100)
	emit := func(kind trace.Kind, g trace.GID, obj uint64) {
		site := trace.SiteID(kind)<<8 | trace.SiteID(obj&0xff)
		if kind.IsAccess() {
			site |= trace.SiteRewritten
		}
		if _, ok := tr.Sites[site]; !ok {
			tr.Sites[site] = trace.Site{ID: site, Key: uint64(site), Func: "x.f", File: "/src/x/x.go", Line: int(site & 0xffff), Op: kind.String()}
		}
		e := trace.Event{Kind: kind, G: g, Obj: obj, Site: site}
		if kind.IsAccess() {
			e.Size = 8
		}
		tr.Events = append(tr.Events, e)
	}
	addGoroutine(tr)
	for g := trace.GID(1); g < trace.GID(goroutines); g++ {
		addGoroutine(tr)
		emit(trace.Fork, 0, uint64(g))
		emit(trace.Begin, g, 0)
	}
	for len(tr.Events) < events {
		g := trace.GID(r.IntN(goroutines))
		first, step := r.IntN(locks-6), 1+r.IntN(3)
		taken := []int{first, first + step, first + 2*step}[:2+r.IntN(2)]
		if turns && r.IntN(1000) == 0 {
			taken[0], taken[1] = taken[1], taken[0]
		}
		for _, l := range taken {
			emit(trace.Acquire, g, 0x100+uint64(l))
		}
		for k := range uses {
			emit(trace.Write, g, 0x1000+8*uint64(taken[0]*uses+k))
		}
		for k := range taken {
			emit(trace.Release, g, 0x100+uint64(taken[len(taken)-1-k]))
		}
	}
	return tr
}
