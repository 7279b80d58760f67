package waits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A goroutine that waits for a message waits for whoever has to come to the event that
// lets it go on. It is kept from going on if that one waits, before that event, for
// something that the others have, and nobody else lets it go on instead: communication
// deadlocks. What waits is looked at event by event here, not by dependencies.
//
// Who waits for a condition needs no others for that: the signal may come before. Whether
// all signals do that others give, or wake somebody else, is not looked at here.

// longest is the number of goroutines in the longest circles with messages that are
// looked for.
const longest = 4

// maxBack is how many events, and maxWaits how many operations that can block, are
// looked at before an event that somebody waits for.
const (
	maxBack  = 1 << 12
	maxWaits = 32
)

// mixed looks for circles with messages.
func (f *finder) mixed() {
	f.allow(effort)
	for k := range f.msgs {
		if f.effort < 0 {
			break
		}
		if f.msgs[k].misses {
			f.close([]int32{f.msgs[k].at})
		}
		f.follow([]int32{f.msgs[k].at})
	}
	f.found.Cut = f.found.Cut || f.effort < 0 || len(f.found.Circles) >= maxCircles
	for _, k := range f.circles {
		c := &f.found.Circles[k] // all of its sets are at the same places
		c.Exhaustive = c.Exhaustive && !slices.ContainsFunc(c.Sets[0], func(i int) bool { return f.left[f.t.Events[i].Site] })
	}
	f.note()
}

// follow looks for circles that begin with a path of operations, of which each waits for
// the goroutine of the next.
func (f *finder) follow(path []int32) {
	last := path[len(path)-1]
	if len(path) > 1 && f.waitsFor(last, path[0]) {
		f.close(path)
		return
	}
	if len(path) == longest {
		return
	}
	for _, next := range f.after(last) {
		if f.effort--; f.effort < 0 || len(f.found.Circles) >= maxCircles {
			return
		}
		if f.together(path, next) {
			f.follow(append(slices.Clip(path), next))
		}
	}
}

// waitsFor reports whether operation i waits for the goroutine that stands at j: that
// has the lock that i wants, or wants it for writing where i reads, or comes to what lets i
// go on only after j.
func (f *finder) waitsFor(i, j int32) bool {
	if k, ok := f.ofOp[i]; ok {
		m := &f.msgs[k]
		return j >= m.since && slices.ContainsFunc(m.frees, func(free int32) bool { return free > j && f.t.Events[free].G == f.t.Events[j].G })
	}
	e := &f.t.Events[i]
	if f.shutsOut(j, i) {
		return true
	}
	for _, a := range f.o.Held(int(j)) {
		if h := &f.t.Events[a]; h.Obj == e.Obj && a != j && !(h.Kind == trace.RAcquire && e.Kind == trace.RAcquire) {
			return !f.o.HandedOver()[e.Obj]
		}
	}
	return false
}

// shutsOut reports whether event j is a writer that waits for a lock and event i a reader
// that comes later.
func (f *finder) shutsOut(j, i int32) bool {
	writer, reader := &f.t.Events[j], &f.t.Events[i]
	return writer.Kind == trace.Acquire && reader.Kind == trace.RAcquire && writer.Obj == reader.Obj && f.canBlock(j)
}

// apart reports whether the goroutine of event i, when it stands there, holds a lock that excludes one
// that the goroutine of event j holds then.
func (f *finder) apart(i, j int32) bool {
	for _, a := range f.o.Held(int(i)) {
		for _, b := range f.o.Held(int(j)) {
			x, y := &f.t.Events[a], &f.t.Events[b]
			if x.Obj == y.Obj && a != i && b != j && !(x.Kind == trace.RAcquire && y.Kind == trace.RAcquire) && !f.o.HandedOver()[x.Obj] {
				return true
			}
		}
	}
	return false
}

// maxKept bounds the operations that are kept as the next ones of others.
const maxKept = 1 << 20

// nexts are the operations that may be the next ones after another one, and the effort to find them.
type nexts struct {
	all    []int32
	effort int
}

// after returns operations that may be the next after i in a circle: many circles come to the same ones.
func (f *finder) after(i int32) []int32 {
	n, ok := f.nexts[i]
	if ok {
		f.effort -= n.effort
		return n.all
	}
	before := f.effort
	n.all = f.waitsForWhom(i)
	if n.effort = before - f.effort; f.kept+len(n.all) < maxKept {
		f.kept += len(n.all)
		f.nexts[i] = n
	}
	return n.all
}

// waitsForWhom finds the operations that may be the next after i in a circle.
func (f *finder) waitsForWhom(i int32) (all []int32) {
	if k, ok := f.ofOp[i]; ok {
		for _, free := range f.msgs[k].frees {
			if f.t.Events[free].G != f.t.Events[i].G {
				all = append(all, f.before(free, i)...)
			}
		}
		return all
	}
	e := &f.t.Events[i]
	all = slices.Clone(f.talkers[e.Obj])
	deps := f.holders[e.Obj]
	if e.Kind == trace.RAcquire {
		deps = slices.Concat(deps, f.writers[e.Obj])
	}
	for _, n := range deps {
		s := &sets{finder: f}
		for _, o := range f.owns(&f.deps[n]) {
			if o.g != e.G {
				all = append(all, s.some([]int{int(i)}, s.free([]int{int(i)}, o))...)
			}
		}
		if s.more {
			f.left[e.Site] = true
		}
	}
	return slices.DeleteFunc(all, func(j int32) bool { return !f.waitsFor(i, j) })
}

// before returns the operations that can block at which the goroutine of an event may
// stand before it, while another goroutine stands at message i, which it lets go on: the latest ones first.
func (f *finder) before(event, i int32) (all []int32) {
	since := f.msgs[f.ofOp[i]].since
	prev := func(at int32) int32 { return int32(f.o.Program().Prev(int(at))) }
	for n, at := 0, prev(event); at >= 0; n, at = n+1, prev(at) {
		if n == maxBack || len(all) == maxWaits {
			f.left[f.t.Events[i].Site] = true
			break
		}
		if at < since || f.o.BeforeReached(int(at), int(i)) {
			break
		}
		if _, ok := f.ofOp[at]; ok || f.canBlock(at) {
			all = append(all, at)
		}
	}
	f.effort -= len(all)
	return all
}

// canBlock reports whether event i is the acquire of a lock that can block.
func (f *finder) canBlock(i int32) bool {
	e := &f.t.Events[i]
	return (e.Kind == trace.Acquire || e.Kind == trace.RAcquire) && !f.tries(int(i)) && !f.o.HandedOver()[e.Obj]
}

// together reports whether a goroutine of its own can stand at i while others stand at
// those of path, as far as locks and the must-order tell.
func (f *finder) together(path []int32, i int32) bool {
	for _, j := range path {
		if f.t.Events[i].G == f.t.Events[j].G || f.o.BeforeReached(int(i), int(j)) || f.o.BeforeReached(int(j), int(i)) || f.apart(i, j) {
			return false
		}
	}
	return true
}

// close takes up a circle, unless somebody lets one of its goroutines go on. Those who
// would, if they did not wait for the others in turn, become part of it.
func (f *finder) close(path []int32) {
	path = slices.Clone(path)
	slices.Sort(path)
	if name := fmt.Sprint(path); f.seen[name] {
		return
	} else {
		f.seen[name] = true
	}
	for k := 0; k < len(path); k++ {
		for free, ok := f.freed(path[k], path); ok; free, ok = f.freed(path[k], path) {
			i := slices.IndexFunc(f.before(free, path[k]), func(j int32) bool {
				return f.together(path, j) && slices.ContainsFunc(path, func(p int32) bool { return f.waitsFor(j, p) })
			})
			if i < 0 || len(path) > maxWaits {
				return
			}
			path = append(path, f.before(free, path[k])[i])
		}
	}
	set := make([]int, len(path))
	var places []string
	for k, i := range path {
		set[k] = int(i)
		places = append(places, fmt.Sprint(f.t.Events[i].Site))
	}
	slices.Sort(places)
	name := strings.Join(places, " ")
	n, ok := f.circles[name]
	if !ok {
		n = len(f.found.Circles)
		f.circles[name] = n
		f.found.Circles = append(f.found.Circles, Circle{Exhaustive: true})
	}
	c := &f.found.Circles[n]
	if len(c.Sets) == MaxSets {
		c.Exhaustive = false
		return
	}
	c.Sets = append(c.Sets, set)
}

// freed returns an event that lets the goroutine that stands at message i go on, although
// those of a circle stand where they do; ok is false if there is none, or i is none.
func (f *finder) freed(i int32, circle []int32) (free int32, ok bool) {
	k, is := f.ofOp[i]
	if !is {
		return 0, false
	}
	m := &f.msgs[k]
	if m.side == noFrees {
		return 0, false // it takes all of them
	}
	all := f.channelOf(m.obj).frees[m.side]
	seen := make(map[trace.GID]bool)
	first, _ := slices.BinarySearch(all, m.frees[0])
	for _, at := range all[first:] {
		if g := f.t.Events[at].G; !seen[g] {
			if f.stopped(at, circle) {
				seen[g] = true // and all that it does later
			} else if !f.over(at, circle) {
				return at, true
			}
		}
		if f.effort--; f.effort < 0 {
			return at, true
		}
	}
	return 0, false
}

// over reports whether event i has happened once goroutines stand at those of a circle. A case
// of the select that one of them stands at is still to come.
func (f *finder) over(i int32, circle []int32) bool {
	return slices.ContainsFunc(circle, func(j int32) bool { return f.o.BeforeReached(int(i), int(j)) && !f.offers(j, int(i)) })
}

// offers reports whether event i is a case of the select at j that would send.
func (f *finder) offers(j int32, i int) bool {
	e := &f.t.Events[j]
	if e.Kind != trace.Select {
		return false
	}
	k := f.o.Program().Prev(int(j))
	for k > i && f.t.Events[k].Kind == trace.SelectSend {
		k = f.o.Program().Prev(k)
	}
	return k == i
}

// stopped reports whether event i comes in no run in which goroutines stand at those of
// a circle for ever.
func (f *finder) stopped(i int32, circle []int32) bool {
	return slices.ContainsFunc(circle, func(j int32) bool {
		return f.t.Events[i].G == f.t.Events[j].G && i > j || f.o.BeforeReached(int(j), int(i))
	})
}
