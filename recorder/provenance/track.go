package provenance

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file is the second condition for the use of a formula. A read may find another value in a
// predicted run only if formulas describe all that the value goes into. So each use of the value
// is followed to its end. Of
//
//	n := a.hits    // tracked: it goes into a store and an assertion
//	a.hits = n + 1
//	require.Less(t, n, 10)
//	log.Println(n) // with this line it is not: who knows what is done with the text
//
// the read may find another number in a predicted run, as the store and the assertion have
// formulas that tell what comes of it. That is forward slicing (Horwitz, Reps and Binkley,
// Interprocedural Slicing Using Dependence Graphs, TOPLAS 1990) of one value, which gives
// up at the first use that no formula covers.

// derive finds the formulas of all stores, conditions and assertions, and the
// reads of which the values go nowhere else. The order matters: which values are handed
// over from call to call is known once all formulas have said which ones they want, and
// what is read may be tracked through these, then.
func (a *analysis) derive() {
	a.findCalls()
	a.findNils()
	a.indexCalls()
	a.eachInstruction(a.deriveInstruction)
	a.wantGuarded()
	a.deriveHanded()
	defer a.findNeeded()
	defer a.trackHanded()
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		v, ok := instr.(ssa.Value)
		if !ok {
			return
		}
		if s, ok := a.readAt(f, v); ok {
			a.track(f, v, s)
		}
	})
}

// findCalls notes the calls of each function that name it, and which ones go and defer
// call: these run at another time, so that no term goes through them.
func (a *analysis) findCalls() {
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok {
			return
		}
		g := a.calledFunction(c)
		if g == nil {
			return
		}
		if c, ok := c.(*ssa.Call); ok {
			a.found.calls[g] = append(a.found.calls[g], call{f, c})
		} else {
			a.found.spawnedFunctions[g] = true
		}
	})
}

// A call is one in a function: c is an instruction of f.
type call struct {
	caller *function
	instr  *ssa.Call
}

// deriveInstruction notes the formula of instr, if it is a store, condition or assertion
// that follows from something that was read, and whether a condition leads to a failure:
//
//	if a.balance < 0 {
//		t.Errorf("balance %d", a.balance)
//	}
//
// is an assertion that the balance is not negative, with the outcome IfTrue for its failure. If
// both ways fail, the condition is no assertion.
func (a *analysis) deriveInstruction(f *function, instr ssa.Instruction) {
	s, t := a.formula(f, instr)
	if cond, ok := instr.(*ssa.If); ok && s.Pos.IsValid() {
		b := cond.Block()
		switch then, els := failsTest(b.Succs[0]), failsTest(b.Succs[1]); {
		case then && !els:
			a.found.failingOutcomes[s], a.found.endsGoroutine[s] = trace.IfTrue, stopsGoroutine(b.Succs[0])
		case els && !then:
			a.found.failingOutcomes[s], a.found.endsGoroutine[s] = trace.IfFalse, stopsGoroutine(b.Succs[1])
		}
	}
	if t == nil {
		return
	}
	if old, ok := a.found.formulas[s]; ok && old.String() != t.Formula.String() {
		a.found.ambiguous[s] = true
	}
	a.found.formulas[s] = t.Formula
	a.found.reads[s] = t.reads
	if len(t.reads) > 0 {
		for _, o := range t.operands {
			a.found.operands[o.Spot] = true
		}
	}
}

// formula returns where instr has its event, if it is a store, condition or
// assertion, and what follows from reads there. What an atomic Add leaves follows from what
// was there before, which is no reading of its own but a part of the same event: Before.
func (a *analysis) formula(f *function, instr ssa.Instruction) (Spot, *term) {
	switch x := instr.(type) {
	case *ssa.Store:
		if s, ok := a.storeAt(f, x); ok {
			return s, a.term(f, x, x.Val)
		}
	case *ssa.If:
		if e := a.conditionOf(x); e != nil {
			return Spot{f.fset, e.Pos(), Branches, 0}, a.term(f, x, x.Cond)
		}
	case *ssa.Call:
		switch op := atomicOp(x.Common()); op {
		case "Store":
			return Spot{f.fset, x.Pos(), Atomics, 0}, a.term(f, x, x.Call.Args[1])
		case "Add":
			return Spot{f.fset, x.Pos(), Atomics, 0}, join(dataflow.Plus, &term{Formula: Formula{Op: dataflow.Before}}, a.term(f, x, x.Call.Args[1]))
		}
		if t, args := a.assertionTerm(f, x); args != nil {
			return Spot{f.fset, x.Pos(), Asserts, 0}, t
		}
	}
	return Spot{}, nil
}

// storeAt returns where the event of s comes to be; it has none if nobody else can see the
// memory.
func (a *analysis) storeAt(f *function, s *ssa.Store) (Spot, bool) {
	if a.NeedsNoEvents(s.Addr) || !s.Pos().IsValid() {
		return Spot{}, false
	}
	return Spot{f.fset, s.Pos(), Writes, 0}, true
}

// conditionOf returns the expression that the condition of x is in the source; nil if it is not a
// part of the condition of an if, for or switch.
func (a *analysis) conditionOf(x *ssa.If) ast.Expr {
	for _, instr := range slices.Backward(x.Block().Instrs) {
		if ref, ok := instr.(*ssa.DebugRef); ok && !ref.IsAddr && ref.X == x.Cond {
			if a.found.conditionLeaves[ref.Expr] {
				return ref.Expr
			}
			return nil
		}
	}
	return nil
}

// ConditionLeaves returns the conditions that make up x, by way of &&, || and !, in the order of their
// evaluation.
func ConditionLeaves(x ast.Expr) []ast.Expr {
	x = ast.Unparen(x)
	switch y := x.(type) {
	case *ast.BinaryExpr:
		if y.Op == token.LAND || y.Op == token.LOR {
			return append(ConditionLeaves(y.X), ConditionLeaves(y.Y)...)
		}
	case *ast.UnaryExpr:
		if y.Op == token.NOT {
			return ConditionLeaves(y.X)
		}
	}
	return []ast.Expr{x}
}

// noteConditions notes the conditions that make up x. Each of them has an event of its own, as the
// program evaluates only as many as it takes. Of is what x is the condition of, nil for a loop.
func (v *derivation) noteConditions(x ast.Expr, of *choice) {
	for _, leaf := range ConditionLeaves(x) {
		v.conditionLeaves[leaf] = true
		if of != nil {
			v.choices[leaf] = of
		}
	}
}

// track notes where the value v, which is read at s, goes, if formulas say all of
// that; else it notes that s is not tracked.
func (a *analysis) track(f *function, v ssa.Value, s Spot) {
	u := &useTracker{analysis: a, seen: map[ssa.Value]bool{}, budget: 1000}
	if !u.follow(f, v, false) {
		a.found.usedElsewhere[s] = true
		return
	}
	a.found.tracked[s] = append(a.found.tracked[s], u.spots...)
}

// useTracker collects where a value goes. It is one walk forward along ssa's referrers, for one
// read.
type useTracker struct {
	*analysis
	seen      map[ssa.Value]bool // values that were followed already, as in loops
	spots     []Spot             // places of the formulas that the value goes into
	budget    int                // how many more values may be followed; at 0 the read is not tracked
	callDepth int                // how many calls are being followed, up to maxCallDepth
}

// follow reports whether all that v goes into is in formulas. pure says that it
// may go nowhere but into the function's result: that is asked of a function that others
// call, too, whose formulas are not of this call alone. What comes after a failure does not
// count: the run that is predicted ends in that failure, or never comes there.
func (u *useTracker) follow(f *function, v ssa.Value, pure bool) bool {
	if u.seen[v] {
		return true
	}
	u.seen[v] = true
	if u.budget--; u.budget < 0 {
		return false
	}
	refs := v.Referrers()
	if refs == nil {
		return false
	}
	for _, r := range *refs {
		if _, ok := r.(*ssa.DebugRef); ok || afterFailure(r.Block()) {
			continue
		}
		if !u.followUse(f, v, r, pure) {
			return false
		}
	}
	return true
}

// followUse reports whether all that r does with v is in formulas. An instruction that panics for
// some values has a condition of its own (guard.go). Any instruction that is not named here ends
// the search, and v keeps its recorded value.
func (u *useTracker) followUse(f *function, v ssa.Value, r ssa.Instruction, pure bool) bool {
	if at, ok := u.analysis.noteGuard(f, v, r); ok && !pure {
		u.spots = append(u.spots, at)
		return true
	}
	switch x := r.(type) {
	case *ssa.BinOp, *ssa.Convert, *ssa.ChangeType:
		return u.follow(f, r.(ssa.Value), pure)
	case *ssa.Slice:
		return !isSort(v.Type(), text) && u.follow(f, x, pure)
	case *ssa.UnOp:
		return (x.Op == token.NOT || x.Op == token.SUB) && u.follow(f, x, pure)
	case *ssa.Store:
		if x.Addr == v {
			return false
		}
		if alloc, ok := x.Addr.(*ssa.Alloc); ok && !alloc.Heap {
			return u.followVariable(f, alloc, x, pure)
		}
	case *ssa.Return:
		return u.followResult(f, v, x, pure)
	case *ssa.MakeInterface:
		return u.followInterface(f, x, pure)
	case *ssa.ChangeInterface:
		return u.followInterface(f, x, pure)
	case *ssa.Call:
		if !pure {
			if all, ok := u.followHandedArgument(f, x, v); ok {
				return all
			}
			if comparingFunction(x) != "" && slices.Contains(x.Call.Args[:2], v) {
				return u.follow(f, x, pure)
			}
		}
		if g := u.calledFunction(x); g != nil {
			return u.followArgument(g, x, v, f, pure)
		}
		if lengthOf(x) == v && isSort(v.Type(), text, length) {
			return u.follow(f, x, pure)
		}
		if base, more := appended(x); base == v || more == v {
			return u.follow(f, x, pure)
		}
		if atomicOp(x.Common()) == "" && !slices.Contains(assertedValues(x), v) || len(x.Call.Args) > 0 && x.Call.Args[0] == v {
			return false
		}
	case *ssa.If:
	default:
		return false
	}
	return !pure && u.endsInFormula(f, r)
}

// followInterface reports whether x, an interface, goes to assertions and the like only, which
// have formulas.
func (u *useTracker) followInterface(f *function, x ssa.Value, pure bool) bool {
	for _, ref := range *x.Referrers() {
		c, ok := ref.(*ssa.Call)
		if _, debug := ref.(*ssa.DebugRef); debug || afterFailure(ref.Block()) {
			continue
		}
		if !ok || assertedValues(c) == nil {
			if !pure && u.followUse(f, x, ref, pure) {
				continue
			}
			return false
		}
		if !slices.Contains(assertedValues(c), x) || countIn(c.Call.Args, x) > 1 || !u.endsInFormula(f, c) || pure {
			return false
		}
	}
	return true
}

// countIn counts how often v is among args.
func countIn(args []ssa.Value, v ssa.Value) (n int) {
	for _, arg := range args {
		if arg == v {
			n++
		}
	}
	return n
}

// endsInFormula reports whether r has a formula, and notes its place.
func (u *useTracker) endsInFormula(f *function, r ssa.Instruction) bool {
	s, t := u.formula(f, r)
	if t == nil {
		return false
	}
	u.spots = append(u.spots, s)
	for _, o := range t.operands { // x[:n] has no reading of x
		u.found.operands[o.Spot] = true
	}
	return true
}

// followVariable follows what s stores in a variable of which the address goes nowhere: to the
// loads that find it (lastStoreInBlock). One that may find another store's value ends the trail.
func (u *useTracker) followVariable(f *function, alloc *ssa.Alloc, s *ssa.Store, pure bool) bool {
	for _, r := range *alloc.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
			if r.IsAddr {
				return false
			}
		case *ssa.Store:
		case *ssa.UnOp:
			if r.Block() == f.Recover {
				continue
			}
			val := lastStoreInBlock(r)
			if val == nil || val == s.Val && !u.follow(f, r, pure) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// followResult follows the result v of f to its callers: to those that there are if all are
// known, and by way of events else.
func (u *useTracker) followResult(f *function, v ssa.Value, r *ssa.Return, pure bool) bool {
	if pure {
		return true // the caller follows the result
	}
	if f.calledFromOutside || len(r.Results) != 1 {
		return u.followHandedResult(f, v, r)
	}
	if u.callDepth == maxCallDepth {
		return false
	}
	u.callDepth++
	defer func() { u.callDepth-- }()
	for _, c := range u.found.calls[f] {
		if !u.follow(c.caller, c.instr, false) {
			return false
		}
	}
	return true
}

// followArgument follows v, an argument of the call c of g in f, through g to its result. If c is
// the one call of g, what g does with it may be in formulas, as in f itself; else it must be
// pure.
func (u *useTracker) followArgument(g *function, c *ssa.Call, v ssa.Value, f *function, pure bool) bool {
	if u.callDepth == maxCallDepth {
		return false
	}
	u.callDepth++
	defer func() { u.callDepth-- }()
	_, only := u.onlyCall(g)
	for i, arg := range c.Call.Args {
		if arg == v && (i >= len(g.Params) || !u.follow(g, g.Params[i], pure || !only)) {
			return false
		}
	}
	return u.follow(f, c, pure)
}

// afterFailure reports whether the program comes to b only after a test failed, or
// on the way to a panic: a block that dominates it does that.
func afterFailure(b *ssa.BasicBlock) bool {
	for ; b != nil; b = b.Idom() {
		if failsTest(b) && b.Idom() != nil {
			return true
		}
	}
	return false
}
