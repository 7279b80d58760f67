package provenance

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file finds the accesses to strings, interfaces and slices of which formulas
// need the digests or lengths: to read the contents of all of them would cost too
// much. It is a backward slice (Weiser, Program Slicing, ICSE 1981) over memory: from what
// assertions and conditions read to the stores there, and from what these store to what
// that was read from, until there is nothing new.

// readMemory names the memory that instr, a load, reads; nil for others.
func (a *analysis) readMemory(instr ssa.Instruction) any {
	if load, ok := instr.(*ssa.UnOp); ok && load.Op == token.MUL {
		return a.MemoryName(load.X)
	}
	return nil
}

// A store is one of what Memory names, or the like: of what a call hands over (handed). The
// formula at the spot says what is stored.
type store struct {
	spot   Spot
	memory any
}

// findNeeded notes the accesses to all memory that assertions follow from, by way of other
// memory, too. The slice begins at assertions, guards, and conditions that lead to a failure:
// of
//
//	last = name                  // a string: needs its digest, for
//	require.Equal(t, "a", last)  // this follows from it
//
// both accesses are needed. It goes by Memory and not by statements, so that it takes no
// account of which store a load can find: a digest too many costs time, one too few an
// assertion.
func (a *analysis) findNeeded() {
	stores := a.handedStores()
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		if s, ok := instr.(*ssa.Store); ok {
			if at, ok := a.storeAt(f, s); ok && len(a.found.reads[at]) > 0 {
				stores = append(stores, store{at, a.MemoryName(s.Addr)})
			}
		}
	})
	from := map[any]bool{}
	follow := func(s Spot) {
		for _, r := range a.found.reads[s] {
			from[r.memory] = true
		}
	}
	for s := range a.found.reads {
		if s.Role == Asserts || s.Role == Guards || a.found.failingOutcomes[s] != trace.NoOutcome {
			follow(s)
		}
	}
	for n := -1; n < len(from); {
		n = len(from)
		for _, s := range stores {
			if from[s.memory] {
				follow(s.spot)
			}
		}
	}
	delete(from, nil)
	a.placeHandedEvents(from)
	a.leaveOutContents(from)
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		switch x := instr.(type) {
		case *ssa.Store:
			if at, ok := a.storeAt(f, x); ok && isDigested(x.Val) && from[a.MemoryName(x.Addr)] {
				a.found.needsDigest[at] = true
			}
		case *ssa.UnOp:
			if at, ok := a.readAt(f, x); ok && isDigested(x) && from[a.MemoryName(x.X)] {
				a.found.needsDigest[at] = true
			}
		}
	})
}

// leaveOutContents leaves out slices of which anything but the length matters: that
// another one has the same length says nothing of what is in it. It takes one load of the
// memory whose value goes elsewhere, as in for _, x := range s.
func (a *analysis) leaveOutContents(from map[any]bool) {
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		load, ok := instr.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return
		}
		if !isSort(load.Type(), length) {
			return
		}
		if at, ok := a.readAt(f, load); !ok || a.found.usedElsewhere[at] {
			delete(from, a.MemoryName(load.X))
		}
	})
}

// isDigested reports whether values such as v are in formulas by their digests.
func isDigested(v ssa.Value) bool { return isSort(v.Type(), text, dynamic, length) }
