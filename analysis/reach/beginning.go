package reach

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Beginning is that of a run to what no run has shown.
type Beginning struct {
	// Trace is what would be recorded of it, with the events after it that its goroutines
	// come to next.
	Trace *trace.Trace
	// At is the position of the last event that can wait for its turn; those before it come
	// first, in their order. After it the program goes on as it likes.
	At int
	// First is the goroutine that finds something new then, or is to go on.
	First trace.GID
	// Hold are the positions of what the other goroutines come to next, and wait at until
	// then.
	Hold []int
	// Runs are those that have shown what it does up to there first, in the order of
	// [Program.Add], from 0.
	Runs []int

	key   edgeKey
	leaf  bool   // nobody has seen what comes at the node of key
	stuck string // where goroutines are blocked then; "" if key is what it is for
}

// Stuck reports whether b leads to where goroutines block for ever.
func (b *Beginning) Stuck() bool { return b.stuck != "" }

// Shown reports whether some run has shown what b leads to.
func (p *Program) Shown(b *Beginning) bool {
	switch n := &p.nodes[b.key.node]; {
	case b.stuck != "":
		return p.deadlocks[b.stuck]
	case b.leaf:
		return n.kind != trace.None || n.exits
	}
	return p.edgeFor(b.key.node, b.key.found) != nil
}

// HasTried reports whether a run with that beginning has been made, and did not come there.
func (p *Program) HasTried(b *Beginning) bool { return b.stuck == "" && p.tried[b.key] }

// Tried notes that a run with that beginning has been made. If it has not come there, what
// the traces show of the program is not all.
func (p *Program) Tried(b *Beginning) {
	if p.Shown(b) {
		return
	}
	if b.stuck != "" {
		p.deadlocks[b.stuck] = true
	} else {
		p.tried[b.key] = true
	}
	p.doubt("some runs did not come where they should, by what was recorded")
}

// A discovery is what some goroutine has found at a place of the sources.
type discovery struct {
	site  trace.SiteID
	kind  trace.Kind
	found content
}

// Sort puts those beginnings first that lead to where goroutines block for ever or nobody has
// been, then those whose goroutine finds what none has found at that place yet, or has the least
// often. What nobody looks at, as it is only added to, comes last. Of those that are alike the
// last comes first: what the search has come to after more steps is further from what was run.
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
		case b.stuck != "":
			return -2
		case b.leaf:
			return -1
		case n.kind == trace.AtomicRMW && p.sites.Sites[n.site].Update:
			return len(p.nodes)
		}
		return often[discovery{n.site, n.kind, b.key.found}]
	}
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b *Beginning) int { return known(a) - known(b) })
}

// beginning makes the trace of a run that comes to s.
func (x *search) beginning(s *state, from int32, more []action, why func(*Beginning)) Beginning {
	steps := x.path(from, more)
	b := Beginning{At: none}
	if why(&b); b.stuck == "" {
		if least, end := x.minimized(steps, x.nodes[b.key.node].g); end != nil {
			steps, s = least, end
		}
	}
	t := &trace.Trace{Sites: x.sites.Sites, Names: []string{x.test}}
	for _, g := range x.goroutines {
		t.Goroutines = append(t.Goroutines, g.Goroutine)
	}
	b.Trace = t
	for _, step := range steps {
		x.show(t, step)
		if e := x.edgeFor(step.node, step.found); e != nil && !slices.Contains(b.Runs, e.firstRun) {
			b.Runs = append(b.Runs, e.firstRun)
		}
	}
	slices.Sort(b.Runs)
	for i, e := range slices.Backward(t.Events) {
		if canHold(e.Kind) {
			b.At = i
			break
		}
	}
	for g := range s.next {
		if b.At == none {
			continue
		}
		if at := x.holdAt(t, s, int32(g)); at != none && trace.GID(g) != t.Events[b.At].G {
			b.Hold = append(b.Hold, at)
		}
	}
	if b.stuck == "" {
		b.First = trace.GID(x.nodes[b.key.node].g)
	}
	return b
}

// show adds what would be recorded of a step.
func (p *Program) show(t *trace.Trace, step action) {
	e, n := p.event(step.node), &p.nodes[step.node]
	switch {
	case n.kind.Class() == trace.ClassChannel && n.kind.Completes():
		if step.found == panicked {
			break
		}
		e.Val = uint64(step.pending.element)
		if n.kind == trace.SelectDone {
			e.Val = uint64(step.pending.caseNumber)
			e.Flags |= trace.FlagAsked
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
		if k := slices.IndexFunc(tail, func(e trace.Event) bool { return e.Kind == trace.Panic }); k >= 0 && p.nodes[x.to].exits {
			tail = tail[:k] // the end of the program comes after the other steps
		}
		t.Events = append(t.Events, tail...)
	}
}

// event returns what would be recorded of a node.
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

// hold adds what a goroutine comes to next, up to where it can be held, and returns the
// position of that; none if it cannot, or there is nothing.
func (x *search) holdAt(t *trace.Trace, s *state, g int32) int {
	for at := s.next[g]; at != none && x.nodes[at].kind != trace.None; {
		if n := &x.nodes[at]; n.kind == trace.Acquire && s.queued[n.obj] == g+1 {
			return none // it has begun
		}
		e := x.event(at)
		if w := s.pending[g]; e.Kind == trace.SelectDone && w.done {
			e.Val = uint64(w.caseNumber)
			e.Flags |= trace.FlagAsked
		}
		t.Events = append(t.Events, e)
		if canHold(e.Kind) {
			return len(t.Events) - 1
		}
		found := s.pending[g].found
		if x.nodes[at].kind == trace.SelectDone {
			found = taken(s.pending[g].caseNumber)
		}
		known := x.edgeFor(at, found)
		if known == nil || !s.pending[g].done && len(x.nodes[at].edges) != 1 {
			return none
		}
		for _, tail := range known.invisible {
			if t.Events = append(t.Events, tail); canHold(tail.Kind) {
				return len(t.Events) - 1
			}
		}
		at = known.to
	}
	return none
}
