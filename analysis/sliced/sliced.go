// Package sliced computes sliced causality (Chen and Roşu, Predictive Runtime Analysis of
// Multithreaded Programs, 2005, §2 and §3): the order that some events of a trace need to happen
// as they did. Happens-before keeps the order of all conflicting accesses. A slice keeps only
// the order of those on which these events depend.
//
// It takes a trace with its order, and returns orders of its events. They are used to measure the
// paper's detector of races (§4.2) and to compare it with the command's. Violations of properties
// are searched by package detect, with slices of package schedule.
package sliced

import (
	"cmp"
	"math"
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A Slicer makes slices of one trace.
type Slicer struct {
	t            *trace.Trace
	o            *order.Order
	flow         *dataflow.Flow
	mustEdges    []order.Edge // those of the must-order
	scopeEnds    []int32      // by event: the first event of its goroutine after its innermost control scope
	placeOf      []place      // by access
	lastOwnWrite []int32      // by read of memory that only its goroutine accesses: the last write of the same size there, -1 for none
	deciders     [][]int32    // by goroutine: the events on which its control flow may depend
	locks        []lock
}

// A place is the index of a group of locations, -1 for none, and the index of an access in it.
type place struct{ group, event int32 }

// A lock has the critical sections of one lock, by goroutine, ascending.
type lock map[trace.GID][]order.Section

// New prepares slices of t, whose order is o.
func New(t *trace.Trace, o *order.Order) *Slicer {
	n := len(t.Events)
	s := &Slicer{
		t: t, o: o, flow: dataflow.New(t), scopeEnds: make([]int32, n),
		placeOf: make([]place, n), lastOwnWrite: make([]int32, n), deciders: make([][]int32, len(t.Goroutines)),
	}
	scopes := dataflow.NewScopes(t, s.flow)
	for g := range t.Goroutines {
		before := int(o.Facts().Fork(trace.GID(g)))
		var open []int32 // ends of scopes
		for i := range o.Events(trace.GID(g)).All {
			if o.Program().Index(i) == 0 && before >= 0 {
				s.mustEdges = append(s.mustEdges, order.Edge{From: int32(before), To: int32(i)})
			}
			for _, last := range latestAncestors(o, trace.GID(g), i, before) {
				s.mustEdges = append(s.mustEdges, order.Edge{From: last, To: int32(i)})
			}
			before = i
			open = slices.DeleteFunc(open, func(end int32) bool { return int(end) <= i })
			if end, ok := scopes.ScopeEnd(i); ok && t.Sites[t.Events[i].Site].Scope.MayFlip(&t.Events[i]) {
				open = append(open, int32(end))
			}
			s.scopeEnds[i] = math.MaxInt32
			if len(open) > 0 {
				s.scopeEnds[i] = slices.Min(open)
			}
			if s.decides(int32(i)) {
				s.deciders[g] = append(s.deciders[g], int32(i))
			}
		}
	}
	for i := range s.placeOf {
		s.placeOf[i].group = -1
	}
	for k, g := range o.Groups() {
		for n, i := range g.Events {
			s.placeOf[i] = place{int32(k), int32(n)}
		}
	}
	type extent struct {
		obj  uint64
		size uint32
	}
	last := make(map[extent]int32)
	for i := range t.Events {
		e := &t.Events[i]
		if !e.Kind.IsAccess() || s.placeOf[i].group >= 0 {
			continue
		}
		x := extent{e.Obj, e.Size}
		s.lastOwnWrite[i] = -1
		if w, ok := last[x]; ok {
			s.lastOwnWrite[i] = w
		}
		if e.Stores() {
			last[x] = int32(i)
		}
	}
	of := make(map[uint64]lock)
	for _, in := range o.Sections() {
		if of[in.Obj] == nil {
			of[in.Obj] = make(lock)
			s.locks = append(s.locks, of[in.Obj])
		}
		g := t.Events[in.Acq].G
		of[in.Obj][g] = append(of[in.Obj][g], in)
	}
	return s
}

// latestAncestors returns the events of other goroutines that must come before event i of goroutine
// g, and not before event j. It leaves out events that must come before one of the latest few of
// them: a goroutine that waits for thousands has as many.
func latestAncestors(o *order.Order, g trace.GID, i, j int) (all []int32) {
	const few = 8
	var ancestors []int32
	for h, last := range o.AncestorsBeyond(i, j) {
		if h != g {
			ancestors = append(ancestors, int32(last))
		}
	}
	slices.Sort(ancestors)
	for _, a := range slices.Backward(ancestors) {
		if !slices.ContainsFunc(all[:min(len(all), few)], func(b int32) bool { return o.Before(int(a), int(b)) }) {
			all = append(all, a)
		}
	}
	return all
}

// decides reports whether the control flow of its goroutine may depend on event i: a decision,
// or a read whose value may flow into one.
func (s *Slicer) decides(i int32) bool {
	e := &s.t.Events[i]
	site := s.t.Sites[e.Site]
	return isDecision(e.Kind) || e.Flags&trace.FlagBranchOmitted != 0 || e.Kind.IsRead() && !s.flow.IsTracked(int(i)) && !site.OnlyStored && !site.IsUpdate
}

func isDecision(k trace.Kind) bool {
	return k == trace.Branch || k == trace.Assert || k == trace.Panic
}

// A Slice is the order of some events and of those on which they depend (Definition 14).
type Slice struct {
	Events int // the number of these events
	*order.Must
}

// HappensBefore returns the slice of all events: conflicting accesses keep their order, and so
// do critical sections.
func (s *Slicer) HappensBefore() Slice {
	k := s.newBuilder()
	for i := range s.t.Events {
		k.inSlice[i], k.valueKept[i] = true, true
	}
	edges := append(slices.Clone(s.mustEdges), k.conflictEdges()...)
	for _, l := range s.locks {
		for g, sections := range l {
			for h, others := range l {
				if g != h {
					for _, b := range sections {
						edges = lastEdgeBefore(edges, others, b, func(a order.Section) bool { return true })
					}
				}
			}
		}
	}
	return Slice{len(s.t.Events), s.mustOrder(edges)}
}

// SliceOf returns the slice of the relevant events, which must happen, with any values. Critical
// sections may swap if no event of one depends on the other (§3.2).
func (s *Slicer) SliceOf(relevant []int32) Slice {
	k := s.newBuilder()
	for _, i := range slices.Backward(relevant) {
		k.keep(i, false)
	}
	k.close()
	kept := 0
	for _, is := range k.inSlice {
		if is {
			kept++
		}
	}
	edges := append(slices.Clone(s.mustEdges), k.conflictEdges()...)
	for {
		m := s.mustOrder(edges)
		more := k.sectionEdges(m)
		if len(more) == 0 {
			return Slice{kept, m}
		}
		edges = append(edges, more...)
	}
}

func (s *Slicer) mustOrder(edges []order.Edge) *order.Must {
	slices.SortFunc(edges, func(a, b order.Edge) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) })
	return s.o.Must(slices.Values(slices.Compact(edges)))
}

// lastEdgeBefore adds the edge to section b from the last of another goroutine's sections that
// excludes b. It considers the sections that end before b and that are known to come before it.
func lastEdgeBefore(edges []order.Edge, sections []order.Section, b order.Section, known func(order.Section) bool) []order.Edge {
	n, _ := slices.BinarySearchFunc(sections, true, func(a order.Section, _ bool) int {
		if a.Rel >= 0 && a.Rel < b.Acq && known(a) {
			return -1
		}
		return 1
	})
	for _, a := range slices.Backward(sections[:n]) {
		if a.Excludes(b.Lock) {
			return append(edges, order.Edge{From: int32(a.Rel), To: int32(b.Acq)})
		}
	}
	return edges
}

// A sliceBuilder collects the events of a slice.
type sliceBuilder struct {
	*Slicer
	inSlice              []bool // by event: it must happen
	valueKept            []bool // by event: it must read or write the recorded value
	worklist             []task
	keptReadsUpTo        []int32         // by goroutine: how many of its events have brought what they read to others
	keptTrackedReadsUpTo []int32         // the same of those whose values formulas follow, too
	lastRead             map[int32]int32 // by group: the last read that must find what it did, by its index in the group
	knownEdges           map[order.Edge]bool
}

// A task is an event that was just added to the slice, or whose value was.
type task struct {
	i             int32
	exists, value bool
}

func (s *Slicer) newBuilder() *sliceBuilder {
	n := len(s.t.Events)
	return &sliceBuilder{
		Slicer: s, inSlice: make([]bool, n), valueKept: make([]bool, n), keptReadsUpTo: make([]int32, len(s.t.Goroutines)),
		keptTrackedReadsUpTo: make([]int32, len(s.t.Goroutines)), lastRead: make(map[int32]int32), knownEdges: make(map[order.Edge]bool),
	}
}

// keep adds event i to the slice, and perhaps its value.
func (k *sliceBuilder) keep(i int32, value bool) {
	t := task{i, !k.inSlice[i], value && !k.valueKept[i]}
	if t.exists || t.value {
		k.inSlice[i], k.valueKept[i] = true, k.valueKept[i] || value
		k.worklist = append(k.worklist, t)
	}
}

// close adds all events on which the slice depends.
func (k *sliceBuilder) close() {
	for len(k.worklist) > 0 {
		t := k.worklist[len(k.worklist)-1]
		k.worklist = k.worklist[:len(k.worklist)-1]
		if t.exists {
			k.keepDeciders(t.i)
		}
		if t.value {
			k.keepOrigins(t.i)
		}
	}
}

// keepDeciders keeps the events that decide that event i happens (Definition 10): the deciders
// before it, except those in control scopes that end before it.
func (k *sliceBuilder) keepDeciders(i int32) {
	deciders := k.deciders[k.t.Events[i].G]
	n, _ := slices.BinarySearch(deciders, i)
	for _, d := range slices.Backward(deciders[:n]) {
		if k.inSlice[d] && k.valueKept[d] { // those before it are kept for it
			return
		}
		if k.scopeEnds[d] > i {
			k.keep(d, true)
		}
	}
}

// keepOrigins keeps the events from which the value of event i follows (Definition 11).
func (k *sliceBuilder) keepOrigins(i int32) {
	e := &k.t.Events[i]
	derived := k.keepOperands(i)
	if isDecision(e.Kind) || e.Stores() && !derived {
		k.keepReadsBefore(i, k.keptReadsUpTo, false)
	}
	switch at := k.placeOf[i]; {
	case !e.Kind.IsRead():
	case at.group >= 0:
		k.keepWrites(at)
	case k.lastOwnWrite[i] >= 0:
		k.keep(k.lastOwnWrite[i], true)
	default:
		k.keepReadsBefore(i, k.keptTrackedReadsUpTo, true)
	}
}

// keepOperands keeps the reads from which the value of event i is computed, if they are known.
func (k *sliceBuilder) keepOperands(i int32) bool {
	in := k.flow.InstanceAt(int(i))
	if in == nil {
		return false
	}
	for _, r := range in.Reads {
		if r >= 0 {
			k.keep(r, true)
		}
	}
	return true
}

// keepReadsBefore keeps the reads of its goroutine before event i: local variables, and memory of
// its own, may have carried their values. It leaves out tracked reads unless tracked is set. done
// has by goroutine the number of events that were handled before.
func (k *sliceBuilder) keepReadsBefore(i int32, done []int32, tracked bool) {
	g := k.t.Events[i].G
	whole := int32(k.o.Program().Index(int(i)))
	for n, r := whole-1, i; n >= done[g]; n-- {
		r = int32(k.o.Program().Prev(int(r)))
		switch {
		case !k.t.Events[r].Kind.IsRead() || k.flow.IsTracked(int(r)) && !tracked:
		case k.scopeEnds[r] > i:
			k.keep(r, true)
		default:
			whole = n // another event of that scope may ask for it
		}
	}
	done[g] = max(done[g], whole)
}

// keepWrites keeps the writes before a read whose value is kept: the last write with its value,
// and the others so that they stay before the read.
func (k *sliceBuilder) keepWrites(at place) {
	g := &k.o.Groups()[at.group]
	own := g.LocationOf[at.event]
	for n := at.event - 1; n >= 0; n-- {
		if w := g.Events[n]; k.t.Events[w].Stores() && g.Overlaps.Share(own, g.LocationOf[n]) {
			k.keep(w, true)
			if g.LocationOf[n] == own {
				break
			}
		}
	}
	first := int32(0)
	if last, ok := k.lastRead[at.group]; ok {
		first = last + 1
	}
	if at.event < first {
		return
	}
	k.lastRead[at.group] = at.event
	for _, w := range g.Events[first:at.event] {
		if k.t.Events[w].Stores() {
			k.keep(w, false)
		}
	}
}

// conflictEdges returns the edges between accesses that keep their order: between reads whose
// value is kept and the writes to their memory, and between these writes.
func (k *sliceBuilder) conflictEdges() (edges []order.Edge) {
	groups := k.o.Groups()
	for n := range groups {
		g := &groups[n]
		needed := make([]bool, len(g.Locations))
		for m, i := range g.Events {
			if k.valueKept[i] && k.t.Events[i].Kind.IsRead() {
				for l := range g.Overlaps.Of(g.LocationOf[m]) {
					needed[l] = true
				}
			}
		}
		if slices.Contains(needed, true) {
			edges = k.conflictEdgesIn(edges, g, needed)
		}
	}
	return edges
}

func (k *sliceBuilder) conflictEdgesIn(edges []order.Edge, g *order.Group, needed []bool) []order.Edge {
	wrote := make([]int32, len(g.Locations)) // the last write, -1 for none
	for l := range wrote {
		wrote[l] = -1
	}
	found := make([][]int32, len(g.Locations)) // by whom since
	add := func(from, to int32) {
		if from >= 0 && k.t.Events[from].G != k.t.Events[to].G {
			edges = append(edges, order.Edge{From: from, To: to})
		}
	}
	for n, i := range g.Events {
		e, at := &k.t.Events[i], g.LocationOf[n]
		read, write := e.Kind.IsRead() && k.valueKept[i], e.Stores() && needed[at]
		if !read && !write {
			continue
		}
		for l := range g.Overlaps.Of(at) {
			add(wrote[l], i)
			if write {
				for _, r := range found[l] {
					add(r, i)
				}
			}
		}
		if write {
			wrote[at], found[at] = i, nil
		}
		if read {
			found[at] = append(found[at], i)
		}
	}
	return edges
}

// sectionEdges returns the edges between critical sections of one lock that m lacks: if an event
// of one comes before an event of another, all of it does.
func (k *sliceBuilder) sectionEdges(m *order.Must) (edges []order.Edge) {
	for _, l := range k.locks {
		for g, sections := range l {
			for _, b := range sections {
				if k.leavesOut(b) {
					continue
				}
				end := b.Rel
				if end < 0 || k.t.Events[end].G != g {
					end = k.o.Events(g).Last()
				}
				for h, others := range l {
					if g != h {
						edges = lastEdgeBefore(edges, others, b, func(a order.Section) bool { return m.BeforeReached(a.Acq, end) })
					}
				}
			}
		}
	}
	return slices.DeleteFunc(edges, func(e order.Edge) bool {
		known := k.knownEdges[e]
		k.knownEdges[e] = true
		return known
	})
}

// leavesOut reports whether the slice leaves out a critical section: the section is in a control
// scope of which no event is in the slice.
func (k *sliceBuilder) leavesOut(b order.Section) bool {
	end := k.scopeEnds[b.Acq]
	if end == math.MaxInt32 {
		return false
	}
	for i := b.Acq; i >= 0 && i < int(end); i = k.o.Program().Next(i) {
		if k.inSlice[i] {
			return false
		}
	}
	return true
}
