package reach

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Result is the result of a search.
type Result struct {
	// Next are beginnings of runs that lead to something that no run has
	// shown, the shortest ones first, and one for each goal.
	Next []Beginning
	// Behaviours is the number of different ends of runs that the search has
	// reached or runs have shown.
	Behaviours int
	// Doubts says why there may be more than what was found. If it is empty
	// there is not.
	Doubts []string
	// Cost is what the search has cost: a small state, new or not, costs one.
	Cost int
}

// Complete reports whether the runs have shown every state that goroutines can
// reach.
func (r *Result) Complete() bool { return len(r.Next) == 0 && len(r.Doubts) == 0 }

// An action is one step of a run that the search has found: a goroutine
// executes the operation of one node.
type action struct {
	// The goroutine, and the node that it was at.
	g, node int32
	// Which of its alternatives it has taken.
	alternative int
	// What it has found.
	found content
	// The state of the goroutine's pending operation before the step.
	pending pendingOp
	// The goroutine is a writer that has waited for readers before the step.
	queued bool
}

// A reachedState is a state that the search has reached by steps from an
// earlier one.
type reachedState struct {
	// The earlier state, an index into search.reached; none for the initial
	// state.
	from int32
	// The steps from the earlier state.
	steps []action
}

// A search looks at the states that a program can reach, breadth first.
type search struct {
	*Program
	// What may come after each node.
	futures *futures
	// The states that were reached.
	reached []reachedState
	// The hashes of these.
	seenHashes map[uint64]bool
	// The hashes of the ends of runs that were found, or that runs have
	// shown.
	endsSeen map[uint64]bool
	// The edges that the search has found and no run has shown.
	edgesFound map[edgeKey]bool
	// The deadlocks that the search has found and no run has shown.
	deadlocksFound map[string]bool
	// The result, as far as the search has got.
	result Result
}

// Search executes the program in all orders that matter, but reaches no more
// than limit states, and fewer if these are large. It expands equal states once.
//
// It expands states in which a writer waits for the readers of a lock last. So
// a beginning has such a writer only if its goal needs one: a run with that
// beginning may find the lock taken where it should go on.
func (p *Program) Search(limit int) Result {
	x := &search{
		Program: p, seenHashes: make(map[uint64]bool), endsSeen: make(map[uint64]bool), edgesFound: make(map[edgeKey]bool), deadlocksFound: make(map[string]bool),
	}
	x.result.Doubts = slices.Clone(p.doubts)
	x.futures = lookAhead(p)
	// The queue makes the search breadth first, so that beginnings are short.
	type entry struct {
		s  *state
		at int32
	}
	var queue, late []entry // late has the states with waiting writers
	come := func(s *state, from int32, steps []action) {
		steps, ok := x.runIndependent(s, from, steps)
		x.result.Cost += 1 + (len(s.memory)+len(steps))/smallState
		if sum := s.hash(x.futures.mayBeRead); ok && !x.seenHashes[sum] {
			x.seenHashes[sum] = true
			x.reached = append(x.reached, reachedState{from, steps})
			next := entry{s, int32(len(x.reached) - 1)}
			if s.isQueued() {
				late = append(late, next)
			} else {
				queue = append(queue, next)
			}
		}
	}
	for come(p.start(), none, nil); len(queue)+len(late) > 0; queue = queue[1:] {
		if len(queue) == 0 {
			queue, late = late[:1:1], late[1:]
		}
		if len(x.seenHashes) > limit || x.result.Cost > maxCostPerState*limit {
			x.result.Doubts = append(x.result.Doubts, fmt.Sprintf("there are more than %d states to look at, or large ones", limit))
			break
		}
		s, at := queue[0].s, queue[0].at
		moved := false
		for g := range s.next {
			for way := range s.countAlternatives(int32(g)) {
				moved = true
				c := s.clone()
				if steps, ok := x.step(c, int32(g), way, at, nil); ok {
					come(c, at, steps)
				}
			}
		}
		if !moved {
			x.end(s, at)
		}
		queue[0].s = nil
	}
	// The search may be incomplete, and may not reach ends that runs have shown.
	for end := range x.endHashes {
		x.endsSeen[end] = true
	}
	x.result.Behaviours = len(x.endsSeen)
	return x.result
}

// step executes the next operation of a goroutine and adds it to steps, which
// lead to s from a reached state. ok is false if no run has shown what follows;
// then the result gets a beginning for it.
func (x *search) step(s *state, g int32, way int, from int32, steps []action) (all []action, ok bool) {
	at := s.next[g]
	if x.nodes[at].endsProgram {
		s.endProgram(g)
		return steps, true
	}
	t := action{g: g, node: at, alternative: way, pending: s.pending[g]}
	if n := &x.nodes[at]; n.kind == trace.Acquire {
		t.queued = s.queued[n.obj] == g+1
	}
	t.found = s.execute(g, way)
	steps = append(steps, t)
	if t.found == writerWaits { // it still waits
		return steps, true
	}
	e := x.edgeFor(at, t.found)
	if e == nil {
		x.addBeginning(s, edgeKey{at, t.found}, from, steps)
		return steps, false
	}
	s.advance(g, e)
	// A close makes waiting senders panic. That is one step with the close: the runtime
	// ends the program before other goroutines get on.
	for h, w := range s.pending {
		if w.done && w.found == panicked && !s.ended {
			return x.step(s, int32(h), 0, from, steps)
		}
	}
	return steps, true
}

// runIndependent executes all local and independent operations. ok is false if
// that leads to a leaf, where a run has to show what follows. The other
// goroutines have executed all such operations then, so that none of them
// holds a lock that the goroutine may need.
func (x *search) runIndependent(s *state, from int32, steps []action) (all []action, ok bool) {
	for again := true; again && !s.ended; {
		again = false
		for g := range s.next {
			for s.next[g] != none && !s.ended {
				at := s.next[g]
				if s.countAlternatives(int32(g)) != 1 || s.onlyQueues(int32(g)) || !x.futures.local[at] && !x.futures.independent(s, int32(g)) {
					break
				}
				if steps, again = x.step(s, int32(g), 0, from, steps); !again {
					return steps, false
				}
			}
		}
	}
	for g := range s.next {
		if x.needsRun(s, int32(g)) {
			x.addBeginning(s, edgeKey{s.next[g], nothing}, from, steps)
			return steps, false
		}
	}
	return steps, true
}

// needsRun reports whether a goroutine is at a leaf whose operation a run can
// show.
func (x *search) needsRun(s *state, g int32) bool {
	at := s.next[g]
	if at == none || s.ended {
		return false
	}
	n := &x.nodes[at]
	return n.kind == trace.None && !n.endsProgram && !n.goroutineEnded && !x.triedEdges[edgeKey{at, nothing}]
}

// addBeginning adds a beginning to the result for an edge that no run has
// shown, once for each edge.
func (x *search) addBeginning(s *state, key edgeKey, from int32, steps []action) {
	if x.edgesFound[key] {
		return
	}
	x.edgesFound[key] = true
	if x.triedEdges[key] {
		return
	}
	x.result.Next = append(x.result.Next, x.beginning(s, from, steps, func(b *Beginning) { b.key, b.leaf = key, x.nodes[key.node].kind == trace.None }))
}

// end records a state in which no goroutine can execute anything.
func (x *search) end(s *state, at int32) {
	x.endsSeen[s.endHash()] = true
	stuck := s.describeStuck()
	if stuck == "" || x.deadlocksFound[stuck] || x.deadlocks[stuck] {
		return
	}
	x.deadlocksFound[stuck] = true
	x.result.Next = append(x.result.Next, x.beginning(s, at, nil, func(b *Beginning) { b.deadlock = stuck }))
}

// overlapGroups returns by extent the first of the extents that overlap with it, directly or by others.
func (p *Program) overlapGroups() []int32 {
	group := make([]int32, len(p.extents))
	for k := range group {
		group[k] = int32(k)
	}
	find := func(k int32) int32 {
		for group[k] != k {
			k = group[k]
		}
		return k
	}
	for k, others := range p.overlaps {
		for _, o := range others {
			a, b := find(int32(k)), find(o)
			group[max(a, b)] = min(a, b)
		}
	}
	for k := range group {
		group[k] = find(int32(k))
	}
	return group
}

// mayExit reports whether the program can end with an operation, by a panic.
// Such an operation is never independent, as the others cannot execute
// anything after it.
func (p *Program) mayExit(n *node) bool {
	return slices.ContainsFunc(n.edges, func(e edge) bool {
		next := &p.nodes[e.to]
		sends := next.kind == trace.SendDone || next.kind == trace.SelectDone // or a select does
		return e.found == panicked && next.endsProgram || sends && n.kind != next.kind && p.mayExit(next)
	})
}

// path returns the steps of a run to a reached state, followed by more.
func (x *search) path(at int32, more []action) []action {
	var parts [][]action
	for ; at != none; at = x.reached[at].from {
		parts = append(parts, x.reached[at].steps)
	}
	// Each reached state has only its own steps, as most states are never the goal
	// of a beginning.
	slices.Reverse(parts)
	return append(slices.Concat(parts...), more...)
}
