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

	as        map[int32]solver.Bool // by read: it finds what it found
	vague     map[int32]bool        // reads of which that has no meaning yet
	choices   map[source]*choice
	choicesOf map[int32][]*choice // by read
	between   map[[4]int32]bool   // what is asserted
}

// A source is a writer, or none for what was there at first, that a read may
// find in a cell.
type source struct{ read, cell, writer int32 }

// A choice is the literal that says that the read finds what the writer left,
// or one of same, which left the same there.
type choice struct {
	source
	lit  solver.Bool
	same []int32 // ascending
}

// is reports whether the read finds what the choice says if w was the last to write.
func (ch *choice) is(w int32) bool {
	_, same := slices.BinarySearch(ch.same, w)
	return same || w == ch.writer
}

func newReadEncoder(t *timeline, writes *writeIndex, tainted *taint) *readEncoder {
	return &readEncoder{
		timeline: t, writes: writes, taint: tainted,
		as: make(map[int32]solver.Bool), vague: make(map[int32]bool), choices: make(map[source]*choice),
		choicesOf: make(map[int32][]*choice), between: make(map[[4]int32]bool),
	}
}

// matters asserts what must be as recorded in each run: the reads that matter,
// and what decisions depend on.
func (e *readEncoder) matters() {
	for _, i := range e.nodes {
		if e.stops() {
			return
		}
		if e.m.matters(i) {
			e.assert(e.f.Or(e.f.Not(e.done(i)), e.recorded(i), e.ends(i)))
		}
		switch e.m.event(i).Kind {
		case trace.Operand:
			if e.m.formula(i) != nil {
				e.need(i, e.values.unchanged(i))
			}
		case trace.Branch, trace.Assert, trace.Panic:
			e.need(i, e.taint.at(i))
			if e.m.formula(i) != nil {
				e.need(i, e.values.outcome(i, true))
			}
		}
		e.need(i, e.found(i))
	}
}

// ends says that event i is an access of the target, which may read anything as
// its goroutine does nothing more.
func (e *readEncoder) ends(i int32) solver.Bool {
	free, ok := e.free[i]
	if !ok {
		return e.f.False()
	}
	if next := e.m.next(i); next != none {
		free = e.f.And(free, e.f.Not(e.done(next)))
	}
	return free
}

// found says that the goroutine of event i comes to it and touches what it touched: by conditions before it, and as the
// reads that found the way there found it.
func (e *readEncoder) found(i int32) solver.Bool {
	b := e.f.True()
	if e.m.event(i).Flags&trace.FlagBranched != 0 {
		b = e.taint.at(i)
	}
	for _, r := range e.taint.lost[i] {
		b = e.f.And(b, e.recorded(r))
	}
	return b
}

// recorded says that the read at position i finds what it found in the recorded
// run, if it happens.
func (e *readEncoder) recorded(i int32) solver.Bool {
	if e.past(i) {
		return e.f.True()
	}
	b, ok := e.as[i]
	if ok {
		return b
	}
	own := e.f.True() // of cells that only this goroutine accesses
	shared := false
	for c := range e.m.mem.of(i) {
		if e.m.mem.cells[c].shared {
			shared = true
		} else if w := e.m.mem.source(i, c); w != none {
			own = e.f.And(own, e.taint.writes(w))
		}
	}
	if !shared {
		e.as[i] = own
		return own
	}
	b = e.f.Bool(fmt.Sprint("recorded ", i))
	e.as[i] = b
	e.vague[i] = true
	e.assert(e.f.Implies(b, own))
	return b
}

// readsFrom asserts which writes the read at position i may find.
func (e *readEncoder) readsFrom(i int32) {
	delete(e.vague, i)
	for c := range e.m.mem.of(i) {
		if !e.m.mem.cells[c].shared {
			continue
		}
		writers, initially := e.sources(i, c)
		var same []int32 // a later one of them leaves the same
		for _, w := range writers {
			if e.taint.writes(w) == e.f.True() {
				same = append(same, w)
			}
		}
		// The solver decides first what is made first, and that it is not so: what
		// happened in the recorded run comes last.
		source := e.m.mem.source(i, c)
		var ways []solver.Bool
		// What follows from something else may be the same nevertheless.
		follow := e.m.mem.follow[c]
		if val, ok := e.m.mem.found(i, c); ok && len(follow) > 0 && e.m.whole[i] {
			v := e.writes.view(i, c)
			for _, w := range v.writes() {
				if _, same := slices.BinarySearch(writers, w); same || !e.m.follows(w) {
					continue
				}
				ways = append(ways, e.f.And(e.from(i, c, w, same), e.f.Eq(e.values.leaves(w), e.f.Const(e.m.numberOf(i, val))), e.values.knows(w)))
			}
		}
		add := func(w int32) { ways = append(ways, e.f.And(e.from(i, c, w, same), e.taint.writes(w))) }
		if initially && source != e.writes.begins(c) {
			add(none)
		}
		for _, w := range writers {
			if w != source {
				add(w)
			}
		}
		if initially && source == e.writes.begins(c) {
			add(none)
		} else if slices.Contains(writers, source) {
			add(source)
		}
		e.assert(e.f.Implies(e.as[i], e.f.Or(ways...)))
	}
}

// sources returns the writers of the cone that the read at position i can read
// from, of those that left what it found in cell c in the recorded run, and
// whether it can find what was there at first.
func (e *readEncoder) sources(i, c int32) (ws []int32, initially bool) {
	all, initially := e.m.mem.same(i, c)
	v := e.writes.view(i, c)
	from, _ := slices.BinarySearch(all, int32(e.cone.Base))
	e.readLookups += len(all) - from
	for _, w := range all[from:] {
		if v.has(w, e.m.gid(w)) {
			ws = append(ws, w)
		}
	}
	if b := e.writes.begins(c); b != none {
		// What the past ended with is what was there at first.
		initially = slices.Contains(all, b)
	}
	return ws, initially && v.initially
}

// from returns the literal that says that the read at position i, if it
// happens, finds in cell c what writer w left, or one of same, or with none what
// was there at first.
func (e *readEncoder) from(i, c, w int32, same []int32) solver.Bool {
	s := source{i, c, w}
	if ch := e.choices[s]; ch != nil {
		return ch.lit
	}
	ch := &choice{source: s, lit: e.f.Bool(fmt.Sprintf("from %d %d %d", i, c, w)), same: same}
	e.choices[s] = ch
	e.readSources++
	e.choicesOf[i] = append(e.choicesOf[i], ch)
	if w != none {
		e.assert(e.f.Implies(ch.lit, e.before(w, i)))
	}
	return ch.lit
}

// part keeps writer w from coming between what the choice reads and the read, and
// other writers of its goroutine: where one comes between, the next one would. The
// same goes for all else that the read may find.
func (e *readEncoder) part(ch *choice, w int32) {
	all := e.writes.written(ch.cell)
	ws := all.by[all.of[e.m.gid(w)]].writes
	k, _ := slices.BinarySearch(ws, w)
	for _, o := range ws[max(0, k-maxParted/2):min(len(ws), k+maxParted/2)] {
		if o == ch.read {
			continue
		}
		for _, x := range e.choicesOf[ch.read] {
			if x.cell == ch.cell && !x.is(o) {
				e.keepOut(x, o)
			}
		}
	}
}

// keepOut keeps writer w from coming between what the choice reads and the read.
func (e *readEncoder) keepOut(ch *choice, w int32) {
	key := [4]int32{ch.read, ch.cell, ch.writer, w}
	if e.between[key] {
		return
	}
	e.between[key] = true
	e.keptOut++
	after := e.before(ch.read, w)
	if ch.writer != none {
		after = e.f.Or(after, e.before(w, ch.writer))
	}
	e.assert(e.f.Implies(e.f.And(ch.lit, e.done(ch.read)), after))
}
