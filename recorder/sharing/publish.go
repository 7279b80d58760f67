package sharing

import (
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// This file says when other goroutines may know memory, and whether they know of what was
// written there before. That is where a wrong answer would lose a race, so that all that
// is in doubt needs events. In
//
//	c := &config{}
//	c.limit = 10    // early: before the only publication, in the call that made c
//	go serve(c)     // publishes c, in order: serve knows of the limit
//	c.debug = true  // late: this write, and each read of debug, has an event
//	current = c     // publishes c, racily: nothing orders the write of the global
//
// the last line alone would make accesses to both fields need events: whoever loads current need not see what
// was written before.

// A publication is an instruction by which other goroutines may come to know
// what registers lead to. It is racy if nothing orders what was done before it
// and what they do then.
type publication struct {
	function *function
	instr    ssa.Instruction
	roots    []*node // what these registers lead to is published
	racy     bool
}

// A write is an instruction that stores into variables.
type write struct {
	function    *function
	instr       ssa.Instruction
	addr        ssa.Value // nil where elements of slices or maps are written
	typ         types.Type
	destination *node // struct, array or less, that is written as a whole
	value       *node // the value that is stored; nil if it leads to no memory
	hasNoEvent  bool  // the rewriter has no event for it: it can race with nobody
}

// An escapeAnalysis finds which memory other goroutines may know, by what a valueFlow has
// collected, and so which accesses need events.
type escapeAnalysis struct{ *valueFlow }

// publish notes that instr lets others know what the registers roots lead to.
func (fl *valueFlow) publish(f *function, instr ssa.Instruction, racy bool, roots ...*node) {
	fl.publications = append(fl.publications, &publication{f, instr, roots, racy})
}

// write notes a write.
func (fl *valueFlow) write(w write) {
	fl.writes = append(fl.writes, &w)
	fl.visitLeaves(w.destination, w.typ, func(*node) {}) // makes the parts, so that copies get them, too
}

// findNeedsEvents finds for each node whether accesses need events. It runs when all values were
// followed, and applies the two rules of the package's comment.
func (es *escapeAnalysis) findNeedsEvents() {
	es.spreadOwners()
	for _, w := range es.writes {
		if !w.hasNoEvent {
			es.visitLeaves(w.destination, w.typ, func(n *node) { n.writes = append(n.writes, w) })
		}
	}
	es.untilStable(func(n, c *node) bool {
		news := !c.hasOriginalWrites && (n.hasOriginalWrites || len(n.writes) > 0)
		c.hasOriginalWrites = c.hasOriginalWrites || news
		return news
	})
	var roots []*node
	for _, g := range es.globals {
		roots = append(roots, g)
	}
	es.shareRacily(roots)
	for _, p := range es.publications {
		if p.racy {
			es.shareRacily(p.roots)
		} else {
			es.visitReachable(p.roots, func(n *node) bool {
				n.shared = true
				n.publications = append(n.publications, p)
				return n != es.unknownMemory
			})
		}
	}
	// What is stored into a variable that others know is published by that store, racily
	// as nothing orders it; that may make further stores such, until there are no more.
	for changed := true; changed; {
		changed = false
		for _, w := range es.writes {
			to := representativeOf(w.destination)
			if w.value == nil || w.hasNoEvent || !to.shared || to.racilyShared || es.precedesPublications(to, w) {
				continue
			}
			if es.shareRacily([]*node{w.value}) {
				changed = true
			}
		}
	}
	for _, n := range es.nodes() {
		n.needsEvents = n.needsEvents || n.shared && es.writtenAfterPublication(n)
	}
	// The function that makes variables knows nothing of what its callers do
	// with them.
	es.untilStable(func(n, c *node) bool {
		news := !n.needsEvents && c.needsEvents
		n.needsEvents = n.needsEvents || news
		return news
	})
}

// shareRacily notes that all that roots lead to is published racily. It
// reports whether that is new for some.
func (es *escapeAnalysis) shareRacily(roots []*node) bool {
	news := false
	var list []*node
	es.visitReachable(roots, func(n *node) bool {
		if n.racilyShared {
			return false
		}
		list = append(list, n)
		return true
	})
	for _, n := range list {
		n.shared, n.racilyShared, news = true, true, true
	}
	return news
}

// spreadOwners lets parts belong to those who make the whole.
func (es *escapeAnalysis) spreadOwners() {
	for changed := true; changed; {
		changed = false
		for _, n := range es.nodes() {
			if n.ownerCount == 0 {
				continue
			}
			for _, p := range n.parts {
				p = representativeOf(p)
				owner, owners := p.owner, p.ownerCount
				if n.ownerCount > 1 {
					p.owner, p.ownerCount = nil, 2
				} else {
					p.madeBy(n.owner)
				}
				changed = changed || p.owner != owner || p.ownerCount != owners
			}
		}
	}
}

// writtenAfterPublication reports whether an access to the shared variables n may be one of two
// that are not ordered and of which one is a write with an event.
func (es *escapeAnalysis) writtenAfterPublication(n *node) bool {
	if n.racilyShared {
		return n.hasOriginalWrites || len(n.writes) > 0
	}
	for _, w := range n.writes {
		if !es.precedesPublications(n, w) {
			return true
		}
	}
	return false
}

// precedesPublications reports whether the write w to n comes before any publication of what it writes.
// Then n was made by a call of the same function, and each of its publications happens in
// the same call: the control flow of that one function tells which comes first. In racy
// publications, order is not enough. A deferred write runs at the end, and one in a literal
// of the function at a time of which nothing is known.
func (es *escapeAnalysis) precedesPublications(n *node, w *write) bool {
	if n.racilyShared || n.ownerCount != 1 || n.owner != w.function || w.instr.Parent() != w.function.Function {
		return false
	}
	if _, call := w.instr.(*ssa.Call); !call {
		if _, ok := w.instr.(ssa.CallInstruction); ok {
			return false // deferred, or concurrent
		}
	}
	if es.comesFromElsewhere(w.function, n) {
		return false
	}
	for _, p := range n.publications {
		if p.function != w.function || mayFollow(w, p.instr) {
			return false
		}
	}
	return true
}

// comesFromElsewhere reports whether f may get at variables n that this call of it did not
// make: by its parameters, its free variables, or results of calls. One call may then
// publish what another, later one writes.
func (es *escapeAnalysis) comesFromElsewhere(f *function, n *node) bool {
	if f.fromElsewhere == nil {
		f.fromElsewhere = map[*node]bool{}
		es.visitReachable(f.incoming, func(n *node) bool {
			f.fromElsewhere[n] = true
			return true
		})
	}
	return f.fromElsewhere[n]
}

// mayFollow reports whether the write w may be executed after the publication p: there is a way
// from p to w in the control flow graph. Where the address comes straight from the
// instruction that makes the variable, each time round a loop is about another variable, and
// ways through that instruction (cut) do not count:
//
//	for range 10 {
//		x := new(item)
//		x.n = 1 // never after the publication, of this x
//		ch <- x
//	}
func mayFollow(w *write, p ssa.Instruction) bool {
	b := w.instr.Block()
	maker := makerOf(w.addr)
	var cut *ssa.BasicBlock
	if maker != nil {
		cut = maker.Block()
	}
	if p.Block() == b && indexInBlock(p) <= indexInBlock(w.instr) && (cut != b || indexInBlock(maker) < indexInBlock(p)) {
		return true
	}
	if cut == b {
		return false
	}
	for x := range Reachable(p.Block().Succs, cut) {
		if x == b {
			return true
		}
	}
	// Deferred calls run after what comes to the end, and after panics.
	return b == b.Parent().Recover
}

// makerOf is the instruction that makes the variable at addr, nil if that is
// not certain.
func makerOf(addr ssa.Value) ssa.Instruction {
	for {
		switch x := addr.(type) {
		case *ssa.Alloc:
			return x
		case *ssa.MakeSlice:
			return x
		case *ssa.FieldAddr:
			addr = x.X
		case *ssa.IndexAddr:
			addr = x.X
		case *ssa.Slice:
			addr = x.X
		default:
			return nil
		}
	}
}

// indexInBlock is where instr stands in its block.
func indexInBlock(instr ssa.Instruction) int { return slices.Index(instr.Block().Instrs, instr) }

// Reachable yields the given blocks and those that can be reached from them without going through
// the block stop, which is yielded, too. The order is that of a depth-first search.
func Reachable(from []*ssa.BasicBlock, stop *ssa.BasicBlock) iter.Seq[*ssa.BasicBlock] {
	return func(yield func(*ssa.BasicBlock) bool) {
		seen := map[*ssa.BasicBlock]bool{}
		for work := slices.Clone(from); len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if seen[b] {
				continue
			}
			seen[b] = true
			if !yield(b) {
				return
			}
			if b != stop {
				work = append(work, b.Succs...)
			}
		}
	}
}
