package provenance

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/sharing"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file follows values through calls of the program's own functions.

// maxDepth bounds the calls in calls that a term follows.
const maxDepth = 4

// result is the term of the result of a call: what its function returns, in
// terms of the arguments, if that is one expression.
func (d *deriver) result(c *ssa.Call) *term {
	g := d.called(c)
	if g == nil || d.depth == maxDepth || g.Signature.Results().Len() != 1 {
		return nil
	}
	ret := onlyReturn(g)
	if ret == nil {
		return nil
	}
	callee := &deriver{analysis: d.analysis, f: g, use: ret, left: d.left, depth: d.depth + 1, params: map[*ssa.Parameter]*term{}}
	for i, p := range g.Params {
		if _, _, ok := d.word(p.Type()); ok {
			at := *d
			at.use = c
			callee.params[p] = at.term(c.Call.Args[i])
		}
	}
	t := callee.term(ret.Results[0])
	if t == nil {
		return nil
	}
	return d.outlast(t, c)
}

// argument is the term of a parameter of a function that is called in one place:
// that of the argument there.
func (d *deriver) argument(p *ssa.Parameter) *term {
	from, ok := d.onlyCall(d.f)
	if !ok || d.depth == maxDepth {
		return nil
	}
	i := slices.Index(d.f.Params, p)
	if i < 0 || i >= len(from.c.Call.Args) {
		return nil
	}
	caller := &deriver{analysis: d.analysis, f: from.f, use: from.c, left: d.left, depth: d.depth + 1}
	t := caller.term(from.c.Call.Args[i])
	if t == nil {
		return nil
	}
	for _, other := range before(d.use) {
		for _, r := range slices.Concat(t.reads, t.operands) {
			if d.mayCall(other, r.in) {
				return nil
			}
		}
	}
	return t
}

// onlyCall returns the one call of f that there is.
func (a *analysis) onlyCall(f *function) (call, bool) {
	calls := a.values.calls[f]
	if f.open || len(calls) != 1 || a.values.spawned[f] {
		return call{}, false
	}
	return calls[0], true
}

// before returns the instructions of a function that may be executed before instr.
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
	for _, b := range reachable(instr.Parent().Blocks[:1], end) {
		switch {
		case b == end:
			out = append(out, b.Instrs[:slices.Index(b.Instrs, instr)]...)
		case reaches(b.Succs, end):
			out = append(out, b.Instrs...)
		}
	}
	return out
}

// outlast says in t, the term of the result of c, how many events came to be at
// the same places between c and its use; it returns nil if that is not known.
func (d *deriver) outlast(t *term, c *ssa.Call) *term {
	var again uint8
	all := slices.Concat(t.reads, t.operands)
	for _, other := range between(c, d.use) {
		for _, r := range all {
			if r.in == d.f || !d.mayCall(other, r.in) {
				continue
			}
			same, ok := other.(*ssa.Call)
			if !ok || d.called(same) != d.called(c) || same.Block() != c.Block() || d.use.Block() != c.Block() {
				return nil
			}
		}
		if same, ok := other.(*ssa.Call); ok && d.called(same) == d.called(c) {
			again++
		}
	}
	if again == 0 {
		return t
	}
	out := *t
	own := map[uint64]bool{} // readings of the caller, in the arguments
	for _, r := range all {
		if !r.once {
			return nil
		}
		own[d.values.number(r.Spot)] = r.in == d.f
	}
	out.Formula = shifted(t.Formula, again, own)
	return &out
}

// shifted returns f with readings that are by n events further back, but for the
// caller's own.
func shifted(f Formula, n uint8, own map[uint64]bool) Formula {
	if f.Op == trace.Value && !own[f.Read.Key] {
		f.Read.Back += n
	}
	f.Args = slices.Clone(f.Args)
	for i := range f.Args {
		f.Args[i] = shifted(f.Args[i], n, own)
	}
	return f
}

// called returns the function of the program that c calls, nil if it is another
// one or not known.
func (a *analysis) called(c ssa.CallInstruction) *function {
	fn := c.Common().StaticCallee()
	if fn == nil || c.Common().IsInvoke() {
		return nil
	}
	return a.body(fn)
}

// onlyReturn returns the one return statement of g, nil if there are more.
func onlyReturn(g *function) *ssa.Return {
	var only *ssa.Return
	for _, b := range g.Blocks {
		if b == g.Recover || len(b.Instrs) == 0 {
			continue
		}
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			if only != nil {
				return nil
			}
			only = r
		}
	}
	return only
}

// onWay reports whether each call of instr's function that returns executes instr
// exactly once.
func onWay(instr ssa.Instruction) bool {
	b := instr.Block()
	if reaches(b.Succs, b) {
		return false
	}
	for _, end := range b.Parent().Blocks {
		if end == b.Parent().Recover || len(end.Instrs) == 0 {
			continue
		}
		if _, ok := end.Instrs[len(end.Instrs)-1].(*ssa.Return); ok && !b.Dominates(end) {
			return false
		}
	}
	return true
}

// reaches reports whether there is a way from one of the blocks to another.
func reaches(from []*ssa.BasicBlock, to *ssa.BasicBlock) bool {
	return slices.Contains(reachable(from, nil), to)
}

// reachable returns the blocks to which a way leads from the given ones, with
// these, that does not go through the block stop.
func reachable(from []*ssa.BasicBlock, stop *ssa.BasicBlock) []*ssa.BasicBlock {
	var out []*ssa.BasicBlock
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(b *ssa.BasicBlock)
	walk = func(b *ssa.BasicBlock) {
		if seen[b] {
			return
		}
		seen[b] = true
		out = append(out, b)
		if b == stop {
			return
		}
		for _, s := range b.Succs {
			walk(s)
		}
	}
	for _, b := range from {
		walk(b)
	}
	return out
}

// between returns the instructions that may be executed after first and before
// last, which follows it in the same function.
func between(first, last ssa.Instruction) []ssa.Instruction {
	b, end := first.Block(), last.Block()
	i, j := slices.Index(b.Instrs, first), slices.Index(end.Instrs, last)
	if b == end && i < j {
		return b.Instrs[i+1 : j]
	}
	out := slices.Clone(b.Instrs[i+1:])
	for _, m := range reachable(b.Succs, end) {
		switch {
		case m == end:
			out = append(out, m.Instrs[:j]...)
		case reaches(m.Succs, end):
			out = append(out, m.Instrs...)
		}
	}
	return out
}

// mayCall reports whether instr may call f in the same goroutine, by whatever
// way.
func (a *analysis) mayCall(instr ssa.Instruction, f *function) bool {
	switch instr := instr.(type) {
	case *ssa.Go:
		return false
	case *ssa.RunDefers:
		for _, b := range instr.Parent().Blocks {
			for _, other := range b.Instrs {
				if d, ok := other.(*ssa.Defer); ok && a.callMay(d, f) {
					return true
				}
			}
		}
	case *ssa.Call:
		return a.callMay(instr, f)
	}
	return false
}

func (a *analysis) callMay(c ssa.CallInstruction, f *function) bool {
	if g := a.called(c); g != nil {
		return g == f || a.callees(g)[f] || a.callees(g)[nil] && f.enterable()
	}
	return !harmless(c.Common()) && f.enterable()
}

// enterable reports whether code that is not known may call f in a goroutine that
// runs the program's code already.
func (f *function) enterable() bool {
	return f.open && !f.entry
}

// callees returns the functions that calls of g may lead to in the same
// goroutine; nil stands for code that is not known.
func (a *analysis) callees(g *function) map[*function]bool {
	if a.values.callees[g] != nil {
		return a.values.callees[g]
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
				next := a.called(c)
				if next == nil && harmless(c.Common()) || out[next] {
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
	a.values.callees[g] = out
	return out
}

// harmless reports whether c, which calls no function of the program, does not
// make the callee call one either, in this goroutine and as long as no test fails.
func harmless(c *ssa.CallCommon) bool {
	if _, ok := c.Value.(*ssa.Builtin); ok && !c.IsInvoke() {
		return true
	}
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	for _, arg := range c.Args {
		if _, ok := arg.Type().Underlying().(*types.Signature); ok {
			return sharing.Starts(sharing.NameOf(fn))
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
