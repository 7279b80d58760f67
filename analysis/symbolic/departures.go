package symbolic

import (
	"fmt"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A departureEncoder encodes that a run departs from the recorded one.
type departureEncoder struct {
	*timeline
	writes *writeIndex
	reads  *readEncoder
	values *valueEncoder
	at     map[int32]solver.Bool // by event: the run departs there; see Departure
}

// departs says that the run departs at one of the events at.
func (e *departureEncoder) departs(at []int) solver.Bool {
	if e.at == nil {
		e.at = make(map[int32]solver.Bool)
	}
	var any []solver.Bool
	for _, p := range at {
		i := int32(p)
		if e.past(i) || e.node(i) == none {
			continue
		}
		if e.stops() {
			break
		}
		if _, ok := e.at[i]; !ok {
			e.at[i] = e.f.False()
			if b := e.departsAt(i); b != e.f.False() {
				e.at[i] = e.f.Bool(fmt.Sprint("departs ", i))
				e.assert(e.f.Implies(e.at[i], b))
			}
		}
		any = append(any, e.at[i])
	}
	return e.f.Or(any...)
}

// departsAt says that the run ends, for its goroutine, with the read at position i,
// which finds something else than recorded, or if it is tracked, what is not known;
// or at the condition there, which comes out otherwise.
func (e *departureEncoder) departsAt(i int32) solver.Bool {
	if e.m.event(i).Kind.IsAccess() {
		var ways []solver.Bool
		for c := range e.m.mem.of(i) {
			if e.m.mem.cells[c].shared {
				ways = append(ways, e.others(i, c)...)
			}
		}
		if next := e.m.next(i); next != none {
			return e.f.And(e.done(i), e.f.Not(e.done(next)), e.f.Or(ways...))
		}
		return e.f.False() // it has done all that it does
	}
	var other solver.Bool
	if e.m.event(i).Kind != trace.Operand {
		other = e.values.outcome(i, false)
	} else {
		other = e.f.And(e.f.Not(e.f.Eq(e.values.leaves(i), e.f.Const(e.m.came(i)))), e.values.knows(i))
	}
	if from := e.m.reached(i); from != none {
		other = e.f.And(other, e.doneUpTo(from))
	}
	return e.f.And(other, e.f.Not(e.done(i)))
}

// others returns the ways in which the read at position i can find something else in
// cell c than it found.
func (e *departureEncoder) others(i, c int32) (ways []solver.Bool) {
	mem, f := e.m.mem, e.f
	found, ok := mem.found(i, c)
	source, v := mem.source(i, c), e.writes.view(i, c)
	var writes []int32
	if !e.m.tracked(i) {
		writes = v.writes()
	}
	for _, w := range writes {
		left, known := mem.part(w, c)
		other := e.truth(w != source && !(ok && known && left == found))
		if e.m.follows(w) {
			other = f.Not(e.values.unchanged(w))
			switch {
			case w != source && e.m.event(i).IsLength():
				other = f.True() // another slice, whatever its length
			case w != source && ok && e.m.whole[i]:
				other = f.Not(f.And(f.Eq(e.values.leaves(w), f.Const(e.m.numberOf(i, found))), e.values.knows(w)))
			}
		}
		if other != f.False() {
			ways = append(ways, f.And(e.reads.from(i, c, w, nil), other))
		}
	}
	if v.initially {
		left, known := mem.left(e.writes.begins(c), c)
		if !(source == e.writes.begins(c) || ok && known && left == found) {
			ways = append(ways, e.reads.from(i, c, none, nil))
		}
	}
	return ways
}

// departing returns the first departure for t in the engine's model, or none.
func (e *departureEncoder) taken(t Target) int {
	for _, i := range t.Departs {
		if b, ok := e.at[int32(i)]; ok && e.engine.Value(b) {
			return i
		}
	}
	return none
}
