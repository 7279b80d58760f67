package merged

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/terms"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file adds recordings to a program, event by event.

// add adds a recording to the program.
func (p *Program) add(r *testPart, pieces map[uint64]bool) {
	a := recordingWalk{
		Program: p, testPart: r, partlyAccessed: pieces,
		lastNode: make(map[trace.GID]int32), leftOut: make(map[trace.GID]bool), nodeOf: make(map[int32]int32), lastWrite: make(map[uint64]int32), forks: make(map[trace.GID]int32),
	}
	for _, i := range r.events {
		a.event(i)
	}
}

// A recordingWalk is the state of adding one recording.
type recordingWalk struct {
	*Program
	*testPart
	partlyAccessed map[uint64]bool
	lastNode       map[trace.GID]int32 // the last node of each goroutine
	leftOut        map[trace.GID]bool  // the events that follow are not in the program
	nodeOf         map[int32]int32     // by position
	lastWrite      map[uint64]int32    // by address: the position of the last write
	forks          map[trace.GID]int32
}

// event adds the event at position i.
func (a *recordingWalk) event(i int32) {
	e := &a.t.Events[i]
	if a.leftOut[e.G] {
		a.noteLeftOut(i)
		return
	}
	prev, began := a.lastNode[e.G]
	if !began {
		prev = none
		if fork, ok := a.forks[e.G]; ok {
			prev = fork
		} else if a.t.Goroutines[e.G].Path != "0" {
			a.leftOut[e.G] = true
			a.noteLeftOut(i)
			return
		}
	}
	n, ok := a.newNode(i)
	if !ok {
		a.leftOut[e.G] = true
		a.noteLeftOut(i)
		return
	}
	n.prev = prev
	at := a.findOrAdd(n)
	a.lastNode[e.G], a.nodeOf[i] = at, at
	if e.Kind == trace.Fork {
		a.forks[trace.GID(e.Obj)] = at
	}
	if e.Stores() {
		a.lastWrite[n.Obj] = i
	}
}

// noteLost notes that the event at position i is not in the program: no read may find what it
// leaves.
func (a *recordingWalk) noteLeftOut(i int32) {
	if e := &a.t.Events[i]; e.Stores() {
		a.lastWrite[a.name(e)] = i
	}
}

// findOrAdd returns the node of the program that equals n, which it adds if there is none.
func (a *recordingWalk) findOrAdd(n node) int32 {
	siblings := a.roots
	if n.prev != none {
		siblings = a.nodes[n.prev].next
	}
	for _, s := range siblings {
		if a.nodes[s].equals(&n) {
			for _, w := range n.sources {
				if !slices.Contains(a.nodes[s].sources, w) {
					a.nodes[s].sources = append(a.nodes[s].sources, w)
				}
			}
			return s
		}
	}
	at := int32(len(a.nodes))
	a.nodes = append(a.nodes, n)
	if n.prev == none {
		a.roots = append(a.roots, at)
	} else {
		a.nodes[n.prev].next = append(a.nodes[n.prev].next, at)
	}
	return at
}

// equals reports whether two events with the same predecessors are the same: what they leave and
// decide follows from what is read, or is equal.
func (n *node) equals(o *node) bool {
	return n.Kind == o.Kind && n.G == o.G && n.Site == o.Site && n.Obj == o.Obj && n.Size == o.Size && n.Flags == o.Flags &&
		n.tracked == o.tracked && n.mayDiffer == o.mayDiffer &&
		(n.mayDiffer || n.Val == o.Val) &&
		(n.formula == nil) == (o.formula == nil) && (n.formula == nil || n.formula.String() == o.formula.String()) &&
		slices.Equal(n.reads, o.reads) &&
		(!n.bySource() || slices.Equal(n.sources, o.sources))
}

// bySource reports whether n has to find what the same write left as in the recording, as the value
// is not known.
func (n *node) bySource() bool {
	if n.Kind == trace.AtomicRMW && n.Flags&trace.FlagFailed == 0 {
		return n.formula == nil
	}
	return n.Kind.IsAccess() && !n.HasValue()
}

// newNode makes the node of the event at position i. It is not ok if the formula cannot express the
// event.
func (a *recordingWalk) newNode(i int32) (n node, ok bool) {
	e := &a.t.Events[i]
	n = node{Event: *e}
	n.G, n.Site = trace.GID(a.goroutine(e.G)), a.sites.Of(a.t, e.Site)
	if n.Obj = a.name(e); e.Kind == trace.Fork {
		if !a.isInTest[trace.GID(e.Obj)] {
			return n, false
		}
		n.Obj = uint64(a.goroutine(trace.GID(e.Obj)))
	}
	switch k := e.Kind; {
	case k.IsAccess():
		return n, a.access(i, e, &n)
	case k == trace.Branch || k == trace.Assert || k == trace.Operand:
		if k == trace.Operand && e.HasValue() {
			n.Val = a.value(e)
		}
		a.setFormula(i, &n, a.flow.InstanceAt(int(i)))
		return n, true
	case k == trace.TestBegin || k == trace.TestEnd:
		n.Obj = uint64(a.testName(a.t.TestNames[e.Obj]))
		return n, true
	case k == trace.Post:
		a.notePost(e)
	case k == trace.Await:
		return n, !a.awaitsOthers(i)
	case k.Class() == trace.ClassChannel:
		return n, k == trace.ChanMake
	case k.Class() == trace.ClassCond, k == trace.Panic, k == trace.Recover:
		return n, false
	}
	return n, true
}

// access completes the node of an access.
func (a *recordingWalk) access(i int32, e *trace.Event, n *node) bool {
	if a.partlyAccessed[n.Obj] {
		return false
	}
	n.Val = a.value(e)
	a.setFormula(i, n, a.flow.AddInstanceAt(int(i)))
	n.tracked = a.flow.IsTracked(int(i)) && e.HasValue()
	switch {
	case e.Kind != trace.AtomicRMW:
		n.mayDiffer = n.tracked || n.formula != nil
	case n.formula == nil || e.Flags&trace.FlagFailed != 0:
		n.tracked = false
	default:
		n.mayDiffer = n.tracked || a.t.Sites[e.Site].IsUpdate
	}
	if !e.Kind.IsRead() {
		if _, written := a.lastWrite[n.Obj]; !written {
			if v, ok := a.t.PriorValueAt(int(i)); ok {
				a.noteInitial(n.Obj, v)
			}
		}
		return true
	}
	source, written := a.lastWrite[n.Obj]
	switch found, known := a.valueFound(i); {
	case !written:
		n.sources = []int32{none}
		if known {
			a.noteInitial(n.Obj, found)
		}
	default:
		w, in := a.nodeOf[source]
		left := &a.t.Events[source]
		if !in || known && left.HasValue() && !left.ValueEquals(found) {
			return false // from an event that is not in the program, or not in the trace
		}
		n.sources = []int32{w}
	}
	return true
}

// noteInitial notes what was in memory before the test.
func (a *recordingWalk) noteInitial(name, v uint64) {
	if own, ok := a.naming.names[v]; ok {
		v = own
	}
	if was, ok := a.initial[name]; ok && was.val != v {
		a.initial[name] = memoryContent{}
	} else if !ok {
		a.initial[name] = memoryContent{v, true}
	}
}

// setFormula notes what an event follows from, if it has a linear formula.
func (a *recordingWalk) setFormula(i int32, n *node, in *dataflow.Instance) {
	if in == nil || !terms.Linear(in.Formula) || n.Kind == trace.AtomicRMW && !in.Formula.HasBefore() {
		return
	}
	var reads []int32
	for _, r := range in.Reads {
		at := int32(none)
		if r >= 0 {
			var ok bool
			if at, ok = a.nodeOf[r]; !ok {
				return
			}
		}
		reads = append(reads, at)
	}
	n.formula, n.reads = in.Formula, reads
	in.Formula.Eval(0, func(k int, r dataflow.Reading) int64 {
		if reads[k] != none && !r.Signed && a.nodes[reads[k]].Kind.IsAccess() {
			a.unsigned[a.nodes[reads[k]].Obj] = true
		}
		return 0
	})
}

func (a *recordingWalk) goroutine(g trace.GID) int {
	its := a.t.Goroutines[g]
	n, ok := a.number[its.Path]
	if !ok {
		parent := -1
		if a.isInTest[its.Parent] && its.Parent != g {
			parent = a.goroutine(its.Parent)
		}
		n = len(a.goroutines)
		a.number[its.Path] = n
		its.ID, its.Parent = trace.GID(n), trace.GID(n)
		if parent >= 0 {
			its.Parent = trace.GID(parent)
		}
		its.Site = a.sites.Of(a.t, its.Site)
		a.goroutines = append(a.goroutines, its)
	}
	return n
}

func (a *recordingWalk) testName(name string) int {
	k := slices.Index(a.tests, name)
	if k < 0 {
		k = len(a.tests)
		a.tests = append(a.tests, name)
	}
	return k
}
