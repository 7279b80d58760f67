package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file leaves out of the beginning of a run what others store that is not needed to come
// where it leads, and what they do after that. So who goes on finds them where they have looked
// at something and not yet done what they do about it: that is where what is not one step goes
// wrong.

// ofMemory is the class of memory that overlaps, by the first extent of it.
const ofMemory = numClasses

// least returns those of the steps of a run that goroutine g needs to come to the end of its
// own, with what the others do before they store anything else, and where they lead; nil if they do
// not lead there.
func (x *searching) least(steps []taking, g int32) (all []taking, s *state) {
	keep := x.needed(steps, g)
	ends := x.pure(steps, keep)
	s = x.start()
	last := false // has come
	for k, t := range steps {
		n := &x.nodes[t.node]
		can := !last && !s.over && s.at[t.g] == t.node && t.way < s.ways(t.g)
		if !keep[k] && (k >= ends[t.g] || !can || isLoad(n.kind) && s.content(n.obj) != t.found) {
			ends[t.g] = 0
			continue
		}
		t.waits = s.waits[t.g]
		t.queued = n.kind == trace.Acquire && s.queued[n.obj] == t.g+1
		if !can || s.do(t.g, t.way) != t.found {
			return nil, nil
		}
		if e := x.edge(t.node, t.found); e != nil {
			s.move(t.g, e)
		} else {
			last = t.found != queues
		}
		all = append(all, t)
	}
	return all, s
}

// pure returns by goroutine the position up to which its steps that are not kept store nothing.
// If it holds locks there, that is where it takes the first of them.
func (x *searching) pure(steps []taking, keep []bool) []int {
	ends := make([]int, len(x.goroutines))
	for g := range ends {
		ends[g] = len(steps)
	}
	locks := make(map[int32][]int) // by goroutine: where those that it holds were taken
	for k, t := range steps {
		if k >= ends[t.g] {
			continue
		}
		switch n := &x.nodes[t.node]; n.kind {
		case trace.Acquire, trace.RAcquire:
			if t.found != queues && !keep[k] {
				locks[t.g] = append(locks[t.g], k)
			}
		case trace.Release, trace.RRelease:
			locks[t.g] = slices.DeleteFunc(locks[t.g], func(k int) bool { return x.nodes[steps[k].node].obj == n.obj })
		case trace.Write, trace.AtomicStore, trace.AtomicRMW, trace.Send, trace.Recv, trace.Close, trace.Select,
			trace.CondWait, trace.CondSignal, trace.CondBroadcast, trace.OnceBegin, trace.OnceEnd:
			if keep[k] {
				continue
			}
			if ends[t.g] = k; len(locks[t.g]) > 0 {
				ends[t.g] = locks[t.g][0]
			}
		}
	}
	return ends
}

// needed reports which of the steps of a run are of goroutine g, or such that these depend on.
func (x *searching) needed(steps []taking, g int32) []bool {
	keep := make([]bool, len(steps))
	for more := true; more; { // whether a release is needed is known by what comes before it
		more = false
		going := map[int32]bool{g: true} // goroutines with steps that are kept
		wanted := make(map[object]bool)  // what these depend on
		for k, step := range slices.Backward(steps) {
			if !keep[k] && (going[step.g] || x.gives(step, going, wanted) && !x.skips(steps[:k], keep, step)) {
				keep[k], more = true, true
			}
			if keep[k] {
				going[step.g] = true
				x.want(&x.nodes[step.node], wanted)
			}
		}
	}
	return keep
}

// things returns what an operation is on.
func (x *searching) things(n *node) (all []object) {
	switch {
	case n.kind == trace.Select, n.kind == trace.SelectDone:
		for _, c := range n.cases {
			all = append(all, object{ofChan, uint64(c.ch)})
		}
	case n.obj == none, n.kind == trace.None, n.kind == trace.Fork:
	case n.kind.IsAccess():
		all = append(all, object{ofMemory, uint64(x.ahead.memory(n))})
	default:
		all = append(all, object{classOf(n.kind), uint64(n.obj)})
	}
	return all
}

// gives reports whether goroutines with steps behind a step, or what these want, depend on it.
func (x *searching) gives(step taking, going map[int32]bool, wanted map[object]bool) bool {
	n := &x.nodes[step.node]
	switch n.kind {
	case trace.Fork:
		return going[n.obj]
	case trace.Read, trace.AtomicLoad, trace.Acquire, trace.RAcquire, trace.WaitGroupWait, trace.WaitGroupWaited:
		return false
	}
	return slices.ContainsFunc(x.things(n), func(o object) bool { return wanted[o] })
}

// skips reports whether a step is a release and that of the same goroutine which took the
// lock, before it, is not kept.
func (x *searching) skips(before []taking, keep []bool, step taking) bool {
	n := &x.nodes[step.node]
	if n.kind != trace.Release && n.kind != trace.RRelease {
		return false
	}
	for k, t := range slices.Backward(before) {
		if a := &x.nodes[t.node]; t.g == step.g && a.obj == n.obj && (a.kind == trace.Acquire || a.kind == trace.RAcquire) {
			return !keep[k]
		}
	}
	return false
}

// want notes what an operation depends on. What a store replaces nobody finds any more.
func (x *searching) want(n *node, wanted map[object]bool) {
	switch n.kind {
	case trace.Release, trace.RRelease, trace.WaitGroupAdd:
		return
	}
	for _, o := range x.things(n) {
		if x.ahead.plain(n) {
			delete(wanted, o)
		} else {
			wanted[o] = true
		}
	}
}
