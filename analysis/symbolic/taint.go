package symbolic

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A taint says where goroutines know only what they knew in the recorded run (see package feasible:
// the reads that matter). A goroutine that moves data, and has read something else than recorded,
// is tainted from then on: what it writes and sends is unknown.
//
// An example: a goroutine copies y = x, and nothing else reads y but a print. A run in which it finds
// another x is one that the trace tells enough of. But if a branch is decided by y, then that x was
// different may turn the branch. So before each branch the goroutine must be clean: all that it moved
// until then was as recorded.
//
// What the decisions of a run depend on is encoded where the run must go on as recorded, and
// nothing else: a literal of a taint is defined when something asks for it.
//
// The taint goes with messages as well. If g1 receives from g2 what g2 has only moved, then g1 is
// clean after the receive only if g2 was clean at the send. So the literals of both goroutines form
// a chain of implications, from later points to earlier ones.
type taint struct {
	*timeline
	reads  *readEncoder
	values *valueEncoder
	// by goroutine
	canBeTainted map[trace.GID]bool
	// by goroutine: the events that can taint it, ascending
	taintPoints     map[trace.GID][]int32
	cleanAfterPoint map[int32]solver.Bool // by such an event: the goroutine is not tainted after it
	undefinedPoints []int32               // events whose literals in clean have no definition yet
	// pointerReads has, by event, the reads that found what may be a pointer to what it accesses.
	pointerReads map[int32][]int32
}

func newTaint(of *timeline) *taint {
	t := &taint{
		timeline: of, canBeTainted: make(map[trace.GID]bool), taintPoints: make(map[trace.GID][]int32),
		cleanAfterPoint: make(map[int32]solver.Bool), pointerReads: make(map[int32][]int32),
	}
	t.findTaintable()
	for _, g := range slices.Sorted(maps.Keys(t.canBeTainted)) {
		t.findPoints(g)
	}
	return t
}

// findTaintable finds the goroutines that can be tainted, by iteration to a fixed point: those that move data, those that they
// start, and those that receive from them.
func (t *taint) findTaintable() {
	m := t.m
	sends := make(map[*channel]bool)
	// Both sets only grow, so this ends.
	for again := true; again; {
		again = false
		for _, gid := range t.cone.goroutines {
			for i := m.firstFrom(gid, int32(t.cone.Base)); i != none && i < t.cone.ends[gid]; i = m.next(i) {
				ev := m.event(i)
				if !t.canBeTainted[gid] && (t.movesData(i) || sends[m.receivedFrom(i)]) {
					t.canBeTainted[gid], again = true, true
				}
				if !t.canBeTainted[gid] {
					continue
				}
				if ev.Kind == trace.Fork && ev.Obj < uint64(len(m.t.Goroutines)) && !t.canBeTainted[trace.GID(ev.Obj)] {
					t.canBeTainted[trace.GID(ev.Obj)], again = true, true
				}
				if op, c := m.begun(i); op != nil && !op.Receive && !sends[c] {
					sends[c], again = true, true
				}
			}
		}
	}
}

// movesData reports whether the event at position i reads shared memory only to move the value.
func (t *taint) movesData(i int32) bool {
	if _, half := t.m.memory.updateStore[i]; half || !t.m.movesData(i) {
		return false
	}
	for c := range t.m.memory.cellsOf(i) {
		if t.m.memory.cells[c].shared {
			return true
		}
	}
	return false
}

// findPoints finds the events that can taint goroutine g, and the accesses by pointers.
func (t *taint) findPoints(g trace.GID) {
	m := t.m
	var pointers []int32
	end := max(t.cone.ends[g], int32(t.cone.Base))
	if next := m.firstFrom(g, end); next != none { // it may be the event of a target
		end = next + 1
	}
	for i := m.firstFrom(g, int32(t.cone.Base)); i != none && i < end; i = m.next(i) {
		ev := m.event(i)
		for _, r := range pointers {
			// An access shortly after an address that was read may go through it: a field, or an
			// element. With another address it would access something else.
			if base := m.event(r).Val; ev.Kind.HasAddress() && ev.Obj >= base && ev.Obj-base < pointerReach {
				t.pointerReads[i] = append(t.pointerReads[i], r)
			}
		}
		switch {
		case i == m.first(g):
			if m.predecessor(i) != none {
				t.taintPoints[g] = append(t.taintPoints[g], i)
			}
		case m.receivedFrom(i) != nil:
			t.taintPoints[g] = append(t.taintPoints[g], i)
		}
		if t.movesData(i) {
			if !slices.Contains(t.taintPoints[g], i) {
				t.taintPoints[g] = append(t.taintPoints[g], i)
			}
			if ev.Flags&trace.FlagValue != 0 && ev.Size >= 1 && ev.Size <= 8 && ev.Val >= pointerReach {
				pointers = append(pointers, i)
			}
		}
	}
}

// cleanAt says that the goroutine is not tainted when it reaches event i.
func (t *taint) cleanAt(i int32) solver.Bool {
	ps := t.taintPoints[t.m.gid(i)]
	k, _ := slices.BinarySearch(ps, i)
	if t.isPast(i) || k == 0 {
		return t.f.True()
	}
	return t.cleanAfter(ps[k-1])
}

// cleanAfter says that the goroutine is not tainted after the point at position i.
func (t *taint) cleanAfter(i int32) solver.Bool {
	b, ok := t.cleanAfterPoint[i]
	if !ok {
		b = t.f.Bool(fmt.Sprint("clean ", i))
		t.cleanAfterPoint[i] = b
		t.undefinedPoints = append(t.undefinedPoints, i)
	}
	return b
}

// defineLiterals asserts the definitions of the literals that were asked for.
func (t *taint) defineLiterals() {
	m, f := t.m, t.f
	for len(t.undefinedPoints) > 0 {
		i := t.undefinedPoints[len(t.undefinedPoints)-1]
		t.undefinedPoints = t.undefinedPoints[:len(t.undefinedPoints)-1]
		needs := []solver.Bool{t.cleanAt(i)}
		ev := m.event(i)
		if from := m.predecessor(i); i == m.first(ev.G) && from != none {
			needs = append(needs, t.cleanAt(from))
		}
		if c := m.receivedFrom(i); c != nil {
			if send := ranked(c.sends, int(min(m.t.ElementNumber(ev), 1<<31))); send != none && !t.neverHappens(send) {
				needs = append(needs, t.cleanAt(send))
			}
		}
		if t.movesData(i) {
			needs = append(needs, t.reads.findsRecorded(i))
		}
		t.assert(f.Implies(t.cleanAfterPoint[i], f.And(needs...)))
	}
}

// neverDiffers reports whether the writer at position i leaves in each run what it left in the
// recorded one.
func (t *taint) neverDiffers(i int32) bool {
	if t.cleanAt(i) != t.f.True() {
		return false
	}
	_, counts := t.m.memory.updateReads[i]
	return !counts && t.anyValue[i] == 0 && !t.m.isComputed(i)
}

// writeKnown says that it is known what the writer at position i leaves: what it left in the
// recorded run, or the value of its formula.
func (t *taint) writeKnown(i int32) solver.Bool {
	if t.m.isComputed(i) && !t.isPast(i) {
		return t.values.inputsKnown(i)
	}
	return t.writesRecorded(i)
}

// writesRecorded says that the writer at position i leaves what it left in the recorded run.
func (t *taint) writesRecorded(i int32) solver.Bool {
	if i == none || t.isPast(i) {
		return t.f.True()
	}
	if t.m.isComputed(i) {
		return t.values.writesSameValue(i)
	}
	b := t.cleanAt(i)
	if t.anyValue[i] != 0 {
		b = t.f.And(b, t.reads.findsRecorded(i))
	}
	for _, r := range t.m.memory.updateReads[i] {
		b = t.f.And(b, t.reads.findsRecorded(r))
	}
	return b
}
