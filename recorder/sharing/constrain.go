package sharing

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// This file follows values through instructions: an assignment joins what both sides lead
// to. Each instruction of package ssa is named somewhere here; one of a later version is
// taken to give all of its operands away (unknown).
//
// As pointers are unified and not followed one way, the order of the instructions does not
// matter, and each is looked at once: after
//
//	p := &x
//	q = p // q's target and p's are one node from here on, and before
//
// whatever is known of *q is known of x. That is coarser than the subsets of Andersen,
// Program Analysis and Specialization for the C Programming Language, 1994, but almost
// linear, and errs on the side of too many events.

// hold returns what register v holds: a node whose target is what v points to, if it is a
// pointer. Of a global, the register is its address.
func (a *analysis) hold(v ssa.Value) *node {
	n := a.vars[v]
	if n == nil {
		n = a.node()
		a.vars[v] = n
		if g, ok := v.(*ssa.Global); ok {
			n.to = a.global(g)
		}
	}
	return find(n)
}

// global returns the variable g, of whichever load. What others import is known outside
// from the beginning.
func (a *analysis) global(g *ssa.Global) *node {
	name := g.Pkg.Pkg.Path() + "." + g.Name()
	n := a.globals[name]
	if n == nil {
		n = a.node()
		a.globals[name] = n
		if a.opens(g.Pkg.Pkg.Path()) {
			a.join(n, a.outside)
		}
	}
	return find(n)
}

// at returns the memory that the pointer v leads to.
func (a *analysis) at(v ssa.Value) *node { return a.target(a.hold(v)) }

// constrain follows the values through all functions, those that are called
// before those that call them: bottom up over the call graph, so that a function is sealed
// when the first call of it is met.
func (a *analysis) constrain() {
	for _, f := range a.all {
		a.visit(f)
	}
}

// visit follows the values in f, once, after those in the functions that it calls: their
// results are sealed then, and each call gets copies. Of functions that call each other,
// one comes first, and calls of it share what it makes.
func (a *analysis) visit(f *function) {
	if f.state != untouched {
		return
	}
	f.state = begun
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(ssa.CallInstruction); ok {
				if callee := c.Common().StaticCallee(); callee != nil {
					if g := a.body(callee); g != nil {
						a.visit(g)
					}
				}
			}
		}
	}
	// What comes from elsewhere: a variable that is reached from these may be one that
	// another call made (early, seal). Unknown callers know what they pass.
	for _, p := range f.Params {
		f.entries = append(f.entries, a.hold(p))
		if f.open {
			a.release(a.hold(p), p.Type())
		}
	}
	for _, v := range f.FreeVars {
		f.entries = append(f.entries, a.hold(v))
	}
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			a.instruction(f, instr)
		}
	}
	// Unknown callers get what is returned, as they have made the arguments.
	if f.open {
		each(f.Signature.Results(), func(i int, t types.Type) { a.release(a.part(f.results, i), t) })
	}
	a.seal(f)
	f.state = done
}

// instruction follows the values of one instruction. What is named first moves no value
// that leads anywhere.
func (a *analysis) instruction(f *function, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.ChangeInterface, *ssa.BinOp, *ssa.If, *ssa.Jump, *ssa.Panic, *ssa.RunDefers, *ssa.DebugRef:
		// Interfaces hold what is released already.
	case *ssa.Return:
		for i, r := range v.Results {
			a.assign(a.part(f.results, i), a.hold(r), r.Type())
		}
	case *ssa.MakeClosure:
		a.closure(f, v)
	case ssa.CallInstruction:
		a.call(f, v)
	default:
		if !a.memory(f, instr) && !a.composite(instr) && !a.mapped(f, instr) && !a.converted(f, instr) && !a.message(f, instr) {
			a.unknown(instr)
		}
	}
}

// unknown gives away all that has to do with instr, which is of a later version.
func (a *analysis) unknown(instr ssa.Instruction) {
	if v, ok := instr.(ssa.Value); ok {
		a.release(a.hold(v), v.Type())
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil {
			a.release(a.hold(*op), (*op).Type())
		}
	}
}

// memory follows the values of an instruction that makes variables, or moves values
// between them and registers. It reports whether instr is one; so do those below.
func (a *analysis) memory(f *function, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		a.at(instr.(ssa.Value)).madeBy(f)
	case *ssa.Phi:
		for _, e := range v.Edges {
			a.assign(a.hold(v), a.hold(e), v.Type())
		}
	case *ssa.Extract:
		a.assign(a.hold(v), a.part(a.hold(v.Tuple), v.Index), v.Type())
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			a.assign(a.hold(v), a.at(v.X), v.Type())
		case token.ARROW:
			a.receive(a.single(v, v.CommaOk), v.X)
		}
	case *ssa.Store:
		a.assign(a.at(v.Addr), a.hold(v.Val), v.Val.Type())
		a.write(f, v, v.Addr, v.Val.Type(), a.at(v.Addr), a.eventless(f, v))
		a.writes[len(a.writes)-1].value = a.hold(v.Val)
	default:
		return false
	}
	return true
}

// composite follows the values of an instruction that leads to a part of a struct, array or
// slice. Fields are told apart, elements are not: an index is a number of which nothing is
// known.
func (a *analysis) composite(instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.FieldAddr:
		a.join(a.at(v), a.part(a.at(v.X), v.Field))
	case *ssa.Field:
		a.assign(a.hold(v), a.part(a.hold(v.X), v.Field), v.Type())
	case *ssa.IndexAddr:
		a.join(a.at(v), a.elements(v.X))
	case *ssa.Index:
		if kindOf(v.X.Type()) == generic {
			a.join(a.part(a.hold(v.X), element), a.hold(v.X))
		}
		a.assign(a.hold(v), a.part(a.hold(v.X), element), v.Type())
	case *ssa.Slice:
		if b, ok := v.X.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 {
			a.join(a.at(v), a.elements(v.X))
		}
	case *ssa.SliceToArrayPointer:
		a.join(a.part(a.at(v), element), a.at(v.X))
	default:
		return false
	}
	return true
}

// mapped follows the values of an operation on a map. Where it is on a value of a type
// parameter's type, nothing is known. A map is one variable, to which each assignment of an
// element writes, as the map itself may grow by it.
func (a *analysis) mapped(f *function, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Lookup:
		switch t := v.X.Type().Underlying().(type) {
		case *types.Map:
			a.assign(a.single(v, v.CommaOk), a.part(a.at(v.X), mapValue), t.Elem())
		case *types.Interface:
			a.join(a.hold(v.X), a.outside)
			a.join(a.hold(v), a.outside)
		}
	case *ssa.MapUpdate:
		m := a.at(v.Map)
		a.assign(a.part(m, mapKey), a.hold(v.Key), v.Key.Type())
		a.assign(a.part(m, mapValue), a.hold(v.Value), v.Value.Type())
		quiet := a.initializes(f) || a.syntax.colons[position{f.fset, v.Pos()}]
		for _, stored := range []ssa.Value{v.Key, v.Value} {
			a.write(f, v, nil, v.Map.Type(), m, quiet)
			a.writes[len(a.writes)-1].value = a.hold(stored)
		}
	case *ssa.Range:
		switch v.X.Type().Underlying().(type) {
		case *types.Map:
			a.join(a.at(v), a.at(v.X))
		case *types.Interface:
			a.join(a.hold(v.X), a.outside)
			a.join(a.hold(v), a.outside)
		}
	case *ssa.Next:
		switch t := v.Iter.(*ssa.Range).X.Type().Underlying().(type) {
		case *types.Map:
			a.assign(a.part(a.hold(v), 1), a.part(a.at(v.Iter), mapKey), t.Key())
			a.assign(a.part(a.hold(v), 2), a.part(a.at(v.Iter), mapValue), t.Elem())
		case *types.Interface:
			a.join(a.hold(v), a.outside)
		}
	default:
		return false
	}
	return true
}

// converted follows the values of a conversion, or of what makes or asserts an interface.
// Interfaces are where pointers are lost track of: what goes in is released, and what comes
// out may be anything of the outside. It would take the call graph of all methods to do
// better, and fmt gets most of them anyway.
func (a *analysis) converted(f *function, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.ChangeType:
		if a.leads(v.Type()) && (parameterized(v.Type()) || parameterized(v.X.Type())) {
			a.join(a.hold(v), a.hold(v.X))
		} else {
			a.assign(a.hold(v), a.hold(v.X), v.Type())
		}
	case *ssa.Convert:
		a.convert(f, v, v.X)
	case *ssa.MultiConvert:
		a.release(a.hold(v.X), v.X.Type())
		a.release(a.hold(v), v.Type())
	case *ssa.MakeInterface:
		a.release(a.hold(v.X), v.X.Type())
	case *ssa.TypeAssert:
		a.release(a.single(v, v.CommaOk), v.AssertedType)
	default:
		return false
	}
	return true
}

// message follows the values of a send or select; a receive is a UnOp. The results of a
// select are a tuple: the case, ok, and then what each receive gets.
func (a *analysis) message(f *function, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Send:
		a.send(f, v, v.Chan, v.X)
	case *ssa.Select:
		n := 2
		for _, s := range v.States {
			if s.Dir == types.SendOnly {
				a.send(f, v, s.Chan, s.Send)
			} else {
				a.receive(a.part(a.hold(v), n), s.Chan)
				n++
			}
		}
	default:
		return false
	}
	return true
}

// single is the value of an instruction that may have an ok as well.
func (a *analysis) single(v ssa.Value, ok bool) *node {
	if ok {
		return a.part(a.hold(v), 0)
	}
	return a.hold(v)
}

// elements returns the elements that x, a slice or a pointer to an array, leads to. A slice
// leads to them directly; the array is a variable of which they are a part.
func (a *analysis) elements(x ssa.Value) *node {
	switch t := x.Type().Underlying().(type) {
	case *types.Slice:
		return a.at(x)
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Array); ok {
			return a.part(a.at(x), element)
		}
	}
	// A type parameter may stand for either.
	a.join(a.at(x), a.part(a.at(x), element))
	a.join(a.hold(x), a.at(x))
	return a.at(x)
}

// convert follows a conversion. []byte(s) makes new memory, as strings are never written
// to. By way of unsafe.Pointer and uintptr anything may become of memory: the types on both
// sides are no longer what tells their fields apart.
func (a *analysis) convert(f *function, v, x ssa.Value) {
	_, slice := v.Type().Underlying().(*types.Slice)
	if b, ok := x.Type().Underlying().(*types.Basic); slice && ok && b.Info()&types.IsString != 0 {
		a.at(v).madeBy(f)
		return
	}
	if kindOf(v.Type()) == pointer || kindOf(x.Type()) == pointer || kindOf(v.Type()) == raw || kindOf(x.Type()) == raw {
		a.classes.cast(v.Type())
		a.classes.cast(x.Type())
	}
	a.release(a.hold(x), x.Type())
	a.release(a.hold(v), v.Type())
}

// parameterized reports whether a type parameter occurs in t where it matters for what
// values lead to. The body of a generic function is followed once, for all instances: its
// values then lead to other parts than those of an instance, so that they are joined whole
// and not part by part.
func parameterized(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return t.TypeArgs().Len() > 0 || t.TypeParams().Len() > 0
	case *types.Pointer:
		return parameterized(t.Elem())
	case *types.Slice:
		return parameterized(t.Elem())
	case *types.Array:
		return parameterized(t.Elem())
	case *types.Chan:
		return parameterized(t.Elem())
	case *types.Map:
		return parameterized(t.Key()) || parameterized(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if parameterized(f.Type()) {
				return true
			}
		}
	}
	return false
}

// send and receive: what is sent is published, in order with its receipt.
func (a *analysis) send(f *function, instr ssa.Instruction, ch, x ssa.Value) {
	a.assign(a.part(a.at(ch), message), a.hold(x), x.Type())
	a.publish(f, instr, false, a.hold(x))
}

// receive takes what the channel ch holds, for dst.
func (a *analysis) receive(dst *node, ch ssa.Value) {
	if t, ok := ch.Type().Underlying().(*types.Chan); ok {
		a.assign(dst, a.part(a.at(ch), message), t.Elem())
		return
	}
	a.join(dst, a.outside) // a type parameter
}

// initializes reports whether f is what the declarations of a package's
// variables make: their stores get no events.
func (a *analysis) initializes(f *function) bool { return f.Synthetic == "package initializer" }

// eventless reports whether the rewriter inserts no event for the store s,
// even if it instruments all: it belongs to a declaration or to a literal, as in
//
//	n := 0                // its variable is new
//	p := &point{x: 1}     // and so are its fields, at first
//	go show(&point{y: n}) // what is published has been written before
//
// Such a store comes before anybody else can know the variable, and the rewriter has no
// place for an event there. One to a field that is selected by its name, p.x = 1, is none of
// these.
func (a *analysis) eventless(f *function, s *ssa.Store) bool {
	if a.initializes(f) {
		return true
	}
	addr := s.Addr
	for {
		var pos token.Pos
		switch x := addr.(type) {
		case *ssa.Alloc:
			if addr != s.Addr {
				return x.Comment == "complit" || x.Comment == "slicelit" || x.Comment == "varargs"
			}
			_, param := s.Val.(*ssa.Parameter)
			declared := s.Pos().IsValid() && s.Pos() == x.Pos() && !a.syntax.steps[position{f.fset, s.Pos()}]
			return param && !s.Pos().IsValid() || declared
		case *ssa.FieldAddr:
			pos, addr = x.Pos(), x.X
		case *ssa.IndexAddr:
			pos, addr = x.Pos(), x.X
		default:
			return false
		}
		if a.syntax.selected[position{f.fset, pos}] {
			return false
		}
	}
}
