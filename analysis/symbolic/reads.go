package symbolic

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// reading is β, the part of an encoding that says what reads find. With
// recorded values, a read that must go on as recorded finds what it found: the
// last write before it is one of the same value (Said et al., NFM 2011,
// equation 2, whose predecessor writes of the same value are memory.same).
//
// Of equation 2's conjuncts most would be implied by others. What a read may
// read from is encoded when a model has it find something else, and that no
// further write comes in between when a model has one there; see overlaps.
type readEncoder struct {
	*timeline
	writes *writeIndex
	values *valueEncoder
	taint  *taint

	asRecorded     map[int32]solver.Bool // by read: it finds what it found
	undefinedReads map[int32]bool        // reads of which that has no meaning yet
	choices        map[source]*sourceChoice
	choicesOf      map[int32][]*sourceChoice // by read
	keptOutPairs   map[[4]int32]bool         // what is asserted
}

// A source is a writer, or none for what was there at first, that a read may
// find in a cell.
type source struct{ read, cell, writer int32 }

// A choice is the literal that says that the read finds what the writer left,
// or one of same, which left the same there.
type sourceChoice struct {
	source
	literal solver.Bool
	same    []int32 // ascending
}

// is reports whether the read finds what the choice says if w was the last to write.
func (ch *sourceChoice) includes(w int32) bool {
	_, same := slices.BinarySearch(ch.same, w)
	return same || w == ch.writer
}

func newReadEncoder(t *timeline, writes *writeIndex, tainted *taint) *readEncoder {
	return &readEncoder{
		timeline: t, writes: writes, taint: tainted,
		asRecorded: make(map[int32]solver.Bool), undefinedReads: make(map[int32]bool), choices: make(map[source]*sourceChoice),
		choicesOf: make(map[int32][]*sourceChoice), keptOutPairs: make(map[[4]int32]bool),
	}
}

// matters asserts what must be as recorded in each run: the reads that matter,
// and what decisions depend on.
func (e *readEncoder) assertReads() {
	for _, i := range e.nodes {
		if e.overLimit() {
			return
		}
		if e.m.matters(i) {
			e.assert(e.f.Or(e.f.Not(e.happens(i)), e.findsRecorded(i), e.isFinalAccess(i)))
		}
		switch e.m.event(i).Kind {
		case trace.Operand:
			if e.m.formula(i) != nil {
				e.assertIf(i, e.values.writesSameValue(i))
			}
		case trace.Branch, trace.Assert, trace.Panic:
			e.assertIf(i, e.taint.cleanAt(i))
			if e.m.formula(i) != nil {
				e.assertIf(i, e.values.conditionComesOut(i, true))
			}
		}
		e.assertIf(i, e.reachedAsRecorded(i))
	}
}

// ends says that event i is an access of the target, which may read anything as
// its goroutine does nothing more.
func (e *readEncoder) isFinalAccess(i int32) solver.Bool {
	free, ok := e.anyValue[i]
	if !ok {
		return e.f.False()
	}
	if next := e.m.next(i); next != none {
		free = e.f.And(free, e.f.Not(e.happens(next)))
	}
	return free
}

// found says that the goroutine of event i comes to it and touches what it touched: by conditions before it, and as the
// reads that found the way there found it.
func (e *readEncoder) reachedAsRecorded(i int32) solver.Bool {
	b := e.f.True()
	if e.m.event(i).Flags&trace.FlagBranched != 0 {
		b = e.taint.cleanAt(i)
	}
	for _, r := range e.taint.pointerReads[i] {
		b = e.f.And(b, e.findsRecorded(r))
	}
	return b
}

// recorded says that the read at position i finds what it found in the recorded
// run, if it happens.
func (e *readEncoder) findsRecorded(i int32) solver.Bool {
	if e.isPast(i) {
		return e.f.True()
	}
	b, ok := e.asRecorded[i]
	if ok {
		return b
	}
	own := e.f.True() // of cells that only this goroutine accesses
	shared := false
	for c := range e.m.memory.of(i) {
		if e.m.memory.cells[c].shared {
			shared = true
		} else if w := e.m.memory.source(i, c); w != none {
			own = e.f.And(own, e.taint.writesRecorded(w))
		}
	}
	if !shared {
		e.asRecorded[i] = own
		return own
	}
	b = e.f.Bool(fmt.Sprint("recorded ", i))
	e.asRecorded[i] = b
	e.undefinedReads[i] = true
	e.assert(e.f.Implies(b, own))
	return b
}

// readsFrom asserts which writes the read at position i may find.
func (e *readEncoder) defineRecorded(i int32) {
	delete(e.undefinedReads, i)
	for c := range e.m.memory.of(i) {
		if !e.m.memory.cells[c].shared {
			continue
		}
		writers, initially := e.recordedSources(i, c)
		var same []int32 // a later one of them leaves the same
		for _, w := range writers {
			if e.taint.writesRecorded(w) == e.f.True() {
				same = append(same, w)
			}
		}
		// The solver decides first what is made first, and that it is not so: what
		// happened in the recorded run comes last.
		source := e.m.memory.source(i, c)
		var ways []solver.Bool
		// What follows from something else may be the same nevertheless.
		follow := e.m.memory.computedWriters[c]
		if val, ok := e.m.memory.valueFound(i, c); ok && len(follow) > 0 && e.m.wholeAccess[i] {
			v := e.writes.visibleTo(i, c)
			for _, w := range v.writes() {
				if _, same := slices.BinarySearch(writers, w); same || !e.m.isComputed(w) {
					continue
				}
				ways = append(ways, e.f.And(e.sourceLiteral(i, c, w, same), e.f.Eq(e.values.writtenValue(w), e.f.Const(e.m.numberOf(i, val))), e.values.inputsKnown(w)))
			}
		}
		add := func(w int32) { ways = append(ways, e.f.And(e.sourceLiteral(i, c, w, same), e.taint.writesRecorded(w))) }
		if initially && source != e.writes.lastPastWriter(c) {
			add(none)
		}
		for _, w := range writers {
			if w != source {
				add(w)
			}
		}
		if initially && source == e.writes.lastPastWriter(c) {
			add(none)
		} else if slices.Contains(writers, source) {
			add(source)
		}
		e.assert(e.f.Implies(e.asRecorded[i], e.f.Or(ways...)))
	}
}

// sources returns the writers of the cone that the read at position i can read
// from, of those that left what it found in cell c in the recorded run, and
// whether it can find what was there at first.
func (e *readEncoder) recordedSources(i, c int32) (ws []int32, initially bool) {
	all, initially := e.m.memory.sameValueWriters(i, c)
	v := e.writes.visibleTo(i, c)
	from, _ := slices.BinarySearch(all, int32(e.cone.Base))
	e.readLookups += len(all) - from
	for _, w := range all[from:] {
		if v.has(w, e.m.gid(w)) {
			ws = append(ws, w)
		}
	}
	if b := e.writes.lastPastWriter(c); b != none {
		// What the past ended with is what was there at first.
		initially = slices.Contains(all, b)
	}
	return ws, initially && v.initial
}

// from returns the literal that says that the read at position i, if it
// happens, finds in cell c what writer w left, or one of same, or with none what
// was there at first.
func (e *readEncoder) sourceLiteral(i, c, w int32, same []int32) solver.Bool {
	s := source{i, c, w}
	if ch := e.choices[s]; ch != nil {
		return ch.literal
	}
	ch := &sourceChoice{source: s, literal: e.f.Bool(fmt.Sprintf("from %d %d %d", i, c, w)), same: same}
	e.choices[s] = ch
	e.readSources++
	e.choicesOf[i] = append(e.choicesOf[i], ch)
	if w != none {
		e.assert(e.f.Implies(ch.literal, e.precedes(w, i)))
	}
	return ch.literal
}

// part keeps writer w from coming between what the choice reads and the read, and
// other writers of its goroutine: where one comes between, the next one would. The
// same goes for all else that the read may find.
func (e *readEncoder) keepOutNeighbours(ch *sourceChoice, w int32) {
	all := e.writes.writersOf(ch.cell)
	ws := all.byGoroutine[all.indexOf[e.m.gid(w)]].writes
	k, _ := slices.BinarySearch(ws, w)
	for _, o := range ws[max(0, k-maxParted/2):min(len(ws), k+maxParted/2)] {
		if o == ch.read {
			continue
		}
		for _, x := range e.choicesOf[ch.read] {
			if x.cell == ch.cell && !x.includes(o) {
				e.keepOut(x, o)
			}
		}
	}
}

// keepOut keeps writer w from coming between what the choice reads and the read.
func (e *readEncoder) keepOut(ch *sourceChoice, w int32) {
	key := [4]int32{ch.read, ch.cell, ch.writer, w}
	if e.keptOutPairs[key] {
		return
	}
	e.keptOutPairs[key] = true
	e.keptOut++
	after := e.precedes(ch.read, w)
	if ch.writer != none {
		after = e.f.Or(after, e.precedes(w, ch.writer))
	}
	e.assert(e.f.Implies(e.f.And(ch.literal, e.happens(ch.read)), after))
}
