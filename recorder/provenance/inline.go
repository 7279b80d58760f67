package provenance

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/sharing"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file follows values through calls of the program's own functions that the source
// names: a term of the caller goes on in the callee's body, as if that stood in place of
// the call. Of
//
//	func (a *account) rich() bool { return a.balance > 100 } // one return statement
//	require.True(t, a.rich())
//
// the assertion has the formula (< 100 @balance), with the reading at its place in rich.
// No event tells which call it was: a formula names the goroutine's last event at a place,
// so that the term holds only as long as nothing comes by there again before it is used.
// That is what most of this file finds out, by the control flow of the one function and
// the call graph of the rest (before, between, mayCall). Where it cannot be said, there is
// the other way, of handed.go.

// inlinedResult is the term of the result of a call: what its function returns, in terms of the
// arguments, if that is one expression. A function with two return statements would have a
// choice between them, which depends on conditions of its own; it has no term here.
func (d *deriver) inlinedResult(c *ssa.Call) *term {
	g := d.calledFunction(c)
	if g == nil || d.callDepth == maxCallDepth || g.Signature.Results().Len() != 1 {
		return nil
	}
	returns := returnsOf(g.Function)
	if len(returns) != 1 {
		return nil
	}
	ret := returns[0]
	callee := &deriver{analysis: d.analysis, f: g, use: ret, instructionsLeft: d.instructionsLeft, callDepth: d.callDepth + 1, params: map[*ssa.Parameter]*term{}}
	for i, p := range g.Params {
		// What an argument follows from must hold at the call, and not where d's own use is.
		if _, _, ok := d.wordOf(p.Type()); ok {
			at := *d
			at.use = c
			callee.params[p] = at.term(c.Call.Args[i])
		}
	}
	t := callee.term(ret.Results[0])
	if t == nil {
		return nil
	}
	return d.countRepeatedCalls(t, c)
}

// onlyCallArgument is the term of a parameter of a function that is called in one place:
// that of the argument there, if what it was read from is still the last event there when
// the function comes to its use.
func (d *deriver) onlyCallArgument(p *ssa.Parameter) *term {
	from, ok := d.onlyCall(d.f)
	if !ok || d.callDepth == maxCallDepth {
		return nil
	}
	i := slices.Index(d.f.Params, p)
	if i < 0 || i >= len(from.instr.Call.Args) {
		return nil
	}
	caller := &deriver{analysis: d.analysis, f: from.caller, use: from.instr, instructionsLeft: d.instructionsLeft, callDepth: d.callDepth + 1}
	t := caller.term(from.instr.Call.Args[i])
	if t == nil {
		return nil
	}
	for _, other := range before(d.use) {
		for _, r := range slices.Concat(t.reads, t.operands) {
			if d.mayCall(other, r.function) {
				return nil
			}
		}
	}
	return t
}

// onlyCall returns the one call of f that there is. A go or defer statement is another
// one, at another time.
func (a *analysis) onlyCall(f *function) (call, bool) {
	calls := a.found.calls[f]
	if f.calledFromOutside || len(calls) != 1 || a.found.spawnedFunctions[f] {
		return call{}, false
	}
	return calls[0], true
}

// before returns the instructions of a function that may be executed before instr: all, if
// it stands in a loop.
func before(instr ssa.Instruction) []ssa.Instruction {
	end := instr.Block()
	if reaches(end.Succs, end) {
		var all []ssa.Instruction
		for _, b := range instr.Parent().Blocks {
			all = append(all, b.Instrs...)
		}
		return all
	}
	var out []ssa.Instruction
	for b := range sharing.Reachable(instr.Parent().Blocks[:1], end) {
		switch {
		case b == end:
			out = append(out, b.Instrs[:slices.Index(b.Instrs, instr)]...)
		case reaches(b.Succs, end):
			out = append(out, b.Instrs...)
		}
	}
	return out
}

// countRepeatedCalls says in t, the term of the result of c, how many events came to be at
// the same places between c and its use; it returns nil if that is not known. In
//
//	x, y := get(), get()
//	require.Equal(t, x, y)
//
// both terms read at the same place in get, and x is what the last event but one has read
// there: dataflow.Reading.Back is 1. It can be counted where both calls stand in the block of
// the use, one after the other, and each of them comes by exactly once.
func (d *deriver) countRepeatedCalls(t *term, c *ssa.Call) *term {
	var again uint8
	all := slices.Concat(t.reads, t.operands)
	for _, other := range between(c, d.use) {
		for _, r := range all {
			if r.function == d.f || !d.mayCall(other, r.function) {
				continue
			}
			same, ok := other.(*ssa.Call)
			if !ok || d.calledFunction(same) != d.calledFunction(c) || same.Block() != c.Block() || d.use.Block() != c.Block() {
				return nil
			}
		}
		if same, ok := other.(*ssa.Call); ok && d.calledFunction(same) == d.calledFunction(c) {
			again++
		}
	}
	if again == 0 {
		return t
	}
	out := *t
	own := map[uint64]bool{} // readings of the caller's own, in arguments of the call
	for _, r := range all {
		if !r.executedOnce {
			return nil
		}
		own[d.found.readingKey(r.Spot)] = r.function == d.f
	}
	out.Formula = shiftReadings(t.Formula, again, own)
	return &out
}

// shiftReadings returns f with readings that are by n events further back, but for those in own,
// the caller's: these are before the call, and nothing of it came between.
func shiftReadings(f Formula, n uint8, own map[uint64]bool) Formula {
	if f.Op == dataflow.Value && !own[f.Read.Key] {
		f.Read.Back += n
	}
	f.Args = slices.Clone(f.Args)
	for i := range f.Args {
		f.Args[i] = shiftReadings(f.Args[i], n, own)
	}
	return f
}

// calledFunction returns the function of the program that c calls, nil if it is another
// one or not known.
func (a *analysis) calledFunction(c ssa.CallInstruction) *function {
	fn := c.Common().StaticCallee()
	if fn == nil || c.Common().IsInvoke() {
		return nil
	}
	return a.body(fn)
}

// executesOnce reports whether each call of instr's function that returns executes instr
// exactly once: it is in no loop, and its block dominates each return statement.
func executesOnce(instr ssa.Instruction) bool {
	b := instr.Block()
	if reaches(b.Succs, b) {
		return false
	}
	return !slices.ContainsFunc(returnsOf(b.Parent()), func(r *ssa.Return) bool { return !b.Dominates(r.Block()) })
}

// reaches reports whether there is a way from one of the blocks to another. Asked of a
// block and its own successors, it says whether that is in a loop.
func reaches(from []*ssa.BasicBlock, to *ssa.BasicBlock) bool {
	for b := range sharing.Reachable(from, nil) {
		if b == to {
			return true
		}
	}
	return false
}

// between returns the instructions that may be executed after first and before last, which
// follows it in the same function. Those of the blocks from which no way leads to last are
// left out: what is on the way to another return statement is never between the two.
func between(first, last ssa.Instruction) []ssa.Instruction {
	b, end := first.Block(), last.Block()
	i, j := slices.Index(b.Instrs, first), slices.Index(end.Instrs, last)
	if b == end && i < j {
		return b.Instrs[i+1 : j]
	}
	out := slices.Clone(b.Instrs[i+1:])
	for m := range sharing.Reachable(b.Succs, end) {
		switch {
		case m == end:
			out = append(out, m.Instrs[:j]...)
		case reaches(m.Succs, end):
			out = append(out, m.Instrs...)
		}
	}
	return out
}

// mayCall reports whether instr may call f in the same goroutine, by whatever way: another
// frame of f may then come by a place that a formula names. What a go statement starts has
// events of its own. Deferred calls are made where the function runs them, whichever of its
// defer statements it has come by.
func (a *analysis) mayCall(instr ssa.Instruction, f *function) bool {
	switch instr := instr.(type) {
	case *ssa.Go:
		return false
	case *ssa.RunDefers:
		for _, b := range instr.Parent().Blocks {
			for _, other := range b.Instrs {
				if d, ok := other.(*ssa.Defer); ok && a.mayLeadTo(d, f) {
					return true
				}
			}
		}
	case *ssa.Call:
		return a.mayLeadTo(instr, f)
	}
	return false
}

// mayLeadTo reports whether the call c, now or deferred, may lead to f: it calls f, or a function
// that leads to f, or code that is not known, which may call functions that are open.
func (a *analysis) mayLeadTo(c ssa.CallInstruction, f *function) bool {
	if g := a.calledFunction(c); g != nil {
		return g == f || a.callees(g)[f] || a.callees(g)[nil] && f.mayBeCalledBack()
	}
	return !callsNothingBack(c.Common()) && f.mayBeCalledBack()
}

// mayBeCalledBack reports whether code that is not known may call f in a goroutine that
// runs the program's code already. Tests are called by package testing alone, which starts
// a goroutine for each.
func (f *function) mayBeCalledBack() bool {
	return f.calledFromOutside && !f.calledByTesting
}

// callees returns the functions that calls of g may lead to in the same
// goroutine; nil stands for code that is not known. It is the transitive closure, which is
// kept for each g: the same calls stand between many readings and their uses.
func (a *analysis) callees(g *function) map[*function]bool {
	if a.found.callees[g] != nil {
		return a.found.callees[g]
	}
	out := map[*function]bool{}
	var walk func(g *function)
	walk = func(g *function) {
		for _, b := range g.Blocks {
			for _, instr := range b.Instrs {
				c, ok := instr.(ssa.CallInstruction)
				if _, spawn := instr.(*ssa.Go); !ok || spawn {
					continue
				}
				next := a.calledFunction(c)
				if next == nil && callsNothingBack(c.Common()) || out[next] {
					continue
				}
				out[next] = true
				if next != nil {
					walk(next)
				}
			}
		}
	}
	walk(g)
	a.found.callees[g] = out
	return out
}

// callsNothingBack reports whether c, which calls no function of the program, does not make the
// callee call one either, in this goroutine and as long as no test fails. Most of the
// standard library that tests call is so, but not what gets a function, or calls one that
// it was given before, as sync.Pool's Get and Once's Do. Of packages that are not named
// here nothing is known: they may be handed an interface and call its methods.
func callsNothingBack(c *ssa.CallCommon) bool {
	if _, ok := c.Value.(*ssa.Builtin); ok && !c.IsInvoke() {
		return true
	}
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	for _, arg := range c.Args {
		if _, ok := arg.Type().Underlying().(*types.Signature); ok {
			return sharing.RunsOperandLater(sharing.NameOf(fn))
		}
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return false
	}
	switch obj.Pkg().Path() {
	case "sync":
		return obj.Name() != "Get" && obj.Name() != "Do"
	case "sync/atomic", "time", "runtime", "testing", "strings", "strconv", "math", "math/rand", "math/rand/v2", "errors", "os":
		return true
	}
	return strings.HasPrefix(obj.Pkg().Path(), testifyPath)
}

// testifyPath is where assertions live.
const testifyPath = "github.com/stretchr/testify/"
