package merged

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/analysis/terms"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// An encoding is the formula of a program: its models are the runs. One more event, the moment of
// the violation, separates what happens from what does not.
type encoding struct {
	*Program
	f             *solver.Formula
	engine        solver.Engine
	events        []solver.Event // by node
	moment        solver.Event
	writes        map[uint64][]int32 // by address: nodes
	foundValues   map[int32]solver.Int
	formulaValues map[int32]solver.Int
	terms         int
}

// maxTerms bounds the formula, in pairs of events that it compares.
const maxTerms = 1 << 19

// errTooMany is why there is no formula.
var errTooMany = errors.New("merged: the recordings' events depend on each other in too many ways")

// encode makes the formula of the program.
func (p *Program) encode(f *solver.Formula, engine solver.Engine) (*encoding, error) {
	e := &encoding{
		Program: p, f: f, engine: engine, moment: f.Event("violation"),
		writes: make(map[uint64][]int32), foundValues: make(map[int32]solver.Int), formulaValues: make(map[int32]solver.Int),
	}
	for k := range p.nodes {
		n := &p.nodes[k]
		e.events = append(e.events, f.Event(fmt.Sprint("e", k)))
		if n.Stores() {
			e.writes[n.Obj] = append(e.writes[n.Obj], int32(k))
		}
	}
	for k := range p.nodes {
		if prev := p.nodes[k].prev; prev != none {
			engine.Assert(f.Before(e.events[prev], e.events[k]))
		}
		e.assertOneAlternative(p.nodes[k].next)
	}
	e.assertOneAlternative(p.roots)
	for k := range p.nodes {
		e.node(int32(k))
		if e.terms > maxTerms {
			return nil, errTooMany
		}
	}
	e.assertSync()
	if e.terms > maxTerms {
		return nil, errTooMany
	}
	return e, f.Err()
}

// assertOneAlternative says that each goroutine goes on with at most one of the alternatives.
func (e *encoding) assertOneAlternative(next []int32) {
	for k, a := range next {
		for _, b := range next[:k] {
			if e.nodes[a].G == e.nodes[b].G {
				e.engine.Assert(e.f.Not(e.f.And(e.happens(a), e.happens(b))))
			}
		}
	}
}

// happens says that the run reaches n: its guard.
func (e *encoding) happens(n int32) solver.Bool { return e.f.Before(e.events[n], e.moment) }

// before says that a precedes b, if both happen.
func (e *encoding) before(a, b int32) solver.Bool {
	switch {
	case a == b || e.follows(b, a):
		return e.f.False()
	case e.follows(a, b):
		return e.f.True()
	}
	e.terms++
	return e.f.Before(e.events[a], e.events[b])
}

// happened says that a has happened before b, which happens.
func (e *encoding) happened(a, b int32) solver.Bool {
	switch {
	case e.exclusive(a, b):
		return e.f.False()
	case e.follows(a, b):
		return e.f.True()
	}
	return e.f.And(e.happens(a), e.before(a, b))
}

// assertIf says that b holds if n happens.
func (e *encoding) assertIf(n int32, b solver.Bool) { e.engine.Assert(e.f.Implies(e.happens(n), b)) }

// node asserts what must hold where the run reaches a node.
func (e *encoding) node(k int32) {
	n := &e.nodes[k]
	switch {
	case n.Kind.IsAccess():
		if n.Kind.IsRead() {
			e.foundValue(k)
		}
		if n.formula != nil {
			if left := e.writtenValue(k); !n.mayDiffer {
				e.assertIf(k, e.f.Eq(left, e.number(n.Obj, n)))
			}
		}
	case n.formula != nil && n.Kind == trace.Operand:
		e.assertIf(k, e.f.Eq(e.value(k), e.f.Const(recordedResult(e.Program, n))))
	case n.formula != nil:
		e.assertIf(k, e.conditionIs(k, n.Val != 0))
	}
}

// recorded returns the result of the formula of n in the recording.
func recordedResult(p *Program, n *node) int64 {
	return n.formula.Eval(0, func(k int, r dataflow.Reading) int64 {
		if n.reads[k] == none {
			return 0
		}
		return r.Number(p.nodes[n.reads[k]].Val)
	})
}

// number returns the value of n as formulas read what is at the address.
func (e *encoding) number(address uint64, n *node) solver.Int {
	return e.f.Const(e.numberOf(address, n.Size, n.Val))
}

func (p *Program) numberOf(address uint64, size uint32, val uint64) int64 {
	return dataflow.Reading{Signed: !p.unsigned[address], Size: uint8(min(size, 8))}.Number(val)
}

// assertFinds asserts the π-function of the read k: it finds what the last write before it left. If
// no formula tells what follows from that, it is what it found in the recording.
func (e *encoding) assertFinds(k int32) {
	n, f := &e.nodes[k], e.f
	v := f.Const(0)
	if n.HasValue() {
		v = f.Int(fmt.Sprint("found ", k))
	}
	e.foundValues[k] = v
	ws := e.candidates(k)
	var ways []solver.Bool
	for _, w := range ws {
		if w != none {
			way := []solver.Bool{e.happened(w, k), e.matches(k, w, v)}
			for _, other := range ws {
				if other != w && other != none && !e.exclusive(w, other) {
					way = append(way, f.Or(f.Not(e.happens(other)), e.before(other, w), e.before(k, other)))
				}
			}
			ways = append(ways, f.And(way...))
			continue
		}
		way := []solver.Bool{e.matches(k, none, v)}
		for _, other := range ws {
			if other != none {
				way = append(way, f.Or(f.Not(e.happens(other)), e.before(k, other)))
			}
		}
		ways = append(ways, f.And(way...))
	}
	e.assertIf(k, f.Or(ways...))
}

// candidates returns the writes that the read k may find; none stands for the memory before the
// test.
func (e *encoding) candidates(k int32) (ws []int32) {
	last := int32(none) // the last write that must precede k
	for _, w := range e.writes[e.nodes[k].Obj] {
		if e.follows(w, k) && (last == none || e.follows(last, w)) {
			last = w
		}
	}
	for _, w := range e.writes[e.nodes[k].Obj] {
		if w != k && !e.exclusive(w, k) && !e.follows(k, w) && (last == none || w == last || !e.follows(w, last)) {
			ws = append(ws, w)
		}
	}
	if last == none {
		ws = append(ws, none)
	}
	return ws
}

// matches says that v is what the read k finds if w was the last write, or none, and that its
// goroutine goes on as recorded then.
func (e *encoding) matches(k, w int32, v solver.Int) solver.Bool {
	n, f := &e.nodes[k], e.f
	if n.bySource() {
		if slices.Contains(n.sources, w) {
			return f.True()
		}
		return f.False()
	}
	var left solver.Int
	switch {
	case w == none:
		was := e.initial[n.Obj]
		if !was.known {
			return f.False()
		}
		left = f.Const(e.numberOf(n.Obj, n.Size, was.val))
	case !e.nodes[w].HasValue():
		return f.False()
	default:
		left = e.writtenValue(w)
	}
	if n.Kind == trace.AtomicRMW && n.formula != nil || n.tracked {
		return f.Eq(v, left)
	}
	return f.And(f.Eq(v, left), f.Eq(left, e.number(n.Obj, n)))
}

// writtenValue returns what the write w leaves.
func (e *encoding) writtenValue(w int32) solver.Int {
	n := &e.nodes[w]
	if n.formula == nil {
		return e.number(n.Obj, n)
	}
	return e.value(w)
}

// value returns the result of the formula of n.
func (e *encoding) value(n int32) solver.Int {
	if v, ok := e.formulaValues[n]; ok {
		return v
	}
	v := terms.Number(e.f, formulaInputs{e, n}, e.nodes[n].formula, 0)
	e.formulaValues[n] = v
	return v
}

// conditionIs says that the condition n comes out so.
func (e *encoding) conditionIs(n int32, outcome bool) solver.Bool {
	b := terms.Truth(e.f, formulaInputs{e, n}, e.nodes[n].formula)
	if !outcome {
		return e.f.Not(b)
	}
	return b
}

// read returns what formulas of later nodes read at node k.
func (e *encoding) read(k int32, r dataflow.Reading) solver.Int {
	n := &e.nodes[k]
	switch {
	case !n.tracked:
		return e.f.Const(r.Number(n.Val))
	case n.Kind == trace.AtomicRMW:
		return e.writtenValue(k)
	}
	return e.foundValue(k)
}

// foundValue returns what the read k finds in memory.
func (e *encoding) foundValue(k int32) solver.Int {
	if v, ok := e.foundValues[k]; ok {
		return v
	}
	e.assertFinds(k)
	return e.foundValues[k]
}

// parts are the inputs of the formula of a node; see package terms.
type formulaInputs struct {
	*encoding
	at int32
}

func (s formulaInputs) Before() solver.Int { return s.foundValue(s.at) }

func (s formulaInputs) Reading(k int, r dataflow.Reading) solver.Int {
	if read := s.nodes[s.at].reads[k]; read != none {
		return s.read(read, r)
	}
	return s.f.Const(0)
}

func (s formulaInputs) Either(c solver.Bool, a, b solver.Int) solver.Int { return s.either(c, a, b) }

// Product is never called, as no node has a formula that is not linear: see setFormula.
func (s formulaInputs) Product(*dataflow.Formula, int) solver.Int {
	panic("merged: a product of two reads")
}

// either returns a if c holds, else b.
func (e *encoding) either(c solver.Bool, a, b solver.Int) solver.Int {
	v := e.f.Int(fmt.Sprint("either ", e.terms))
	e.terms++
	e.engine.Assert(e.f.Implies(c, e.f.Eq(v, a)), e.f.Or(c, e.f.Eq(v, b)))
	return v
}

// solve asks for a run in which the condition n comes out otherwise. It returns the nodes of the
// run in order; nil if there is none.
func (e *encoding) solve(ctx context.Context, n int32, budget *solver.Budget) (solver.Answer, []int32, error) {
	siblings := e.roots
	var property []solver.Bool
	if prev := e.nodes[n].prev; prev != none {
		siblings = e.nodes[prev].next
		property = append(property, e.happens(prev))
	}
	for _, s := range siblings {
		if e.nodes[s].G == e.nodes[n].G {
			property = append(property, e.f.Not(e.happens(s)))
		}
	}
	property = append(property, e.conditionIs(n, e.nodes[n].Val == 0))
	answer, err := e.engine.Check(ctx, budget, property...)
	if err != nil || answer != solver.Sat {
		return answer, nil, err
	}
	var run []int32
	for _, ev := range e.engine.Order() {
		if ev == e.moment {
			break
		}
		run = append(run, int32(ev-e.moment-1))
	}
	return answer, run, nil
}
