package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Beginning is an order of events that leads to something that no run has
// shown. A run that begins with it goes on freely afterwards.
type Beginning struct {
	// Trace has the events of the beginning, and after them the next event of
	// each other goroutine.
	Trace *trace.Trace
	// LastStep is the position of the last event that can wait for its turn; those
	// before it come first, in their order. After it the program goes on as
	// it likes.
	LastStep int
	// NextGoroutine is the goroutine that finds something new then, or is to go on.
	NextGoroutine trace.GID
	// HeldEvents are the positions of what the other goroutines come to next. They
	// wait there until then.
	HeldEvents []int
	// SourceRuns are those that have shown first what the beginning does, in the
	// order of [Program.Add], from 0.
	SourceRuns []int

	// The unknown edge that it leads to: an operation and what it finds.
	key edgeKey
	// No run has shown the operation of the node of key.
	leaf bool
	// Where goroutines are blocked then; "" if key is what it is for.
	deadlock string
}

// IsDeadlock reports whether b leads to where goroutines block for ever.
func (b *Beginning) IsDeadlock() bool { return b.deadlock != "" }

// HasShown reports whether some run has shown what b leads to. A run that was
// made for another beginning may have.
func (p *Program) HasShown(b *Beginning) bool {
	switch n := &p.nodes[b.key.node]; {
	case b.deadlock != "":
		return p.deadlocks[b.deadlock]
	case b.leaf:
		return n.kind != trace.None || n.endsProgram
	}
	return p.edgeFor(b.key.node, b.key.found) != nil
}

// HasTried reports whether a run with that beginning was made, and did not
// get to where it leads.
func (p *Program) HasTried(b *Beginning) bool { return b.deadlock == "" && p.triedEdges[b.key] }

// NoteTried notes that a run with that beginning was made. If it has not come to
// where it leads, the traces do not show all of the program.
func (p *Program) NoteTried(b *Beginning) {
	if p.HasShown(b) {
		return
	}
	if b.deadlock != "" {
		p.deadlocks[b.deadlock] = true
	} else {
		p.triedEdges[b.key] = true
	}
	p.addDoubt("some runs did not come where they should, by what was recorded")
}

// A discovery is what a kind of operation found at a site. The fewer edges
// have it, the newer it is.
type discovery struct {
	// Where.
	site trace.SiteID
	// By which operation.
	kind trace.Kind
	// What was found.
	found content
}

// Sort sorts beginnings by what they may discover. First come those that lead
// to a deadlock, then those that lead to an operation that no run has reached.
// Then come those whose goroutine finds what was found least often at that
// site. Counters, whose values are only added to, come last.
//
// Of equal beginnings the last one comes first: what the search found after
// more steps differs more from the runs so far.
func (p *Program) Sort(all []*Beginning) {
	often := make(map[discovery]int)
	for k := range p.nodes {
		n := &p.nodes[k]
		for _, e := range n.edges {
			often[discovery{n.site, n.kind, e.found}]++
		}
	}
	known := func(b *Beginning) int {
		n := &p.nodes[b.key.node]
		switch {
		case b.deadlock != "":
			return -2
		case b.leaf:
			return -1
		case n.kind == trace.AtomicRMW && p.sites.Sites[n.site].IsUpdate:
			return len(p.nodes)
		}
		return often[discovery{n.site, n.kind, b.key.found}]
	}
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b *Beginning) int { return known(a) - known(b) })
}

// beginning returns the beginning of a run to state s. Its steps are those to
// the reached state from, and then some more. The function why sets what it
// leads to.
func (x *search) beginning(s *state, from int32, more []action, why func(*Beginning)) Beginning {
	// The search executes independent operations early. The minimized steps have
	// only those that the goal needs, unless it is a deadlock of all goroutines.
	steps := x.path(from, more)
	b := Beginning{LastStep: none}
	if why(&b); b.deadlock == "" {
		if least, end := x.minimize(steps, x.nodes[b.key.node].g); end != nil {
			steps, s = least, end
		}
	}
	t := &trace.Trace{Sites: x.sites.Sites, TestNames: []string{x.test}}
	for _, g := range x.goroutines {
		t.Goroutines = append(t.Goroutines, g.Goroutine)
	}
	b.Trace = t
	for _, step := range steps {
		x.appendStep(t, step)
		if e := x.edgeFor(step.node, step.found); e != nil && !slices.Contains(b.SourceRuns, e.firstRun) {
			b.SourceRuns = append(b.SourceRuns, e.firstRun)
		}
	}
	slices.Sort(b.SourceRuns)
	// Events after the last one that can be held follow from it: the replay cannot
	// delay them.
	for i, e := range slices.Backward(t.Events) {
		if replayCanHold(e.Kind) {
			b.LastStep = i
			break
		}
	}
	for g := range s.next {
		if b.LastStep == none {
			continue
		}
		if at := x.holdAt(t, s, int32(g)); at != none && trace.GID(g) != t.Events[b.LastStep].G {
			b.HeldEvents = append(b.HeldEvents, at)
		}
	}
	if b.deadlock == "" {
		b.NextGoroutine = trace.GID(x.nodes[b.key.node].g)
	}
	return b
}

// appendStep appends the events of a step to a trace.
func (p *Program) appendStep(t *trace.Trace, step action) {
	e, n := p.event(step.node), &p.nodes[step.node]
	switch {
	case n.kind.Class() == trace.ClassChannel && n.kind.Completes():
		if step.found == panicked {
			break
		}
		e.Val = uint64(step.pending.element)
		if n.kind == trace.SelectDone {
			e.Val = uint64(step.pending.caseNumber)
			e.Flags |= trace.FlagRequested
		}
		t.Events = append(t.Events, e)
	case n.kind == trace.OnceBegin:
		if e.Kind = trace.OnceBegin; step.found != runsFunction {
			e.Kind = trace.OnceDone
		}
		t.Events = append(t.Events, e)
	default:
		if !step.queued { // else it has come to that before
			t.Events = append(t.Events, e)
		}
	}
	if x := p.edgeFor(step.node, step.found); x != nil {
		tail := x.invisible
		if k := slices.IndexFunc(tail, func(e trace.Event) bool { return e.Kind == trace.Panic }); k >= 0 && p.nodes[x.to].endsProgram {
			tail = tail[:k] // the end of the program comes after the other steps
		}
		t.Events = append(t.Events, tail...)
	}
}

// event returns the event of a node's operation.
func (p *Program) event(at int32) trace.Event {
	n := &p.nodes[at]
	e := n.event
	switch {
	case n.isSelect():
	case n.kind.Class() == trace.ClassChannel, n.kind == trace.Fork:
		if e.Obj = uint64(n.obj); n.kind != trace.Fork {
			e.Obj++ // 0 is the nil channel
		}
	case n.kind == trace.CondWake:
		e.Obj = p.objects[ofCond][n.obj]
	case n.kind.Class() == trace.ClassTest:
		e.Obj = 0
	}
	return e
}

// holdAt appends the next events of a goroutine to a trace, up to the first one
// at which a replay can hold it, and returns the position of that event. It
// returns none if there is no such event.
func (x *search) holdAt(t *trace.Trace, s *state, g int32) int {
	for at := s.next[g]; at != none && x.nodes[at].kind != trace.None; {
		if n := &x.nodes[at]; n.kind == trace.Acquire && s.queued[n.obj] == g+1 {
			return none // it has begun
		}
		e := x.event(at)
		if w := s.pending[g]; e.Kind == trace.SelectDone && w.done {
			e.Val = uint64(w.caseNumber)
			e.Flags |= trace.FlagRequested
		}
		t.Events = append(t.Events, e)
		if replayCanHold(e.Kind) {
			return len(t.Events) - 1
		}
		found := s.pending[g].found
		if x.nodes[at].kind == trace.SelectDone {
			found = caseContent(s.pending[g].caseNumber)
		}
		known := x.edgeFor(at, found)
		if known == nil || !s.pending[g].done && len(x.nodes[at].edges) != 1 {
			return none
		}
		for _, tail := range known.invisible {
			if t.Events = append(t.Events, tail); replayCanHold(tail.Kind) {
				return len(t.Events) - 1
			}
		}
		at = known.to
	}
	return none
}
