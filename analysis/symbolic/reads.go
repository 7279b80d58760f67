package symbolic

import (
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A readEncoder encodes β: what reads find. A read that matters finds what it found in the recorded
// run: the last write before it is one of the same value (Said et al., NFM 2011, equation 2; the
// writers of the same value are memory.sameValueWriters).
//
// Most of equation 2's conjuncts are implied by the others. So what a read may find is asserted
// only when a model has it find something else, and that no other write comes in between when a
// model has one there; see runChecker.
//
// An example: read r found 1, which w1 had left, and w2 leaves 2. A model with the order w1, w2, r
// has r find 2. The checker then has the sources of r asserted: only w1 qualifies. The next model
// may have the same order, as nothing keeps w2 out. Then one more constraint is asserted: if r finds
// w1, w2 comes before w1 or after r.
type readEncoder struct {
	*timeline
	writes *writeIndex
	values *valueEncoder
	taint  *taint

	asRecorded     map[int32]solver.Bool // by read: it finds what it found
	undefinedReads map[int32]bool        // reads whose literals in asRecorded have no definition yet
	choices        map[source]*sourceChoice
	choicesOf      map[int32][]*sourceChoice // by read
	keptOutPairs   map[[4]int32]bool         // read, cell, source and the writer that is kept out, as asserted
}

// A source is a writer whose value a read may find in a cell; none stands for the initial value.
type source struct{ read, cell, writer int32 }

// A sourceChoice is the literal that a read finds the value of a writer, or of one of same, which
// leave the same value.
type sourceChoice struct {
	source
	literal solver.Bool
	same    []int32 // ascending
}

// includes reports whether the choice covers w as the last writer.
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

// assertReads asserts that the reads that matter, and what decisions depend on, are as recorded.
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

// isFinalAccess says that event i is an access of the target and the last event of its goroutine.
// What it finds may be anything then.
func (e *readEncoder) isFinalAccess(i int32) solver.Bool {
	free, ok := e.anyValue[i]
	if !ok {
		return e.f.False()
	}
	// What the read finds matters to what its goroutine does next. If nothing comes next, any value
	// will do.
	if next := e.m.next(i); next != none {
		free = e.f.And(free, e.f.Not(e.happens(next)))
	}
	return free
}

// reachedAsRecorded says that the goroutine reaches event i and accesses what it accessed: the
// conditions before it, and the reads of pointers to it, are as recorded.
func (e *readEncoder) reachedAsRecorded(i int32) solver.Bool {
	b := e.f.True()
	if e.m.event(i).Flags&trace.FlagBranchOmitted != 0 {
		b = e.taint.cleanAt(i)
	}
	for _, r := range e.taint.pointerReads[i] {
		b = e.f.And(b, e.findsRecorded(r))
	}
	return b
}

// findsRecorded says that the read at position i finds what it found in the recorded run, if it
// happens.
func (e *readEncoder) findsRecorded(i int32) solver.Bool {
	if e.isPast(i) {
		return e.f.True()
	}
	b, ok := e.asRecorded[i]
	if ok {
		return b
	}
	own := e.f.True() // for cells that only this goroutine accesses
	shared := false
	for c := range e.m.memory.cellsOf(i) {
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

// defineRecorded asserts which writes the read at position i may find.
func (e *readEncoder) defineRecorded(i int32) {
	delete(e.undefinedReads, i)
	for c := range e.m.memory.cellsOf(i) {
		if !e.m.memory.cells[c].shared {
			continue
		}
		writers, initially := e.recordedSources(i, c)
		var same []int32 // those that leave the same value in every run
		for _, w := range writers {
			if e.taint.writesRecorded(w) == e.f.True() {
				same = append(same, w)
			}
		}
		// The solver decides the literals in the order in which they are made, and first tries
		// false. So the recorded source comes last.
		source := e.m.memory.source(i, c)
		var ways []solver.Bool
		// A computed write may leave the recorded value nevertheless.
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

// recordedSources returns the writers in the cone that left what the read at position i found in
// cell c and that it may find, and whether it may find the initial value.
func (e *readEncoder) recordedSources(i, c int32) (ws []int32, initially bool) {
	all, initially := e.m.memory.sameValueWriters(i, c)
	v := e.writes.visibleTo(i, c)
	from, _ := slices.BinarySearch(all, int32(e.cone.Base))
	e.addWork(perLookup, len(all)-from)
	for _, w := range all[from:] {
		if v.has(w, e.m.gid(w)) {
			ws = append(ws, w)
		}
	}
	if b := e.writes.lastPastWriter(c); b != none {
		// The last value of the past is the initial value.
		initially = slices.Contains(all, b)
	}
	return ws, initially && v.initial
}

// sourceLiteral returns the literal that the read at position i, if it happens, finds in cell c
// what writer w left, or one of same; with none, the initial value.
func (e *readEncoder) sourceLiteral(i, c, w int32, same []int32) solver.Bool {
	s := source{i, c, w}
	if ch := e.choices[s]; ch != nil {
		return ch.literal
	}
	ch := &sourceChoice{source: s, literal: e.f.Bool(fmt.Sprintf("from %d %d %d", i, c, w)), same: same}
	e.choices[s] = ch
	e.addWork(perChoice, 1)
	e.choicesOf[i] = append(e.choicesOf[i], ch)
	if w != none {
		e.assert(e.f.Implies(ch.literal, e.precedes(w, i)))
	}
	return ch.literal
}

// keepOutNeighbours keeps writer w, and the writers around it in its goroutine, from coming between
// the read and its source: otherwise the next model has another of them there. It does the same for
// all other sources of the read.
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

// keepOut keeps writer w from coming between the read of a choice and its source: the last conjunct of
// equation 2. For a read with n writers there are n² of these, and nearly all are true in each model
// that the solver finds. So they are asserted one by one, when a model has w in between.
func (e *readEncoder) keepOut(ch *sourceChoice, w int32) {
	key := [4]int32{ch.read, ch.cell, ch.writer, w}
	if e.keptOutPairs[key] {
		return
	}
	e.keptOutPairs[key] = true
	e.addWork(perChoice, 1)
	after := e.precedes(ch.read, w)
	if ch.writer != none {
		after = e.f.Or(after, e.precedes(w, ch.writer))
	}
	e.assert(e.f.Implies(e.f.And(ch.literal, e.happens(ch.read)), after))
}
