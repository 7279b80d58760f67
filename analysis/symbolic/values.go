package symbolic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/terms"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A valueEncoder encodes β of reads whose values are computed: what tracked reads find, and the
// stores and conditions that follow from it. It is the CSSA form of Wang et al., Symbolic
// Predictive Analysis, FAC 2011, §4: each read is a π-function of the writes to its variable, each
// value an expression over reads.
//
// Only what is asked for becomes part of the formula: what an assertion follows from, a condition
// that has to come out as recorded, or a read that has to find what it found. That is the slicing
// of §9.
//
// An example: x is 0 at first, g1 stores x = 1, g2 stores x = x + 2. The read of g2 is the
// π-function π(0, 1). With v for what it finds, the store of g2 leaves v + 2. No order is
// enumerated: the solver chooses a source for v, and the rest follows.
//
// An input is known if the trace says what it is, or if a formula does. Data that was only moved may
// differ without anyone knowing how: see taint.
type valueEncoder struct {
	*timeline
	writes   *writeIndex
	taint    *taint
	reads    *readEncoder
	products *productEncoder
	counters *counterEncoder

	readValues    map[int32]solver.Int  // by tracked read: what it finds
	memoryValues  map[int32]solver.Int  // by read: what it finds in memory; an atomic operation's own result is in writtenValues
	writtenValues map[int32]solver.Int  // by write: what it leaves
	memoryKnown   map[int32]solver.Bool // by read: the value in memoryValues is known
	readWrites    int                   // writes that reads may find, counted for each read
	alternatives  int                   // numbers that are a choice between two
}

func newValueEncoder(t *timeline, writes *writeIndex, tainted *taint, reads *readEncoder) *valueEncoder {
	e := &valueEncoder{
		timeline: t, writes: writes, taint: tainted, reads: reads, products: &productEncoder{timeline: t},
		readValues: make(map[int32]solver.Int), memoryValues: make(map[int32]solver.Int),
		writtenValues: make(map[int32]solver.Int), memoryKnown: make(map[int32]solver.Bool),
	}
	e.counters = &counterEncoder{timeline: t, writes: writes, taint: tainted, values: e, byCell: make(map[int32]*counterInCone)}
	return e
}

// readValue returns what the tracked read at position i finds.
func (e *valueEncoder) readValue(i int32) solver.Int {
	if e.isPast(i) || !e.m.tracked(i) {
		return e.f.Const(e.m.recordedNumber(i))
	}
	if v, ok := e.readValues[i]; ok {
		return v
	}
	var v solver.Int
	if e.m.event(i).Kind == trace.AtomicRMW {
		// Formulas refer to the result of an atomic operation, and not to what it found.
		v = e.writtenValue(i)
	} else {
		v = e.memoryValue(i)
	}
	e.readValues[i] = v
	return v
}

// memoryValue returns what the read at position i finds in memory: what the last write before it
// left (the π-function). Where memoryKnown is false the number means nothing.
func (e *valueEncoder) memoryValue(i int32) solver.Int {
	if v, ok := e.memoryValues[i]; ok {
		return v
	}
	f := e.f
	if e.overLimit() {
		return f.Const(0)
	}
	c := e.m.memory.span(i).First
	if !e.m.memory.cells[c].shared {
		w := e.m.memory.source(i, c)
		if w != none && e.isPast(w) {
			w = none
		}
		v, known := e.valueAfter(i, c, w)
		e.memoryValues[i], e.memoryKnown[i] = v, known
		return v
	}
	if v, known, ok := e.counters.sumAt(i, c); ok {
		e.memoryValues[i], e.memoryKnown[i] = v, known
		return v
	}
	v, known := f.Int(fmt.Sprint("read ", i)), f.Bool(fmt.Sprint("known ", i))
	e.memoryValues[i], e.memoryKnown[i] = v, known
	e.assertFinds(i, c)
	return v
}

// assertFinds asserts the π-function of the read at position i (FAC 2011, §4): it finds what the last
// write to cell c left. For each write there is a literal that the read finds it. That implies that
// the values are equal, and that the write comes before the read. That no other write comes in
// between is asserted later, as for all reads: see readEncoder.keepOut.
//
// Φ_PI of §4.2 says for each definition v' = v_i ∧ g(t_i) ∧ HB(t_i, t), and that each other
// definition is before t_i or after t. The literal of the source stands for the second and the third
// conjunct. Reads after the violation are free, as in §5.3: the constraint is on condition that the
// read happens.
func (e *valueEncoder) assertFinds(i, c int32) {
	ws := e.nearestFirst(i, c)
	e.addWork(perChoice, len(ws))
	if e.readWrites += len(ws); e.readWrites > maxWritten {
		e.err = fmt.Errorf("symbolic: reads may find what more than %d writes left: too many to encode", e.readWrites)
		return
	}
	f, happens, known := e.f, e.happens(i), e.memoryKnown[i]
	var ways, unknown []solver.Bool
	for _, w := range ws {
		found, ok := e.valueAfter(i, c, w)
		ways = append(ways, f.And(e.reads.sourceLiteral(i, c, w, nil), f.Eq(e.memoryValues[i], found), ok))
		unknown = append(unknown, f.And(e.reads.sourceLiteral(i, c, w, nil), f.Not(ok)))
	}
	e.assert(f.Implies(f.And(happens, known), f.Or(ways...)))
	if e.m.strict {
		// An unknown value has a source, too. Elsewhere nothing depends on that.
		e.assert(f.Implies(f.And(happens, f.Not(known)), f.Or(unknown...)))
	}
}

// nearestFirst returns the writers that the read at position i may find in cell c; none stands for
// the initial value. The recorded source comes first, then the others by their distance in the
// recorded run: the solver tries them in this order.
func (e *valueEncoder) nearestFirst(i, c int32) []int32 {
	v, source := e.writes.visibleTo(i, c), e.m.memory.source(i, c)
	ws := v.writes()
	if v.initial {
		ws = append(ws, none)
	}
	distance := func(w int32) int32 {
		if w == source || w == none && e.isPast(source) {
			return 0
		}
		return max(w-i, i-w)
	}
	slices.SortStableFunc(ws, func(a, b int32) int { return cmp.Compare(distance(a), distance(b)) })
	return ws
}

// valueAfter returns what the access at position i finds in cell c if w was the last writer, or
// none, and whether that is known. If the recorded run had another value there than w left (see
// memory.stale), it is that one where w leaves what it left.
func (e *valueEncoder) valueAfter(i, c, w int32) (v solver.Int, known solver.Bool) {
	source, same := e.m.memory.source(i, c), e.f.True()
	if w == none {
		v, known = e.initialValue(i, c)
		w = e.writes.lastPastWriter(c)
	} else {
		v, known = e.writtenValue(w), e.taint.writeKnown(w)
		if e.m.isComputed(w) {
			same = e.writesSameValue(w)
		}
	}
	if found, stale := e.m.memory.stale(i, c); stale && w == source {
		v = e.ifElse(same, e.f.Const(e.m.numberOf(i, found)), v)
	}
	return v, known
}

// initialValue returns what cell c holds, for the access at position i, before all events that are
// encoded, and whether that is known.
func (e *valueEncoder) initialValue(i, c int32) (solver.Int, solver.Bool) {
	val, ok := e.m.memory.valueLeft(e.writes.lastPastWriter(c), c)
	return e.f.Const(e.m.numberOf(i, val)), e.constant(ok)
}

// inputsKnown says that everything that the formula of event i follows from is known.
func (e *valueEncoder) inputsKnown(i int32) solver.Bool {
	in := e.m.formula(i)
	all := e.f.True()
	for _, r := range in.Reads {
		if r >= 0 {
			all = e.f.And(all, e.readKnown(r))
		}
	}
	if e.m.event(i).Kind == trace.AtomicRMW {
		e.memoryValue(i)
		all = e.f.And(all, e.memoryKnown[i])
	}
	return all
}

// readKnown says that what the tracked read at position i finds is known.
func (e *valueEncoder) readKnown(i int32) solver.Bool {
	switch {
	case e.isPast(i) || !e.m.tracked(i):
		return e.f.True()
	case e.m.event(i).Kind == trace.AtomicRMW:
		return e.inputsKnown(i)
	}
	e.memoryValue(i)
	return e.memoryKnown[i]
}

// writtenValue returns what the write at position w leaves in memory.
func (e *valueEncoder) writtenValue(w int32) solver.Int {
	if e.isPast(w) || !e.m.isComputed(w) {
		return e.f.Const(e.m.recordedNumber(w))
	}
	if v, ok := e.writtenValues[w]; ok {
		return v
	}
	v := terms.Number(e.f, e.inputsOf(w), e.m.formula(w).Formula, 0)
	e.writtenValues[w] = v
	return v
}

// conditionComesOut says that the condition of event i, which has a formula, comes out as recorded,
// or otherwise.
//
// With recorded it is a path condition of FAC 2011, §4.2. Without, it is the ¬c of Φ_PRP.
func (e *valueEncoder) conditionComesOut(i int32, recorded bool) solver.Bool {
	b := terms.Truth(e.f, e.inputsOf(i), e.m.formula(i).Formula)
	if (e.m.event(i).Val == 0) == recorded {
		b = e.f.Not(b)
	}
	return e.f.And(b, e.inputsKnown(i))
}

// writesSameValue says that the write at position w, which has a formula, leaves what it left in
// the recorded run.
func (e *valueEncoder) writesSameValue(w int32) solver.Bool {
	return e.f.And(e.f.Eq(e.writtenValue(w), e.f.Const(e.m.recordedNumber(w))), e.inputsKnown(w))
}

// formulaInputs are the inputs of the formula of one event; see package terms.
type formulaInputs struct {
	*valueEncoder
	instance *dataflow.Instance
	event    int32
}

func (e *valueEncoder) inputsOf(i int32) formulaInputs { return formulaInputs{e, e.m.formula(i), i} }

func (s formulaInputs) Before() solver.Int { return s.memoryValue(s.event) }

func (s formulaInputs) Reading(k int, _ dataflow.Reading) solver.Int {
	if at := s.instance.Reads[k]; at >= 0 {
		return s.readValue(at)
	}
	return s.f.Const(0)
}

func (s formulaInputs) Either(c solver.Bool, a, b solver.Int) solver.Int { return s.ifElse(c, a, b) }

// Product returns the product f. It is linear if one factor is as recorded.
func (s formulaInputs) Product(f *dataflow.Formula, first int) solver.Int {
	second := first + f.Args[0].Readings()
	end := second + f.Args[1].Readings()
	if v, ok := s.fixed(&f.Args[0], first, second); ok {
		return s.f.Mul(v, terms.Number(s.f, s, &f.Args[1], second))
	}
	a := terms.Number(s.f, s, &f.Args[0], first)
	if v, ok := s.fixed(&f.Args[1], second, end); ok {
		return s.f.Mul(v, a)
	}
	var counts []solver.Bool
	for _, at := range s.instance.Reads[first:end] {
		if at >= 0 {
			counts = append(counts, s.happensUpTo(at), s.readKnown(at))
		}
	}
	if f.HasBefore() {
		counts = append(counts, s.happensUpTo(s.event), s.memoryKnown[s.event])
	}
	return s.products.product(a, terms.Number(s.f, s, &f.Args[1], second), s.f.And(counts...))
}

// fixed returns the value of f if none of its readings, those in the given range, may differ from
// the recorded run.
func (s formulaInputs) fixed(f *dataflow.Formula, from, to int) (int64, bool) {
	if f.HasBefore() {
		return 0, false
	}
	for _, at := range s.instance.Reads[from:to] {
		if at >= 0 && !s.isPast(at) && s.m.tracked(at) {
			return 0, false
		}
	}
	return f.Eval(0, func(k int, r dataflow.Reading) int64 {
		if at := s.instance.Reads[from+k]; at >= 0 {
			return r.Number(s.m.event(at).Val)
		}
		return 0
	}), true
}

// ifElse returns a if c holds, else b.
func (e *valueEncoder) ifElse(c solver.Bool, a, b solver.Int) solver.Int {
	switch c {
	case e.f.True():
		return a
	case e.f.False():
		return b
	}
	e.addWork(perChoice, 1)
	if e.alternatives++; e.alternatives > maxTerms {
		e.err = fmt.Errorf("symbolic: what is read follows from too many choices to encode")
		return a
	}
	v := e.f.Int(fmt.Sprint("either ", e.alternatives))
	e.assert(e.f.Implies(c, e.f.Eq(v, a)))
	e.assert(e.f.Or(c, e.f.Eq(v, b)))
	return v
}
