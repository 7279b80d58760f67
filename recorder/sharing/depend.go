package sharing

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A dependenceAnalysis finds which values depend on what other goroutines do.
type dependenceAnalysis struct {
	*escapeAnalysis
	dependsOnOthers map[ssa.Value]bool // values that may depend on other goroutines
	changed         bool               // whether the current round of findDependent found anything
}

// findDependent finds the registers of which the value may depend on what other
// goroutines do: by a load that has an event, by a receive, or by a call of
// code that is not known. That a value depends on the way that its goroutine
// took does not count: branches on what depends on others keep their events, so
// the way is known to be the same. Of
//
//	n := len(s.jobs) // loaded with an event, as another goroutine may append: unsure
//	half := n / 2    // and so is what is computed from it
//	if half > 8      // so that this branch has an event
//
// It is a taint analysis, from loads with events forward, through registers (dependent),
// memory and calls (propagate), to the fixed point: what is unsure once stays so, and each round
// makes something unsure, so that it ends.
func (d *dependenceAnalysis) findDependent() {
	for _, f := range d.functions {
		for _, p := range f.Params {
			if f.openToUnknownCalls {
				d.dependsOnOthers[p] = true
			}
		}
	}
	for d.changed = true; d.changed; {
		d.changed = false
		for _, f := range d.functions {
			for _, b := range f.Blocks {
				for _, instr := range b.Instrs {
					if v, ok := instr.(ssa.Value); ok {
						d.markDependent(v, !d.dependsOnOthers[v] && d.dependent(v))
					}
					d.propagate(f, instr)
				}
			}
		}
		d.untilStable(func(n, c *node) bool {
			news := n.dependsOnOthers && !c.dependsOnOthers
			c.dependsOnOthers = c.dependsOnOthers || news
			d.changed = d.changed || news
			return news
		})
	}
}

// markDependent notes that v may depend on others, if unsure. That alone makes another round
// necessary.
func (d *dependenceAnalysis) markDependent(v ssa.Value, unsure bool) {
	if unsure && !d.dependsOnOthers[v] {
		d.dependsOnOthers[v], d.changed = true, true
	}
}

// markMemoryDependent notes that what is stored at n, of type t, may depend on others, if
// unsure.
func (d *dependenceAnalysis) markMemoryDependent(n *node, t types.Type, unsure bool) {
	if unsure {
		d.visitLeaves(n, t, func(n *node) {
			d.changed = d.changed || !n.dependsOnOthers
			n.dependsOnOthers = true
		})
	}
}

// dependent reports whether v may depend on others, as far as is known yet: by itself, as
// what is received or selected, or as one of its operands does.
func (d *dependenceAnalysis) dependent(v ssa.Value) bool {
	instr := v.(ssa.Instruction)
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeChan:
		return false
	case *ssa.Select, *ssa.TypeAssert:
		return true
	case *ssa.UnOp:
		if v.Op == token.ARROW {
			return true
		}
		if v.Op == token.MUL {
			return d.dependsOnOthers[v.X] || d.memoryDependsOnOthers(d.memoryAt(v.X), v.Type())
		}
	case *ssa.Index:
		if kindOf(v.X.Type()) == leadsUnknown {
			return true // it may be a load
		}
	case *ssa.Lookup:
		return d.dependsOnOthers[v.X] || d.dependsOnOthers[v.Index] || d.elementsDependOnOthers(v.X)
	case *ssa.Next:
		r := v.Iter.(*ssa.Range).X
		return d.dependsOnOthers[r] || d.elementsDependOnOthers(r)
	case *ssa.Call:
		return d.dependentCall(v)
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil && d.dependsOnOthers[*op] {
			return true
		}
	}
	return false
}

// elementsDependOnOthers reports whether what the map m holds may depend on others. Of a
// string it cannot.
func (d *dependenceAnalysis) elementsDependOnOthers(m ssa.Value) bool {
	switch m.Type().Underlying().(type) {
	case *types.Map:
		n := d.memoryAt(m)
		return n.needsEvents || n.dependsOnOthers
	case *types.Basic:
		return false
	}
	return true
}

// memoryDependsOnOthers reports whether what is loaded from n may depend on others: they may write
// there, or what was stored by this goroutine depends on them already.
func (d *dependenceAnalysis) memoryDependsOnOthers(n *node, t types.Type) bool {
	r := false
	d.visitLeaves(n, t, func(n *node) { r = r || n.needsEvents || n.dependsOnOthers })
	return r
}

// dependentCall reports whether what a call returns values that may depend on other goroutines:
// that of a function without a body here always may.
func (d *dependenceAnalysis) dependentCall(v *ssa.Call) bool {
	c := v.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap", "min", "max", "real", "imag", "complex", "append", "copy", "ssa:wrapnilchk":
			for _, x := range c.Args {
				switch x.Type().Underlying().(type) {
				case *types.Slice, *types.Pointer, *types.Array: // the length is part of the value itself
				default:
					if d.elementsDependOnOthers(x) {
						return true
					}
				}
				if d.dependsOnOthers[x] {
					return true
				}
			}
			return false
		}
		return true
	}
	g := d.callee(c)
	return g == nil || g.resultsDependOnOthers
}

// propagate marks memory and results of functions whose values depend on other goroutines
// by instr. For registers, dependent does so.
func (d *dependenceAnalysis) propagate(f *function, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.Store:
		d.markMemoryDependent(d.memoryAt(v.Addr), v.Val.Type(), d.dependsOnOthers[v.Val] || d.dependsOnOthers[v.Addr])
	case *ssa.MapUpdate:
		d.markMemoryDependent(d.memoryAt(v.Map), v.Map.Type(), d.dependsOnOthers[v.Map] || d.dependsOnOthers[v.Key] || d.dependsOnOthers[v.Value])
	case *ssa.Return:
		for _, r := range v.Results {
			if d.dependsOnOthers[r] && !f.resultsDependOnOthers {
				f.resultsDependOnOthers, d.changed = true, true
			}
		}
	case *ssa.MakeClosure:
		if g := d.body(v.Fn.(*ssa.Function)); g != nil {
			for i, b := range v.Bindings {
				d.markDependent(g.FreeVars[i], d.dependsOnOthers[b])
			}
		}
	case ssa.CallInstruction:
		c := v.Common()
		if b, ok := c.Value.(*ssa.Builtin); ok {
			d.propagateBuiltin(b.Name(), c.Args)
		} else if g := d.callee(c); g != nil {
			for i, x := range c.Args {
				d.markDependent(g.Params[i], d.dependsOnOthers[x])
			}
		}
	}
}

// propagateBuiltin is propagate for the call of a builtin function.
func (d *dependenceAnalysis) propagateBuiltin(name string, args []ssa.Value) {
	switch name {
	case "append", "copy":
		s, ok := args[0].Type().Underlying().(*types.Slice)
		if !ok {
			return // of a type parameter's type: released
		}
		unsure := d.dependsOnOthers[args[0]] || d.dependsOnOthers[args[1]]
		if _, ok := args[1].Type().Underlying().(*types.Slice); ok {
			unsure = unsure || d.memoryDependsOnOthers(d.memoryAt(args[1]), s.Elem())
		}
		d.markMemoryDependent(d.memoryAt(args[0]), s.Elem(), unsure)
	case "delete", "clear":
		if _, ok := args[0].Type().Underlying().(*types.Map); ok {
			for _, x := range args {
				d.markMemoryDependent(d.memoryAt(args[0]), args[0].Type(), d.dependsOnOthers[x])
			}
		}
	}
}
