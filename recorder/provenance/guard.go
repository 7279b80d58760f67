package provenance

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file finds the places where a value that was read, or follows from such,
// makes the program panic if it is another one: pointers that may be nil, indices,
// divisors. What the value leads to beyond that is not known, so that such a place
// also needs the value to be as recorded. At
//
//	return table[c.index].name // c.index is read
//
// there are two events: one is the value itself (Carries), which has to come out as
// recorded in any run that goes on from here; the other is the condition for
// going on (Guards), (and (<= 0 @index) (< @index 16)) for an array of 16. To violate that
// one is a failure to predict: the panic itself.

// A guard is the condition that the use of a value does not panic. For slices it says only that an
// index is not negative, as other goroutines may change the length, too.
type guard struct {
	op         dataflow.Op // Not: it is not zero; And: it is an index below limit; LessEqual: it is not negative
	indexLimit int64
}

// guardAt returns what r needs of the value v, which may be something else in
// another run; ok is false if it needs nothing that is known.
func (a *analysis) guardAt(v ssa.Value, r ssa.Instruction) (g guard, ok bool) {
	switch x := r.(type) {
	case *ssa.FieldAddr:
		return guard{op: dataflow.Not}, x.X == v
	case *ssa.Call:
		return guard{op: dataflow.Not}, x.Call.IsInvoke() && x.Call.Value == v
	case *ssa.UnOp:
		return guard{op: dataflow.Not}, x.Op == token.MUL && x.X == v
	case *ssa.BinOp:
		basic, _ := x.Y.Type().Underlying().(*types.Basic)
		return guard{op: dataflow.Not}, (x.Op == token.QUO || x.Op == token.REM) && x.Y == v && x.X != v && basic != nil && basic.Info()&types.IsInteger != 0
	case *ssa.IndexAddr:
		if x.Index != v {
			return guard{}, false
		}
		t := x.X.Type().Underlying()
		if p, isPtr := t.(*types.Pointer); isPtr {
			t = p.Elem().Underlying()
		}
		switch t := t.(type) {
		case *types.Array:
			return guard{op: dataflow.And, indexLimit: t.Len()}, true
		case *types.Slice:
			return guard{op: dataflow.LessEqual}, true
		}
	}
	return guard{}, false
}

// condition is the term that g is for the value of t: true if the program goes on.
func (g guard) condition(t *term) *term {
	switch g.op {
	case dataflow.Not:
		return join(dataflow.Not, join(dataflow.Equal, t, numberTerm(0)))
	case dataflow.LessEqual:
		return join(dataflow.LessEqual, numberTerm(0), t)
	}
	return join(dataflow.And, join(dataflow.LessEqual, numberTerm(0), t), join(dataflow.Less, t, numberTerm(g.indexLimit)))
}

// noteGuard notes the guard of v at r, an instruction of f, and returns the place of the
// value there; ok is false if there is none. A pointer to which the program assigns nil
// nowhere is no reason to look for a panic: each of them would be a candidate, and no run
// has it.
func (a *analysis) noteGuard(f *function, v ssa.Value, r ssa.Instruction) (Spot, bool) {
	g, ok := a.guardAt(v, r)
	if !ok {
		return Spot{}, false
	}
	left := maxTermInstructions
	d := &deriver{analysis: a, f: f, use: r, instructionsLeft: &left}
	t := d.term(v)
	if t == nil || len(t.reads) == 0 || g.op == dataflow.Not && !isSort(v.Type(), number) && !a.mayBeNil(t) {
		return Spot{}, false
	}
	pos := d.placeInUse(v)
	if !pos.IsValid() {
		return Spot{}, false
	}
	at := Spot{f.fset, pos, Evaluates, 0}
	condition := Spot{f.fset, pos, Guards, 0}
	a.found.operands[at] = true
	a.found.formulas[at] = t.Formula
	a.found.formulas[condition] = g.condition(t).Formula
	a.found.reads[at], a.found.reads[condition] = t.reads, t.reads
	for _, o := range t.operands {
		a.found.operands[o.Spot] = true
	}
	return at, true
}

// variableOf names the variable at an address: a field, by its declaration, or a
// package variable. It is nil for others. All structs of a type have one field so: what is
// asked, whether nil is ever assigned to it, is a question of the program's text.
func variableOf(addr ssa.Value) any {
	switch x := addr.(type) {
	case *ssa.FieldAddr:
		if p, ok := x.X.Type().Underlying().(*types.Pointer); ok {
			if s, ok := p.Elem().Underlying().(*types.Struct); ok {
				return s.Field(x.Field).Pos()
			}
		}
	case *ssa.Global:
		return x
	}
	return nil
}

// findNils notes the variables to which the program assigns nil, and those to which
// it assigns anything later than at its start.
func (a *analysis) findNils() {
	note := func(addr, val ssa.Value) {
		if c, ok := val.(*ssa.Const); ok && c.IsNil() {
			if v := variableOf(addr); v != nil {
				a.found.nilVariables[v] = true
			}
		}
	}
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		a.found.analysedPackages[f.pkgPath()] = true
		switch x := instr.(type) {
		case *ssa.Store:
			note(x.Addr, x.Val)
			if f.Synthetic != "package initializer" {
				a.found.reassignedMemory[a.MemoryName(x.Addr)] = true
			}
		case *ssa.Call:
			if atomicOp(x.Common()) == "Store" {
				note(x.Call.Args[0], x.Call.Args[1])
			}
		}
	})
}

// pkgPath is the import path of f's package, "" if it has none.
func (f *function) pkgPath() string {
	if f.Pkg == nil {
		return ""
	}
	return f.Pkg.Pkg.Path()
}

// mayGiveNil reports whether a result of f is read from where nil may be. It goes no
// further than one call: a function that hands on what another returned counts as giving
// none.
func (a *analysis) mayGiveNil(f *function) bool {
	for _, r := range returnsOf(f.Function) {
		for k := range r.Results {
			for _, read := range a.found.reads[Spot{f.fset, r.Pos(), ReturnsResults, k}] {
				if read.variable != nil && a.found.nilVariables[read.variable] {
					return true
				}
			}
		}
	}
	return false
}

// mayBeNil reports whether nil is assigned somewhere to what t is read from.
func (a *analysis) mayBeNil(t *term) bool {
	for _, r := range t.reads {
		if r.variable != nil && a.found.nilVariables[r.variable] {
			return true
		}
		if of, ok := r.memory.(resultsOf); ok && a.mayGiveNil(of.f) {
			return true
		}
	}
	return false
}
