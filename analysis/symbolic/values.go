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

// values is the part of an encoding that computes: what tracked reads find, and
// what stores leave and conditions come to that follow from them, in the CSSA
// form of Wang et al., Symbolic Predictive Analysis, FAC 2011, §4: each read is a
// π-function of the writes of its variable, each value an expression over these.
//
// Only what is asked for has a part in the formula: what an assertion follows
// from, a condition that has to come out as recorded, or a read that has to find
// what it found. That is the slicing of §9.
type valueEncoder struct {
	*timeline
	writes   *writeIndex
	taint    *taint
	reads    *readEncoder
	products *productEncoder
	counters *counterEncoder

	found       map[int32]solver.Int  // by tracked read: what it finds
	overwritten map[int32]solver.Int  // by atomic read-modify-write: what was there
	left        map[int32]solver.Int  // by write: what it leaves
	knownAt     map[int32]solver.Bool // by such a read: it is known what was there
	narrow      []*narrow             // the reads that may find more than the formula has
}

func newValueEncoder(t *timeline, writes *writeIndex, tainted *taint, reads *readEncoder) *valueEncoder {
	e := &valueEncoder{
		timeline: t, writes: writes, taint: tainted, reads: reads, products: &productEncoder{timeline: t},
		found: make(map[int32]solver.Int), overwritten: make(map[int32]solver.Int),
		left: make(map[int32]solver.Int), knownAt: make(map[int32]solver.Bool),
	}
	e.counters = &counterEncoder{timeline: t, writes: writes, taint: tainted, values: e, counts: make(map[int32]*count)}
	return e
}

// read returns what the tracked read at position i finds.
func (e *valueEncoder) read(i int32) solver.Int {
	if e.past(i) || !e.m.tracked(i) {
		return e.f.Const(e.m.number(i))
	}
	if v, ok := e.found[i]; ok {
		return v
	}
	var v solver.Int
	if e.m.event(i).Kind == trace.AtomicRMW {
		v = e.leaves(i)
	} else {
		v = e.choose(i)
	}
	e.found[i] = v
	return v
}

// choose returns what the read at position i finds in memory: what the last
// write before it left (the π-function). values.known says that it has found
// what is known; in other runs the number means nothing.
func (e *valueEncoder) choose(i int32) solver.Int {
	if v, ok := e.overwritten[i]; ok {
		return v
	}
	f := e.f
	if e.stops() {
		return f.Const(0)
	}
	c := e.m.mem.span(i).First
	if !e.m.mem.cells[c].shared {
		w := e.m.mem.source(i, c)
		if w != none && e.past(w) {
			w = none
		}
		v, known := e.sees(i, c, w)
		e.overwritten[i], e.knownAt[i] = v, known
		return v
	}
	if v, known, ok := e.counters.sum(i, c); ok {
		e.overwritten[i], e.knownAt[i] = v, known
		return v
	}
	v, known := f.Int(fmt.Sprint("read ", i)), f.Bool(fmt.Sprint("known ", i))
	e.overwritten[i], e.knownAt[i] = v, known
	e.find(&narrow{read: i, cell: c}, e.done(i))
	return v
}

// A narrow is a read of which the formula does not have all writes yet that it may
// find.
type narrow struct {
	read, cell int32
	has        int         // how many of them it has: the nearest
	more       solver.Bool // the read finds another one
}

// find puts more writes into the formula, of which the read of n finds one if the
// condition holds: as many as there are already.
func (e *valueEncoder) find(n *narrow, condition solver.Bool) {
	from, end := n.has, max(2*n.has, firstFound)
	ws, all := e.nearest(n.read, n.cell, end+firstFound)
	if end+firstFound > all {
		end = all
	}
	n.has = end
	if e.readWrites += end - from; e.readWrites > maxWritten || e.valueLookups > maxLooked {
		e.err = fmt.Errorf("symbolic: reads may find what more than %d writes left: too many to encode", e.readWrites)
		return
	}
	f, known := e.f, e.knownAt[n.read]
	var ways, unknown []solver.Bool
	for _, w := range ws[from:end] {
		found, ok := e.sees(n.read, n.cell, w)
		ways = append(ways, f.And(e.reads.from(n.read, n.cell, w, nil), f.Eq(e.overwritten[n.read], found), ok))
		unknown = append(unknown, f.And(e.reads.from(n.read, n.cell, w, nil), f.Not(ok)))
	}
	if end < all {
		n.more = f.Bool(fmt.Sprintf("more than %d %d", n.read, end))
		ways, unknown = append(ways, n.more), append(unknown, n.more)
		e.narrow = append(e.narrow, n)
	}
	e.assert(f.Implies(f.And(condition, known), f.Or(ways...)))
	if e.m.held {
		// That it is not known has a reason; else nobody asks for one.
		e.assert(f.Implies(f.And(condition, f.Not(known)), f.Or(unknown...)))
	}
}

// narrows returns the assumptions that all reads find what the formula has.
func (e *valueEncoder) narrows() (all []solver.Bool) {
	for _, n := range e.narrow {
		all = append(all, e.f.Not(n.more))
	}
	return all
}

// widen puts more writes into the formula, for reads that the core of a contradiction
// has, and reports whether there are such reads.
func (e *valueEncoder) widen(core []solver.Bool) (wider bool) {
	needed := make(map[solver.Bool]bool)
	for _, b := range core {
		needed[b] = true
	}
	before := e.narrow
	e.narrow = nil
	for _, n := range before {
		if needed[e.f.Not(n.more)] {
			e.find(n, n.more)
			wider = true
		} else {
			e.narrow = append(e.narrow, n)
		}
	}
	return wider
}

// nearest returns most of the writers that the read at position i may find in cell c,
// with none for what was there at first: the one that it found in the recorded run, and
// then the others, those first that were nearest to it there. The second result is how
// many there are in all.
func (e *valueEncoder) nearest(i, c int32, most int) (ws []int32, all int) {
	v := e.writes.view(i, c)
	ws, all = v.around(i, most), v.size()
	source := e.m.mem.source(i, c)
	if !e.past(source) && v.has(source, e.m.gid(source)) && !slices.Contains(ws, source) {
		ws = append(ws, source)
	}
	if v.initially {
		ws = append(ws, none)
		all++
	}
	e.valueLookups += len(ws)
	distance := func(w int32) int32 {
		switch {
		case w == source || w == none && e.past(source):
			return 0
		case w > i:
			return w - i
		}
		return i - w
	}
	slices.SortStableFunc(ws, func(a, b int32) int { return cmp.Compare(distance(a), distance(b)) })
	return ws[:min(len(ws), most)], all
}

// sees returns what the access at position i finds in cell c if writer w, or none,
// was the last there, and whether it is known: what that left, or what the access
// found in the recorded run, where w had left the same and that was something else.
func (e *valueEncoder) sees(i, c, w int32) (v solver.Int, known solver.Bool) {
	source, same := e.m.mem.source(i, c), e.f.True()
	if w == none {
		v, known = e.initially(i, c)
		w = e.writes.begins(c)
	} else {
		v, known = e.leaves(w), e.taint.computed(w)
		if e.m.follows(w) {
			same = e.unchanged(w)
		}
	}
	if found, stale := e.m.mem.stale(i, c); stale && w == source {
		v = e.either(same, e.f.Const(e.m.numberOf(i, found)), v)
	}
	return v, known
}

// initially returns what the cell c, which the access at position i is to, holds
// before what is encoded, and whether that is known.
func (e *valueEncoder) initially(i, c int32) (solver.Int, solver.Bool) {
	val, ok := e.m.mem.left(e.writes.begins(c), c)
	return e.f.Const(e.m.numberOf(i, val)), e.truth(ok)
}

// knows says that all that the formula of event i follows from is known.
func (e *valueEncoder) knows(i int32) solver.Bool {
	in := e.m.formula(i)
	all := e.f.True()
	for _, r := range in.Reads {
		if r >= 0 {
			all = e.f.And(all, e.knownRead(r))
		}
	}
	if e.m.event(i).Kind == trace.AtomicRMW {
		e.choose(i)
		all = e.f.And(all, e.knownAt[i])
	}
	return all
}

// knownRead says that what the tracked read at position i finds is known.
func (e *valueEncoder) knownRead(i int32) solver.Bool {
	switch {
	case e.past(i) || !e.m.tracked(i):
		return e.f.True()
	case e.m.event(i).Kind == trace.AtomicRMW:
		return e.knows(i)
	}
	e.choose(i)
	return e.knownAt[i]
}

// leaves returns what the write at position w leaves in memory.
func (e *valueEncoder) leaves(w int32) solver.Int {
	if e.past(w) || !e.m.follows(w) {
		return e.f.Const(e.m.number(w))
	}
	if v, ok := e.left[w]; ok {
		return v
	}
	v := terms.Number(e.f, e.parts(w), e.m.formula(w).Formula, 0)
	e.left[w] = v
	return v
}

// outcome says that the condition of event i, which has a formula, comes out as
// recorded, or otherwise.
func (e *valueEncoder) outcome(i int32, recorded bool) solver.Bool {
	b := terms.Truth(e.f, e.parts(i), e.m.formula(i).Formula)
	if (e.m.event(i).Val == 0) == recorded {
		b = e.f.Not(b)
	}
	return e.f.And(b, e.knows(i))
}

// unchanged says that the write at position w, which has a formula, leaves what it
// left in the recorded run.
func (e *valueEncoder) unchanged(w int32) solver.Bool {
	return e.f.And(e.f.Eq(e.leaves(w), e.f.Const(e.m.number(w))), e.knows(w))
}

// parts are those of the formula of the event at a position.
type parts struct {
	*valueEncoder
	in *dataflow.Instance
	at int32
}

func (e *valueEncoder) parts(i int32) parts { return parts{e, e.m.formula(i), i} }

func (s parts) Before() solver.Int { return s.choose(s.at) }

func (s parts) Reading(k int, _ dataflow.Reading) solver.Int {
	if at := s.in.Reads[k]; at >= 0 {
		return s.read(at)
	}
	return s.f.Const(0)
}

func (s parts) Either(c solver.Bool, a, b solver.Int) solver.Int { return s.either(c, a, b) }

// Product returns the product f, which is linear if a factor is as recorded.
func (s parts) Product(f *dataflow.Formula, first int) solver.Int {
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
	for _, at := range s.in.Reads[first:end] {
		if at >= 0 {
			counts = append(counts, s.doneUpTo(at), s.knownRead(at))
		}
	}
	if f.HasBefore() {
		counts = append(counts, s.doneUpTo(s.at), s.knownAt[s.at])
	}
	return s.products.product(a, terms.Number(s.f, s, &f.Args[1], second), s.f.And(counts...))
}

// fixed returns the value of f, if that is as recorded: none of its readings, those
// from and below to, is tracked.
func (s parts) fixed(f *dataflow.Formula, from, to int) (int64, bool) {
	if f.HasBefore() {
		return 0, false
	}
	for _, at := range s.in.Reads[from:to] {
		if at >= 0 && !s.past(at) && s.m.tracked(at) {
			return 0, false
		}
	}
	return f.Eval(0, func(k int, r dataflow.Reading) int64 {
		if at := s.in.Reads[from+k]; at >= 0 {
			return r.Number(s.m.event(at).Val)
		}
		return 0
	}), true
}

// either is a if c holds, else b.
func (e *valueEncoder) either(c solver.Bool, a, b solver.Int) solver.Int {
	switch c {
	case e.f.True():
		return a
	case e.f.False():
		return b
	}
	if e.alternatives++; e.alternatives > maxTerms {
		e.err = fmt.Errorf("symbolic: what is read follows from too many choices to encode")
		return a
	}
	v := e.f.Int(fmt.Sprint("either ", e.alternatives))
	e.assert(e.f.Implies(c, e.f.Eq(v, a)))
	e.assert(e.f.Or(c, e.f.Eq(v, b)))
	return v
}
