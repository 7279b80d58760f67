package witness

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// irrelevant reports for each of the steps whether nothing in the way to the violation
// depends on its order among goroutines: to memory that is only written, or counted
// up there (trace.Site.Update) and protected by a lock or atomic, and then the
// critical sections in which nothing else is done. The violation's own memory
// and what is held at it stay.
func irrelevant(t *trace.Trace, steps, violation []int) []bool {
	d := dropper{t: t, steps: steps, out: make([]bool, len(steps))}
	d.accesses(violation)
	for d.sections(violation) {
	}
	return d.out
}

// A dropper collects steps that need not be kept.
type dropper struct {
	t     *trace.Trace
	steps []int
	out   []bool // by step
}

// accesses drops those to memory that no read matters of.
func (d *dropper) accesses(violation []int) {
	mem := sharedMemory(d.t, slices.Concat(d.steps, violation))
	matters, counted := make([]bool, len(mem.from)), make([]bool, len(mem.from))
	common := make([][]uint64, len(mem.from)) // locks held at each access; nil: none yet
	held := make([][]uint64, len(d.t.Goroutines))
	mark := func(k int) { mem.each(k, func(n int) { matters[n] = true }) }
	for k := range violation {
		mark(len(d.steps) + k)
	}
	for k, i := range d.steps {
		e := &d.t.Events[i]
		switch {
		case e.Kind == trace.Acquire || e.Kind == trace.RAcquire:
			if !slices.Contains(held[e.G], e.Obj) {
				held[e.G] = append(held[e.G], e.Obj)
			}
		case e.Kind == trace.Release || e.Kind == trace.RRelease:
			if n := slices.Index(held[e.G], e.Obj); n >= 0 {
				held[e.G] = slices.Delete(held[e.G], n, n+1)
			}
		case !e.Kind.IsAccess():
		case e.Kind == trace.AtomicLoad || !d.t.Sites[e.Site].Update && e.Kind != trace.Write && e.Kind != trace.AtomicStore:
			mark(k)
		case e.Kind == trace.Write || e.Kind == trace.Read:
			mem.each(k, func(n int) {
				common[n] = meet(common[n], held[e.G])
				counted[n] = counted[n] || e.Kind == trace.Read
			})
		}
	}
	for k, i := range d.steps {
		if !d.t.Events[i].Kind.IsAccess() {
			continue
		}
		needed := false
		mem.each(k, func(n int) {
			needed = needed || matters[n] || counted[n] && len(common[n]) == 0
		})
		if !needed {
			d.out[k] = true
		}
	}
}

// meet takes from a set what is not in the other one, and returns it; a nil set is that of everything.
func meet(a, b []uint64) []uint64 {
	if a == nil {
		return append([]uint64{}, b...)
	}
	return slices.DeleteFunc(a, func(lock uint64) bool { return !slices.Contains(b, lock) })
}

// sections drops the critical sections of each lock that has only such in which
// no step is left, and all closed. It reports whether there were any.
func (d *dropper) sections(violation []int) bool {
	busy := make(map[uint64]bool)
	open := make(map[trace.GID][]uint64)
	ends := make(map[uint64][]int) // acquires and releases, as steps
	use := func(g trace.GID, except uint64) {
		for _, obj := range open[g] {
			if obj != except {
				busy[obj] = true
			}
		}
	}
	for k, i := range d.steps {
		e := &d.t.Events[i]
		if d.out[k] || !canStep(e.Kind) {
			continue
		}
		switch e.Kind {
		case trace.Acquire, trace.RAcquire:
			use(e.G, e.Obj)
			open[e.G] = append(open[e.G], e.Obj)
			ends[e.Obj] = append(ends[e.Obj], k)
		case trace.Release, trace.RRelease:
			if n := slices.Index(open[e.G], e.Obj); n >= 0 {
				open[e.G] = slices.Delete(open[e.G], n, n+1)
			} else {
				busy[e.Obj] = true // acquired by another goroutine, or before
			}
			use(e.G, e.Obj)
			ends[e.Obj] = append(ends[e.Obj], k)
		default:
			use(e.G, 0)
		}
	}
	for g := range open {
		use(g, 0)
	}
	for _, i := range violation {
		busy[d.t.Events[i].Obj] = true
	}
	found := false
	for obj, steps := range ends {
		if busy[obj] {
			continue
		}
		for _, k := range steps {
			d.out[k] = true
		}
		found = true
	}
	return found
}
