package witness

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// canStep reports whether events of kind k may be steps of a witness. Branches
// may not: where the program goes follows from what it read. Nor may the cases
// of a select, which is a step itself.
func canStep(k trace.Kind) bool { return k.CanHold() && k != trace.Branch && k != trace.SelectSend }

// isSync reports whether events of kind k, other than accesses, act on an
// object that goroutines share.
func isSync(k trace.Kind) bool {
	switch k {
	case trace.Acquire, trace.Release, trace.RAcquire, trace.RRelease,
		trace.CondWait, trace.CondWake, trace.CondSignal, trace.CondBroadcast,
		trace.Send, trace.SendDone, trace.Recv, trace.RecvDone, trace.Close,
		trace.WaitGroupAdd, trace.WaitGroupWait, trace.WaitGroupWaited,
		trace.OnceBegin, trace.OnceEnd, trace.OnceDone,
		trace.Post, trace.Await, trace.SelectSend, trace.Call:
		return true
	}
	return false
}

// reduce returns which of the steps the replay needs: the events whose order
// among goroutines can be seen. These are accesses to memory that several
// goroutines touch and at least one writes, operations on objects that several
// goroutines touch, the violation's accesses that are shown, the start of each
// goroutine that has such steps, and the last step of each that does not stand
// at the violation. With an operation goes its completion, which is no step, but
// tells what comes before the goroutine's next one. What remains keeps its order.
// Goroutines that are not in are left out.
func reduce(t *trace.Trace, steps, shown, stand []int, in []bool) []int {
	kept := filter(steps, func(i int) bool { return in[t.Events[i].G] })
	all := slices.Concat(kept, stand)
	mem, objs := sharedMemory(t, all), sharedObjects(t, all)

	need := make([]bool, len(kept))
	active := make([]bool, len(t.Goroutines))
	last := make([]bool, len(t.Goroutines)) // no step needs to be kept as the last
	for _, i := range stand {
		active[t.Events[i].G] = true
		last[t.Events[i].G] = true
	}
	for n, i := range kept {
		e := &t.Events[i]
		if (canStep(e.Kind) || !e.Kind.CanHold()) && (mem.conflicts(n) || e.Obj != 0 && isSync(e.Kind) && objs[e.Obj] || e.Kind == trace.Select || slices.Contains(shown, i)) {
			need[n] = true
			active[e.G] = true
		}
	}
	// A goroutine's fork makes its parent take part too, so that the way to a
	// grandchild is kept whole: children before parents, against the order.
	for n := len(kept) - 1; n >= 0; n-- {
		e := &t.Events[kept[n]]
		switch {
		case e.Kind == trace.Fork && e.Obj < uint64(len(active)) && active[e.Obj]:
			need[n] = true
			active[e.G] = true
		case e.Kind == trace.Begin && active[e.G]:
			need[n] = true
		}
	}
	for n := len(kept) - 1; n >= 0; n-- {
		e := &t.Events[kept[n]]
		if canStep(e.Kind) && active[e.G] && !last[e.G] {
			last[e.G] = true
			need[n] = true
		}
	}
	out := kept[:0]
	for n, i := range kept {
		if need[n] {
			out = append(out, i)
		}
	}
	return out
}

// sharedObjects returns the objects of synchronization that at least two
// goroutines act on among the events at positions.
func sharedObjects(t *trace.Trace, positions []int) map[uint64]bool {
	first := make(map[uint64]trace.GID)
	shared := make(map[uint64]bool)
	for _, i := range positions {
		e := &t.Events[i]
		if !isSync(e.Kind) && e.Kind != trace.SelectRecv { // what a select may take counts, too
			continue
		}
		if g, ok := first[e.Obj]; !ok {
			first[e.Obj] = e.G
		} else if g != e.G {
			shared[e.Obj] = true
		}
	}
	return shared
}
