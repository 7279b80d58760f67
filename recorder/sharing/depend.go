package sharing

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// depend finds the registers of which the value may depend on what other
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
// memory and calls (pass), to the fixed point: what is unsure once stays so, and each round
// makes something unsure, so that it ends.
func (a *analysis) depend() {
	for _, f := range a.all {
		for _, p := range f.Params {
			if f.open {
				a.unsure[p] = true
			}
		}
	}
	for a.changed = true; a.changed; {
		a.changed = false
		for _, f := range a.all {
			for _, b := range f.Blocks {
				for _, instr := range b.Instrs {
					if v, ok := instr.(ssa.Value); ok {
						a.doubt(v, !a.unsure[v] && a.dependent(v))
					}
					a.pass(f, instr)
				}
			}
		}
		a.untilStable(func(n, c *node) bool {
			news := n.uncertain && !c.uncertain
			c.uncertain = c.uncertain || news
			a.changed = a.changed || news
			return news
		})
	}
}

// doubt notes that v may depend on others, if unsure. That alone makes another round
// necessary.
func (a *analysis) doubt(v ssa.Value, unsure bool) {
	if unsure && !a.unsure[v] {
		a.unsure[v], a.changed = true, true
	}
}

// doubtAt notes that what is stored at n, of type t, may depend on others, if
// unsure.
func (a *analysis) doubtAt(n *node, t types.Type, unsure bool) {
	if unsure {
		a.leaves(n, t, func(n *node) {
			a.changed = a.changed || !n.uncertain
			n.uncertain = true
		})
	}
}

// dependent reports whether v may depend on others, as far as is known yet: by itself, as
// what is received or selected, or as one of its operands does.
func (a *analysis) dependent(v ssa.Value) bool {
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
			return a.unsure[v.X] || a.uncertainAt(a.at(v.X), v.Type())
		}
	case *ssa.Index:
		if kindOf(v.X.Type()) == generic {
			return true // it may be a load
		}
	case *ssa.Lookup:
		return a.unsure[v.X] || a.unsure[v.Index] || a.uncertainIn(v.X)
	case *ssa.Next:
		r := v.Iter.(*ssa.Range).X
		return a.unsure[r] || a.uncertainIn(r)
	case *ssa.Call:
		return a.dependentCall(v)
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil && a.unsure[*op] {
			return true
		}
	}
	return false
}

// uncertainIn reports whether what the map m holds may depend on others. Of a
// string it cannot.
func (a *analysis) uncertainIn(m ssa.Value) bool {
	switch m.Type().Underlying().(type) {
	case *types.Map:
		n := a.at(m)
		return n.loud || n.uncertain
	case *types.Basic:
		return false
	}
	return true
}

// uncertainAt reports whether what is loaded from n may depend on others: they may write
// there, or what was stored by this goroutine depends on them already.
func (a *analysis) uncertainAt(n *node, t types.Type) bool {
	r := false
	a.leaves(n, t, func(n *node) { r = r || n.loud || n.uncertain })
	return r
}

// dependentCall reports whether what a call returns may depend on other goroutines: that of
// a function without a body here always may.
func (a *analysis) dependentCall(v *ssa.Call) bool {
	c := v.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap", "min", "max", "real", "imag", "complex", "append", "copy", "ssa:wrapnilchk":
			for _, x := range c.Args {
				switch x.Type().Underlying().(type) {
				case *types.Slice, *types.Pointer, *types.Array: // their length is no memory
				default:
					if a.uncertainIn(x) {
						return true
					}
				}
				if a.unsure[x] {
					return true
				}
			}
			return false
		}
		return true
	}
	if fn := c.StaticCallee(); fn != nil && !c.IsInvoke() {
		if g := a.body(fn); g != nil {
			return g.uncertain
		}
	}
	return true
}

// pass hands uncertainty on to memory and other functions. Within a function it
// goes from registers to those that are computed from them (see dependent).
func (a *analysis) pass(f *function, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.Store:
		a.doubtAt(a.at(v.Addr), v.Val.Type(), a.unsure[v.Val] || a.unsure[v.Addr])
	case *ssa.MapUpdate:
		a.doubtAt(a.at(v.Map), v.Map.Type(), a.unsure[v.Map] || a.unsure[v.Key] || a.unsure[v.Value])
	case *ssa.Return:
		for _, r := range v.Results {
			if a.unsure[r] && !f.uncertain {
				f.uncertain, a.changed = true, true
			}
		}
	case *ssa.MakeClosure:
		if g := a.body(v.Fn.(*ssa.Function)); g != nil {
			for i, b := range v.Bindings {
				a.doubt(g.FreeVars[i], a.unsure[b])
			}
		}
	case ssa.CallInstruction:
		c := v.Common()
		if b, ok := c.Value.(*ssa.Builtin); ok && !c.IsInvoke() {
			a.passBuiltin(b.Name(), c.Args)
		} else if fn := c.StaticCallee(); fn != nil && !c.IsInvoke() {
			if g := a.body(fn); g != nil {
				for i, x := range c.Args {
					a.doubt(g.Params[i], a.unsure[x])
				}
			}
		}
	}
}

// passBuiltin is pass for the call of a builtin function.
func (a *analysis) passBuiltin(name string, args []ssa.Value) {
	switch name {
	case "append", "copy":
		s, ok := args[0].Type().Underlying().(*types.Slice)
		if !ok {
			return // of a type parameter's type: released
		}
		unsure := a.unsure[args[0]] || a.unsure[args[1]]
		if _, ok := args[1].Type().Underlying().(*types.Slice); ok {
			unsure = unsure || a.uncertainAt(a.at(args[1]), s.Elem())
		}
		a.doubtAt(a.at(args[0]), s.Elem(), unsure)
	case "delete", "clear":
		if _, ok := args[0].Type().Underlying().(*types.Map); ok {
			for _, x := range args {
				a.doubtAt(a.at(args[0]), args[0].Type(), a.unsure[x])
			}
		}
	}
}
