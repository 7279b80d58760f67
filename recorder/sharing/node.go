package sharing

import (
	"go/types"
	"slices"
)

// A node stands for a set of variables, in the sense of the language: pieces of
// memory, or registers, which differ from memory in that they have no address.
// Which variables a pointer may point to is found by unification (Steensgaard,
// POPL 1996): where a pointer may have two targets, these become one node. Of
//
//	p := &pair{left: new(int)}
//
// there are three: the register p, which leads to the struct, whose part 0 leads to the int.
type node struct {
	// representative is another node that stands for this one, nil if none does. Only a node without
	// a representative has fields below that count.
	representative *node
	pointsTo       *node         // what a pointer, slice, map or channel stored here leads to; nil: not asked yet
	parts          map[int]*node // fields by number, and element to message; made as they are asked for

	// Who makes the variables decides whether all calls can be told apart: if one function
	// does, what it does with them before it publishes them is its own.
	owner      *function // the one function that makes the variables; nil if none or several do
	ownerCount int       // how many functions make the variables: 0, 1, or 2 for several
	copies     []*node   // of results of a function at its calls

	// The results of findNeedsEvents. needsEvents is the answer for package rewrite.
	shared, racilyShared bool           // other goroutines may know it; by a publication that orders nothing
	publications         []*publication // the publications that order earlier writes before the accesses of others
	writes               []*write       // with events
	hasOriginalWrites    bool           // the function that made the original writes
	needsEvents          bool
	dependsOnOthers      bool // what is stored here values that may depend on other goroutines
	lastWalk             int  // the walk that was here last: see visitReachable
}

// Keys of node.parts beside the numbers of fields.
const (
	arrayElement   = -1 - iota // of an array
	mapKey                     // of what a map leads to
	mapValue                   // likewise
	channelMessage             // of what a channel leads to
)

// A graph makes and joins nodes. Joined nodes are never divided again.
type graph struct {
	allNodes      []*node             // in the order in which they were made, also those that others stand for
	unknownMemory *node               // stands for all memory that code whose body is not analysed may know
	walks         int                 // how many walks there were
	leadsToMemory map[types.Type]bool // answers of leads
}

// newGraph returns a graph of unknownMemory alone. It leads to itself, so that unknown code knows
// all nodes that are joined with it, and all that can be reached from these.
func newGraph() *graph {
	g := &graph{leadsToMemory: map[types.Type]bool{}}
	g.unknownMemory = g.node()
	g.unknownMemory.pointsTo = g.unknownMemory
	g.unknownMemory.shared, g.unknownMemory.racilyShared, g.unknownMemory.needsEvents, g.unknownMemory.dependsOnOthers = true, true, true, true
	g.unknownMemory.ownerCount = 2
	return g
}

// node makes a node of which nothing is known yet.
func (g *graph) node() *node {
	n := &node{}
	g.allNodes = append(g.allNodes, n)
	return n
}

// representativeOf returns the node that stands for n (union-find with path halving).
func representativeOf(n *node) *node {
	for n.representative != nil {
		if n.representative.representative != nil {
			n.representative = n.representative.representative
		}
		n = n.representative
	}
	return n
}

// target returns what a pointer in n leads to: the same node for all pointers in n, be it
// several variables.
func (g *graph) target(n *node) *node {
	n = representativeOf(n)
	if n.pointsTo == nil {
		n.pointsTo = g.node()
	}
	return representativeOf(n.pointsTo)
}

// part returns a part of the variable n. A part that is made after the analysis begins with what
// is known of the whole. The parts of unknownMemory are itself.
func (g *graph) part(n *node, i int) *node {
	n = representativeOf(n)
	if n == g.unknownMemory {
		return n
	}
	p := n.parts[i]
	if p == nil {
		if n.parts == nil {
			n.parts = make(map[int]*node)
		}
		p = g.node()
		p.owner, p.ownerCount = n.owner, n.ownerCount
		p.shared, p.racilyShared, p.needsEvents, p.dependsOnOthers, p.hasOriginalWrites = n.shared, n.racilyShared, n.needsEvents, n.dependsOnOthers, n.hasOriginalWrites
		p.publications, p.writes = slices.Clip(n.publications), slices.Clip(n.writes)
		n.parts[i] = p
	}
	return representativeOf(p)
}

// madeBy notes that f makes variables of n: it has an instruction that allocates them.
func (n *node) madeBy(f *function) {
	n = representativeOf(n)
	switch {
	case n.ownerCount == 0:
		n.owner, n.ownerCount = f, 1
	case n.owner != f:
		n.owner, n.ownerCount = nil, 2
	}
}

// join makes a and b, and all that they lead to, the same. It goes on with targets and parts
// that both have, by a list of work as structures are deep; where only one has them, the
// other takes them over. Nothing is joined twice, so that it comes to an end where memory
// leads to itself.
func (g *graph) join(a, b *node) {
	work := [][2]*node{{a, b}}
	for len(work) > 0 {
		a, b := representativeOf(work[len(work)-1][0]), representativeOf(work[len(work)-1][1])
		work = work[:len(work)-1]
		if a == b {
			continue
		}
		if b == g.unknownMemory {
			a, b = b, a
		}
		b.representative = a
		switch {
		case b.ownerCount == 0:
		case a.ownerCount == 0:
			a.owner, a.ownerCount = b.owner, b.ownerCount
		case a.owner != b.owner || b.ownerCount > 1:
			a.owner, a.ownerCount = nil, 2
		}
		a.copies = append(a.copies, b.copies...)
		if b.pointsTo != nil {
			if a.pointsTo == nil {
				a.pointsTo = b.pointsTo
			} else {
				work = append(work, [2]*node{a.pointsTo, b.pointsTo})
			}
		}
		for i, p := range b.parts {
			switch q := a.parts[i]; {
			case a == g.unknownMemory:
				work = append(work, [2]*node{a, p})
			case q != nil:
				work = append(work, [2]*node{q, p})
			default:
				if a.parts == nil {
					a.parts = make(map[int]*node)
				}
				a.parts[i] = p
			}
		}
		b.parts, b.copies = nil, nil
	}
}

// kind says how values of a type lead to memory.
type kind int

const (
	leadsNowhere         kind = iota // not at all, or like interfaces and functions in a way that is not followed
	leadsByPointer                   // pointers, slices, maps, channels
	leadsByUnsafePointer             // unsafe.Pointer
	leadsUnknown                     // a type parameter, which may be any type
	leadsByFields
	leadsByElements
)

// kindOf says how values of type t lead to memory.
func kindOf(t types.Type) kind {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return leadsUnknown
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan:
		return leadsByPointer
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return leadsByUnsafePointer
		}
	case *types.Struct, *types.Tuple:
		return leadsByFields
	case *types.Array:
		return leadsByElements
	}
	return leadsNowhere
}

// eachPart calls f for the types of the fields of a struct or the members of a
// tuple.
func eachPart(t types.Type, f func(i int, t types.Type)) {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for i := range t.NumFields() {
			f(i, t.Field(i).Type())
		}
	case *types.Tuple:
		for i := range t.Len() {
			f(i, t.At(i).Type())
		}
	}
}

// componentsOf returns the types that t, which has no name, is made of.
func componentsOf(t types.Type) (parts []types.Type) {
	switch t := t.(type) {
	case *types.Map:
		return []types.Type{t.Key(), t.Elem()}
	case interface{ Elem() types.Type }:
		return []types.Type{t.Elem()}
	case *types.Signature:
		return []types.Type{t.Params(), t.Results()}
	}
	eachPart(t, func(_ int, part types.Type) { parts = append(parts, part) })
	return parts
}

// leads reports whether values of type t may lead to memory in a way that is
// followed. A type that contains itself does so by a pointer, and that ends the question.
func (g *graph) leads(t types.Type) bool {
	if r, ok := g.leadsToMemory[t]; ok {
		return r
	}
	r := false
	switch kindOf(t) {
	case leadsByPointer, leadsByUnsafePointer, leadsUnknown:
		r = true
	case leadsByFields:
		eachPart(t, func(_ int, t types.Type) { r = r || g.leads(t) })
	case leadsByElements:
		r = g.leads(t.Underlying().(*types.Array).Elem())
	}
	g.leadsToMemory[t] = r
	return r
}

// assign lets dst hold what src holds, a value of type t: of pointers the targets become
// one, of structs and arrays those of their parts, and of numbers nothing happens. Dst and
// src stay two variables.
func (g *graph) assign(dst, src *node, t types.Type) {
	if !g.leads(t) {
		return
	}
	switch kindOf(t) {
	case leadsByPointer:
		g.join(g.target(dst), g.target(src))
	case leadsByUnsafePointer:
		g.join(g.target(dst), g.unknownMemory)
		g.join(g.target(src), g.unknownMemory)
	case leadsUnknown:
		g.join(dst, src)
	case leadsByFields:
		eachPart(t, func(i int, t types.Type) {
			if g.leads(t) {
				g.assign(g.part(dst, i), g.part(src, i), t)
			}
		})
	case leadsByElements:
		g.assign(g.part(dst, arrayElement), g.part(src, arrayElement), t.Underlying().(*types.Array).Elem())
	}
}

// release joins what n, which holds a value of type t, leads to with the memory that unknown code
// may know. n itself is not, as the value is copied.
func (g *graph) release(n *node, t types.Type) {
	if !g.leads(t) {
		return
	}
	switch kindOf(t) {
	case leadsByPointer, leadsByUnsafePointer:
		g.join(g.target(n), g.unknownMemory)
	case leadsUnknown:
		g.join(n, g.unknownMemory)
	case leadsByFields:
		eachPart(t, func(i int, t types.Type) {
			if g.leads(t) {
				g.release(g.part(n, i), t)
			}
		})
	case leadsByElements:
		g.release(g.part(n, arrayElement), t.Underlying().(*types.Array).Elem())
	}
}

// visitLeaves calls f for the parts of the variable n of type t that are no structs
// or arrays themselves: what an access to the whole reads or writes.
func (g *graph) visitLeaves(n *node, t types.Type, f func(*node)) {
	switch kindOf(t) {
	case leadsByFields:
		eachPart(t, func(i int, t types.Type) { g.visitLeaves(g.part(n, i), t, f) })
	case leadsByElements:
		g.visitLeaves(g.part(n, arrayElement), t.Underlying().(*types.Array).Elem(), f)
	case leadsUnknown:
		// Whatever was found out about its parts concerns it.
		seen := map[*node]bool{}
		var all func(n *node)
		all = func(n *node) {
			if n = representativeOf(n); !seen[n] {
				seen[n] = true
				f(n)
				for _, p := range n.parts {
					all(p)
				}
			}
		}
		all(n)
	default:
		f(representativeOf(n))
	}
}

// visitReachable calls f for n and all that it leads to, once each; f says whether to go
// on from there. It must not be called within f: the marks are those of one walk.
func (g *graph) visitReachable(roots []*node, f func(*node) bool) {
	g.walks++
	work := append([]*node(nil), roots...)
	for len(work) > 0 {
		n := representativeOf(work[len(work)-1])
		work = work[:len(work)-1]
		if n.lastWalk == g.walks {
			continue
		}
		n.lastWalk = g.walks
		if !f(n) {
			continue
		}
		if n.pointsTo != nil {
			work = append(work, n.pointsTo)
		}
		for _, p := range n.parts {
			work = append(work, p)
		}
	}
}

// anyNeedsEvents reports whether accesses to the variable n of type t, or to a part of it, need events.
func (g *graph) anyNeedsEvents(n *node, t types.Type) bool {
	needed := false
	g.visitLeaves(n, t, func(n *node) { needed = needed || n.needsEvents })
	return needed
}

// nodes returns the nodes that stand for themselves, in the order in which they were made.
func (g *graph) nodes() []*node {
	var out []*node
	for _, n := range g.allNodes {
		if n.representative == nil {
			out = append(out, n)
		}
	}
	return out
}

// untilStable calls f for originals and copies until it never says that there
// was news: what f hands from the one to the other may have to go on to copies of copies.
func (g *graph) untilStable(f func(n, c *node) bool) {
	for changed := true; changed; {
		changed = false
		for _, n := range g.nodes() {
			for _, c := range n.copies {
				if f(n, representativeOf(c)) {
					changed = true
				}
			}
		}
	}
}
