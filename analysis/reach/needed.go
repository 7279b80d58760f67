package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file leaves out of the beginning of a run what others store that is
// not needed to come where it leads, and what they do after that; what they
// can look at without that they do. So who goes on finds them where they have
// looked at something and not yet done what they do about it: that is where
// what is not one step goes wrong.

// ofMemory is the class of memory that overlaps, by the first extent of it.
const ofMemory = numClasses

// minimize returns those of the steps of a run that goroutine g needs to
// come to the end of its own, with what the others do before they store
// anything else, and where they lead. It returns nil if they do not lead
// there.
func (x *search) minimize(steps []action, g int32) (all []action, s *state) {
	for len(steps) > 0 && steps[len(steps)-1].g != g {
		steps = steps[:len(steps)-1]
	}
	if len(steps) == 0 {
		return nil, nil // nobody has seen what it does first
	}
	keep := x.findNeeded(steps, g)
	last := none // where all else is done
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

// replayKept does the steps that are kept, and of the others those before
// their goroutines store anything. Before the step at position last all
// goroutines but g look at what they can.
func (x *search) replayKept(steps []action, keep []bool, last int, g int32) (all []action, s *state) {
	ends := x.firstStores(steps, keep)
	s = x.start()
	for k, t := range steps {
		if k == last {
			more, ok := x.letOthersLook(s, g)
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

// canFollow reports whether a goroutine comes to a step in s, and can do it;
// if that is a read, finding the same.
func (x *search) canFollow(s *state, t action) bool {
	n := &x.nodes[t.node]
	return !s.ended && s.next[t.g] == t.node && t.alternative < s.countAlternatives(t.g) && (!isLoad(n.kind) || s.content(n.obj) == t.found)
}

// followAction does a step and adds it to all. It reports whether the step
// finds in s what it says.
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

// letOthersLook lets all goroutines but g go on in s as long as they store
// nothing, and returns their steps. If ok is false, s is of no use.
func (x *search) letOthersLook(s *state, g int32) (all []action, ok bool) {
	for again := true; again; {
		again = false
		for h := range int32(len(s.next)) {
			for h != g {
				steps := x.lookingSteps(s, h)
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

// lookingSteps returns the step that a goroutine comes to in s if it stores
// nothing; of what it does while it holds a lock all, or nothing.
func (x *search) lookingSteps(s *state, g int32) (all []action) {
	held := 0
	for at := s.next[g]; at != none && len(all) < maxLooking; {
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

// findNeeded reports which of the steps of a run are of goroutine g, or such that
// these depend on. It is a slice of the run, from its end.
func (x *search) findNeeded(steps []action, g int32) []bool {
	keep := make([]bool, len(steps))
	for more := true; more; { // whether a release is needed is known by what comes before it
		more = false
		going := map[int32]bool{g: true} // goroutines with steps that are kept
		wanted := make(map[object]bool)  // what these depend on
		all := false                     // or nobody knows on what
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

// objectsOf returns what an operation is on.
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

// isDependedOn reports whether a step is needed by goroutines that have steps
// after it, or by what these depend on.
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

// isUnneededRelease reports whether a step is a release, and the acquisition
// of the same goroutine that it ends is not kept.
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

// addDependences notes what an operation depends on. What a store replaces
// nobody finds any more. It returns false if no run tells what it depends on,
// as on who closes a channel of package testing.
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

// firstStores returns by goroutine the position up to which its steps that
// are not kept store nothing. If it holds locks there, that is where it takes
// the first of them.
func (x *search) firstStores(steps []action, keep []bool) []int {
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
