package symbolic

import (
	"fmt"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A departureEncoder encodes that a run departs from the recorded one. The question is asked for all
// events of a site at once: one of them departs. That is a disjunction, of which the model shows the
// first one that holds.
type departureEncoder struct {
	*timeline
	writes   *writeIndex
	reads    *readEncoder
	values   *valueEncoder
	literals map[int32]solver.Bool // by event: the run departs there; see Departure
}

// departsAtAny says that the run departs at one of the events at.
func (e *departureEncoder) departsAtAny(at []int) solver.Bool {
	if e.literals == nil {
		e.literals = make(map[int32]solver.Bool)
	}
	var any []solver.Bool
	for _, p := range at {
		i := int32(p)
		if e.isPast(i) || e.nodeOf(i) == none {
			continue
		}
		if e.overLimit() {
			break
		}
		// One direction suffices: where the model has the literal true, the run departs. The entry
		// is made before its definition, and stays false if the run cannot depart there.
		if _, ok := e.literals[i]; !ok {
			e.literals[i] = e.f.False()
			if b := e.departsAt(i); b != e.f.False() {
				e.literals[i] = e.f.Bool(fmt.Sprint("departs ", i))
				e.assert(e.f.Implies(e.literals[i], b))
			}
		}
		any = append(any, e.literals[i])
	}
	return e.f.Or(any...)
}

// departsAt says that a goroutine's part of the run ends at event i: a read finds something else
// than recorded (a tracked one, something unknown), or a condition comes out otherwise.
//
// A read has happened when it departs, as only then it has found something else. A condition is only
// about to be evaluated: the recorded event is the recorded outcome, which does not happen.
func (e *departureEncoder) departsAt(i int32) solver.Bool {
	if e.m.event(i).Kind.IsAccess() {
		var ways []solver.Bool
		for c := range e.m.memory.cellsOf(i) {
			if e.m.memory.cells[c].shared {
				ways = append(ways, e.findsOther(i, c)...)
			}
		}
		if next := e.m.next(i); next != none {
			return e.f.And(e.happens(i), e.f.Not(e.happens(next)), e.f.Or(ways...))
		}
		return e.f.False() // it is the last event of its goroutine
	}
	var other solver.Bool
	if e.m.event(i).Kind != trace.Operand {
		other = e.values.conditionComesOut(i, false)
	} else {
		other = e.f.And(e.f.Not(e.f.Eq(e.values.writtenValue(i), e.f.Const(e.m.recordedResult(i)))), e.values.inputsKnown(i))
	}
	if from := e.m.predecessor(i); from != none {
		other = e.f.And(other, e.happensUpTo(from))
	}
	return e.f.And(other, e.f.Not(e.happens(i)))
}

// findsOther returns the ways in which the read at position i finds something else in cell c than
// in the recorded run.
func (e *departureEncoder) findsOther(i, c int32) (ways []solver.Bool) {
	mem, f := e.m.memory, e.f
	found, ok := mem.valueFound(i, c)
	source, v := mem.source(i, c), e.writes.visibleTo(i, c)
	var writes []int32
	if !e.m.tracked(i) {
		writes = v.writes()
	}
	for _, w := range writes {
		left, known := mem.part(w, c)
		other := e.constant(w != source && !(ok && known && left == found))
		if e.m.isComputed(w) {
			other = f.Not(e.values.writesSameValue(w))
			switch {
			case w != source && e.m.event(i).IsLength():
				other = f.True() // another slice, even if of equal length
			case w != source && ok && e.m.wholeAccess[i]:
				other = f.Not(f.And(f.Eq(e.values.writtenValue(w), f.Const(e.m.numberOf(i, found))), e.values.inputsKnown(w)))
			}
		}
		if other != f.False() {
			ways = append(ways, f.And(e.reads.sourceLiteral(i, c, w, nil), other))
		}
	}
	if v.initial {
		left, known := mem.valueLeft(e.writes.lastPastWriter(c), c)
		if !(source == e.writes.lastPastWriter(c) || ok && known && left == found) {
			ways = append(ways, e.reads.sourceLiteral(i, c, none, nil))
		}
	}
	return ways
}

// firstTaken returns the first departure for t in the engine's model, or none.
func (e *departureEncoder) firstTaken(t Target) int {
	for _, i := range t.DepartsAt {
		if b, ok := e.literals[int32(i)]; ok && e.engine.Value(b) {
			return i
		}
	}
	return none
}
