package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file shortens the beginning of a run. It leaves out stores of other
// goroutines that are not needed to reach its goal, and what follows these.
// But the other goroutines execute the reads that they can. So the run goes on
// where they have read a value and not yet acted on it: there, operations that
// should be atomic and are not fail. Without this file exploring needs more
// runs until it sees the bugs of some programs of testdata/papers/sctbench.

// ofMemory is the class of memory, which is named by its number
// ([futures.memory]).
const ofMemory = numClasses

// minimize returns the steps that goroutine g needs to get to the end of its
// own steps, those of the other goroutines before they store anything else,
// and the state that they lead to. It returns nil if they do not lead there.
func (x *search) minimize(steps []action, g int32) (all []action, s *state) {
	// Steps of the others after the last one of g are not needed to reach the goal.
	for len(steps) > 0 && steps[len(steps)-1].g != g {
		steps = steps[:len(steps)-1]
	}
	if len(steps) == 0 {
		return nil, nil // no run has shown its first operation
	}
	keep := x.findNeeded(steps, g)
	last := none // the last of these that a replay can hold
	for k, t := range steps {
		if keep[k] && replayCanHold(x.nodes[t.node].kind) {
			last = k
		}
	}
	if last != none {
		all, s = x.replayKept(steps, keep, last, g)
	}
	if s == nil {
		all, s = x.replayKept(steps, keep, none, g)
	}
	return all, s
}

// replayKept executes the steps that are kept, and of the other steps those
// before their goroutines store anything. Before the step at position last all
// goroutines but g execute the reads that they can.
func (x *search) replayKept(steps []action, keep []bool, last int, g int32) (all []action, s *state) {
	// The shortened order must be executed anew: a step may be impossible without
	// one that is left out.
	ends := x.firstStores(steps, keep)
	s = x.start()
	for k, t := range steps {
		if k == last {
			more, ok := x.executeOthersReads(s, g)
			if !ok {
				return nil, nil
			}
			all = append(all, more...)
		}
		if !keep[k] && (k >= ends[t.g] || k > last && last != none || !x.canFollow(s, t)) {
			ends[t.g] = 0
			continue
		}
		if !x.followAction(s, t, &all) {
			return nil, nil
		}
	}
	return all, s
}

// canFollow reports whether a step is the next one of its goroutine in s and
// can be executed. A read must find the same.
func (x *search) canFollow(s *state, t action) bool {
	n := &x.nodes[t.node]
	return !s.ended && s.next[t.g] == t.node && t.alternative < s.countAlternatives(t.g) && (!isLoad(n.kind) || s.content(n.obj) == t.found)
}

// followAction executes a step and adds it to all. It reports whether the step
// finds the same content in s.
func (x *search) followAction(s *state, t action, all *[]action) bool {
	if !x.canFollow(s, t) {
		return false
	}
	n := &x.nodes[t.node]
	t.pending = s.pending[t.g]
	t.queued = n.kind == trace.Acquire && s.queued[n.obj] == t.g+1
	if s.execute(t.g, t.alternative) != t.found {
		return false
	}
	if e := x.edgeFor(t.node, t.found); e != nil {
		s.advance(t.g, e)
	}
	*all = append(*all, t)
	return true
}

// executeOthersReads executes in s the steps of all goroutines but g as long as they
// store nothing, and returns the steps. If ok is false, it has failed midway.
func (x *search) executeOthersReads(s *state, g int32) (all []action, ok bool) {
	for again := true; again; {
		again = false
		for h := range int32(len(s.next)) {
			for h != g {
				steps := x.readingSteps(s, h)
				if len(steps) == 0 {
					break
				}
				for _, t := range steps {
					if !x.followAction(s, t, &all) {
						return nil, false
					}
				}
				again = true
			}
		}
	}
	return all, true
}

// readingSteps returns the next step of a goroutine in s if it stores nothing.
// A critical section is returned as a whole or not at all.
func (x *search) readingSteps(s *state, g int32) (all []action) {
	held := 0
	for at := s.next[g]; at != none && len(all) < maxReadingSteps; {
		n := &x.nodes[at]
		found := nothing
		switch n.kind {
		case trace.Read, trace.AtomicLoad:
			found = s.content(n.obj)
		case trace.Acquire, trace.RAcquire:
			if s.locks[n.obj] != 0 || s.queued[n.obj] != 0 {
				return nil
			}
			held++
		case trace.Release, trace.RRelease:
			if n.condition != none {
				return nil
			}
			held--
		case trace.Begin, trace.Fork, trace.TestBegin, trace.ChanMake, trace.WaitGroupWait:
		default:
			if !n.kind.ChangesCounter() || n.delta() < 0 {
				return nil
			}
		}
		e := x.edgeFor(at, found)
		if e == nil {
			return nil
		}
		all = append(all, action{g: g, node: at, found: found})
		if held <= 0 {
			return all
		}
		at = e.to
	}
	return nil
}

// findNeeded reports which steps of a run are of goroutine g, or are steps that
// these depend on. It computes a slice backwards from the end of the run.
func (x *search) findNeeded(steps []action, g int32) []bool {
	keep := make([]bool, len(steps))
	for more := true; more; { // an acquire that is kept needs its release, which was visited before it
		more = false
		going := map[int32]bool{g: true} // goroutines with steps that are kept
		wanted := make(map[object]bool)  // the objects that these depend on
		all := false                     // they may depend on everything
		for k, step := range slices.Backward(steps) {
			if !keep[k] && (all || going[step.g] || x.isDependedOn(step, going, wanted) && !x.isUnneededRelease(steps[:k], keep, step)) {
				keep[k], more = true, true
			}
			if keep[k] {
				going[step.g] = true
				all = !x.addDependences(&x.nodes[step.node], wanted) || all
			}
		}
	}
	return keep
}

// objectsOf returns the objects of an operation.
func (x *search) objectsOf(n *node) (all []object) {
	switch {
	case n.isSelect():
		for _, c := range n.cases {
			all = append(all, object{ofChan, uint64(c.ch)})
		}
	case n.obj == none, n.kind == trace.None, n.kind == trace.Fork:
	case n.kind.IsAccess():
		all = append(all, object{ofMemory, uint64(x.futures.memory(n))})
	default:
		all = append(all, object{classOf(n.kind), uint64(n.obj)})
	}
	return all
}

// isDependedOn reports whether a step starts one of the goroutines in going, or
// changes one of the wanted objects.
func (x *search) isDependedOn(step action, going map[int32]bool, wanted map[object]bool) bool {
	n := &x.nodes[step.node]
	switch n.kind {
	case trace.Fork:
		return going[n.obj]
	case trace.Read, trace.AtomicLoad, trace.Acquire, trace.RAcquire, trace.WaitGroupWait, trace.WaitGroupWaited:
		return false
	}
	return slices.ContainsFunc(x.objectsOf(n), func(o object) bool { return wanted[o] })
}

// isUnneededRelease reports whether a step is a release whose acquire, by the
// same goroutine, is not kept.
func (x *search) isUnneededRelease(before []action, keep []bool, step action) bool {
	n := &x.nodes[step.node]
	if !n.kind.Releases() {
		return false
	}
	for k, t := range slices.Backward(before) {
		if a := &x.nodes[t.node]; t.g == step.g && a.obj == n.obj && a.kind.Acquires() {
			return !keep[k]
		}
	}
	return false
}

// addDependences adds the objects that an operation depends on to wanted. A
// store removes its memory: earlier stores there are replaced. It returns false
// if no run tells what the operation depends on, for instance who closes a
// channel of package testing.
func (x *search) addDependences(n *node, wanted map[object]bool) bool {
	if n.kind.Releases() || n.kind.ChangesCounter() {
		return true
	}
	for _, o := range x.objectsOf(n) {
		switch {
		case o.class == ofChan && (x.closedBefore[int32(o.name)] || x.external[int32(o.name)]):
			return false
		case x.futures.plain(n):
			delete(wanted, o)
		default:
			wanted[o] = true
		}
	}
	return true
}

// firstStores returns by goroutine the position of the first of its steps that
// is not kept and stores something. If the goroutine holds locks there, it is
// the position where it acquires the first of them.
func (x *search) firstStores(steps []action, keep []bool) []int {
	ends := make([]int, len(x.goroutines))
	for g := range ends {
		ends[g] = len(steps)
	}
	locks := make(map[int32][]int) // by goroutine: the acquires of the locks that it holds
	for k, t := range steps {
		if k >= ends[t.g] {
			continue
		}
		switch n := &x.nodes[t.node]; n.kind {
		case trace.Acquire, trace.RAcquire:
			if t.found != writerWaits && !keep[k] {
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
