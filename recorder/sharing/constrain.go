package sharing

import (
	"go/token"
	"go/types"
	"slices"

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

// A valueFlow follows the values through the functions of a program, and collects what
// escapes needs: which variables there are, who writes them, and who publishes them.
type valueFlow struct {
	*program
	globals      map[string]*node    // by path and name: how one load knows another's variables
	registers    map[ssa.Value]*node // what registers hold
	publications []*publication
	writes       []*write
	classes      fieldClasses
}

// register returns what register v holds: a node whose target is what v points to, if it is a
// pointer. Of a global, the register is its address.
func (fl *valueFlow) register(v ssa.Value) *node {
	n := fl.registers[v]
	if n == nil {
		n = fl.node()
		fl.registers[v] = n
		if g, ok := v.(*ssa.Global); ok {
			n.pointsTo = fl.global(g)
		}
	}
	return representativeOf(n)
}

// global returns the variable g, of whichever load. What others import is known outside
// from the beginning.
func (fl *valueFlow) global(g *ssa.Global) *node {
	name := g.Pkg.Pkg.Path() + "." + g.Name()
	n := fl.globals[name]
	if n == nil {
		n = fl.node()
		fl.globals[name] = n
		if fl.isImportedElsewhere(g.Pkg.Pkg.Path()) {
			fl.join(n, fl.unknownMemory)
		}
	}
	return representativeOf(n)
}

// memoryAt returns the memory that the pointer v leads to.
func (fl *valueFlow) memoryAt(v ssa.Value) *node { return fl.target(fl.register(v)) }

// followAll follows the values through all functions, those that are called
// before those that call them: bottom up over the call graph, so that a function is sealed
// when the first call of it is met.
func (fl *valueFlow) followAll() {
	for _, f := range fl.functions {
		fl.visit(f)
	}
}

// visit follows the values in f, once, after those in the functions that it calls: their
// results are sealed then, and each call gets copies. Of functions that call each other,
// one comes first, and calls of it share what it makes.
func (fl *valueFlow) visit(f *function) {
	if f.state != notVisited {
		return
	}
	f.state = visiting
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(ssa.CallInstruction); ok {
				if g := fl.callee(c.Common()); g != nil {
					fl.visit(g)
				}
			}
		}
	}
	// What comes from elsewhere: a variable that is reached from these may be one that
	// another call made (comesFromElsewhere, seal). Unknown callers know what they pass.
	for _, p := range f.Params {
		f.incoming = append(f.incoming, fl.register(p))
		if f.openToUnknownCalls {
			fl.release(fl.register(p), p.Type())
		}
	}
	for _, v := range f.FreeVars {
		f.incoming = append(f.incoming, fl.register(v))
	}
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			fl.instruction(f, instr)
		}
	}
	// Unknown callers get what is returned, as they have made the arguments.
	if f.openToUnknownCalls {
		eachPart(f.Signature.Results(), func(i int, t types.Type) { fl.release(fl.part(f.results, i), t) })
	}
	fl.seal(f)
	f.state = visited
}

// instruction follows the values of one instruction. What is named first moves no value
// that leads anywhere.
func (fl *valueFlow) instruction(f *function, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.ChangeInterface, *ssa.BinOp, *ssa.If, *ssa.Jump, *ssa.Panic, *ssa.RunDefers, *ssa.DebugRef:
		// Interfaces hold what is released already.
	case *ssa.Return:
		for i, r := range v.Results {
			fl.assign(fl.part(f.results, i), fl.register(r), r.Type())
		}
	case *ssa.MakeClosure:
		fl.closure(f, v)
	case ssa.CallInstruction:
		fl.call(f, v)
	default:
		if !fl.memoryInstruction(f, instr) && !fl.compositeInstruction(instr) && !fl.mapInstruction(f, instr) && !fl.conversionInstruction(f, instr) && !fl.messageInstruction(f, instr) {
			fl.releaseAll(instr)
		}
	}
}

// releaseAll releases the operands and the value of instr, of a kind that this version does not
// know.
func (fl *valueFlow) releaseAll(instr ssa.Instruction) {
	if v, ok := instr.(ssa.Value); ok {
		fl.release(fl.register(v), v.Type())
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil {
			fl.release(fl.register(*op), (*op).Type())
		}
	}
}

// memoryInstruction follows the values of an instruction that makes variables, or moves values
// between them and registers. It reports whether instr is such an instruction; so do the functions
// below.
func (fl *valueFlow) memoryInstruction(f *function, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		fl.memoryAt(instr.(ssa.Value)).madeBy(f)
	case *ssa.Phi:
		for _, e := range v.Edges {
			fl.assign(fl.register(v), fl.register(e), v.Type())
		}
	case *ssa.Extract:
		fl.assign(fl.register(v), fl.part(fl.register(v.Tuple), v.Index), v.Type())
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			fl.assign(fl.register(v), fl.memoryAt(v.X), v.Type())
		case token.ARROW:
			fl.receive(fl.firstResult(v, v.CommaOk), v.X)
		}
	case *ssa.Store:
		fl.assign(fl.memoryAt(v.Addr), fl.register(v.Val), v.Val.Type())
		fl.write(write{f, v, v.Addr, v.Val.Type(), fl.memoryAt(v.Addr), fl.register(v.Val), fl.hasNoEvent(f, v)})
	default:
		return false
	}
	return true
}

// compositeInstruction follows the values of an instruction that leads to a part of a struct, array or
// slice. Fields are told apart, elements are not: an index is a number of which nothing is
// known.
func (fl *valueFlow) compositeInstruction(instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.FieldAddr:
		fl.join(fl.memoryAt(v), fl.part(fl.memoryAt(v.X), v.Field))
	case *ssa.Field:
		fl.assign(fl.register(v), fl.part(fl.register(v.X), v.Field), v.Type())
	case *ssa.IndexAddr:
		fl.join(fl.memoryAt(v), fl.elements(v.X))
	case *ssa.Index:
		if kindOf(v.X.Type()) == leadsUnknown {
			fl.join(fl.part(fl.register(v.X), arrayElement), fl.register(v.X))
		}
		fl.assign(fl.register(v), fl.part(fl.register(v.X), arrayElement), v.Type())
	case *ssa.Slice:
		if b, ok := v.X.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 {
			fl.join(fl.memoryAt(v), fl.elements(v.X))
		}
	case *ssa.SliceToArrayPointer:
		fl.join(fl.part(fl.memoryAt(v), arrayElement), fl.memoryAt(v.X))
	default:
		return false
	}
	return true
}

// mapInstruction follows the values of an operation on a map. Where it is on a value of a type
// parameter's type, nothing is known. A map is one variable, to which each assignment of an
// element writes, as the map itself may grow by it.
func (fl *valueFlow) mapInstruction(f *function, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Lookup:
		switch t := v.X.Type().Underlying().(type) {
		case *types.Map:
			fl.assign(fl.firstResult(v, v.CommaOk), fl.part(fl.memoryAt(v.X), mapValue), t.Elem())
		case *types.Interface:
			fl.join(fl.register(v.X), fl.unknownMemory)
			fl.join(fl.register(v), fl.unknownMemory)
		}
	case *ssa.MapUpdate:
		m := fl.memoryAt(v.Map)
		fl.assign(fl.part(m, mapKey), fl.register(v.Key), v.Key.Type())
		fl.assign(fl.part(m, mapValue), fl.register(v.Value), v.Value.Type())
		quiet := fl.initializes(f) || fl.syntax.keyValues[position{f.fset, v.Pos()}]
		for _, stored := range []ssa.Value{v.Key, v.Value} {
			fl.write(write{f, v, nil, v.Map.Type(), m, fl.register(stored), quiet})
		}
	case *ssa.Range:
		switch v.X.Type().Underlying().(type) {
		case *types.Map:
			fl.join(fl.memoryAt(v), fl.memoryAt(v.X))
		case *types.Interface:
			fl.join(fl.register(v.X), fl.unknownMemory)
			fl.join(fl.register(v), fl.unknownMemory)
		}
	case *ssa.Next:
		switch t := v.Iter.(*ssa.Range).X.Type().Underlying().(type) {
		case *types.Map:
			fl.assign(fl.part(fl.register(v), 1), fl.part(fl.memoryAt(v.Iter), mapKey), t.Key())
			fl.assign(fl.part(fl.register(v), 2), fl.part(fl.memoryAt(v.Iter), mapValue), t.Elem())
		case *types.Interface:
			fl.join(fl.register(v), fl.unknownMemory)
		}
	default:
		return false
	}
	return true
}

// conversionInstruction follows the values of a conversion, or of what makes or asserts an
// interface. Pointers are not followed through interfaces: what is put into one is released, and
// what comes out may be any memory that unknown code knows. To do better would take the call graph
// of all methods.
func (fl *valueFlow) conversionInstruction(f *function, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.ChangeType:
		fl.assignGeneric(fl.register(v), fl.register(v.X), v.Type(), v.X.Type())
	case *ssa.Convert:
		fl.convert(f, v, v.X)
	case *ssa.MultiConvert:
		fl.release(fl.register(v.X), v.X.Type())
		fl.release(fl.register(v), v.Type())
	case *ssa.MakeInterface:
		fl.release(fl.register(v.X), v.X.Type())
	case *ssa.TypeAssert:
		fl.release(fl.firstResult(v, v.CommaOk), v.AssertedType)
	default:
		return false
	}
	return true
}

// messageInstruction follows the values of a send or select; a receive is a UnOp. The results of a
// select are a tuple: the case, ok, and then what each receive gets.
func (fl *valueFlow) messageInstruction(f *function, instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Send:
		fl.send(f, v, v.Chan, v.X)
	case *ssa.Select:
		n := 2
		for _, s := range v.States {
			if s.Dir == types.SendOnly {
				fl.send(f, v, s.Chan, s.Send)
			} else {
				fl.receive(fl.part(fl.register(v), n), s.Chan)
				n++
			}
		}
	default:
		return false
	}
	return true
}

// firstResult is the value of an instruction that may have an ok as well.
func (fl *valueFlow) firstResult(v ssa.Value, ok bool) *node {
	if ok {
		return fl.part(fl.register(v), 0)
	}
	return fl.register(v)
}

// elements returns the elements that x, a slice or a pointer to an array, leads to. A slice
// leads to them directly; the array is a variable of which they are a part.
func (fl *valueFlow) elements(x ssa.Value) *node {
	switch t := x.Type().Underlying().(type) {
	case *types.Slice:
		return fl.memoryAt(x)
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Array); ok {
			return fl.part(fl.memoryAt(x), arrayElement)
		}
	}
	// A type parameter may stand for either.
	fl.join(fl.memoryAt(x), fl.part(fl.memoryAt(x), arrayElement))
	fl.join(fl.register(x), fl.memoryAt(x))
	return fl.memoryAt(x)
}

// convert follows a conversion. []byte(s) makes new memory, as strings are never written
// to. By way of unsafe.Pointer and uintptr anything may become of memory: the types on both
// sides are no longer what tells their fields apart.
func (fl *valueFlow) convert(f *function, v, x ssa.Value) {
	_, slice := v.Type().Underlying().(*types.Slice)
	if b, ok := x.Type().Underlying().(*types.Basic); slice && ok && b.Info()&types.IsString != 0 {
		fl.memoryAt(v).madeBy(f)
		return
	}
	if kindOf(v.Type()) == leadsByPointer || kindOf(x.Type()) == leadsByPointer || kindOf(v.Type()) == leadsByUnsafePointer || kindOf(x.Type()) == leadsByUnsafePointer {
		fl.classes.markCast(v.Type())
		fl.classes.markCast(x.Type())
	}
	fl.release(fl.register(x), x.Type())
	fl.release(fl.register(v), v.Type())
}

// assignGeneric lets dst, of type t, hold what src holds, of type u. The body of a generic function is
// followed once, for all instances: its values lead to other parts than those of an instance,
// so that they are joined whole and not part by part.
func (fl *valueFlow) assignGeneric(dst, src *node, t, u types.Type) {
	if fl.leads(t) && (parameterized(t) || parameterized(u)) {
		fl.join(dst, src)
	} else {
		fl.assign(dst, src, t)
	}
}

// parameterized reports whether a type parameter occurs in t where it matters for what
// values lead to.
func parameterized(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return t.TypeArgs().Len() > 0 || t.TypeParams().Len() > 0
	case *types.Signature, *types.Interface:
		return false
	default:
		return slices.ContainsFunc(componentsOf(t), parameterized)
	}
}

// send and receive: what is sent is published, in order with its receipt.
func (fl *valueFlow) send(f *function, instr ssa.Instruction, ch, x ssa.Value) {
	fl.assign(fl.part(fl.memoryAt(ch), channelMessage), fl.register(x), x.Type())
	fl.publish(f, instr, false, fl.register(x))
}

// receive takes what the channel ch holds, for dst.
func (fl *valueFlow) receive(dst *node, ch ssa.Value) {
	if t, ok := ch.Type().Underlying().(*types.Chan); ok {
		fl.assign(dst, fl.part(fl.memoryAt(ch), channelMessage), t.Elem())
		return
	}
	fl.join(dst, fl.unknownMemory) // a type parameter
}
