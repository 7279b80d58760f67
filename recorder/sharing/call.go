package sharing

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// This file follows values through calls and closures: what is passed, captured and
// returned.
//
// A closure shares variables with the function that makes it. If it is called there only, its body
// could stand in place of the call. If it runs in a goroutine that is started later, the start
// orders what was before. If others may keep it, they can reach its variables:
//
//	sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] }) // called in place
//	wg.Go(func() { sum += n })                                    // started
//	handlers = append(handlers, func() { sum++ })                 // kept by others

// A closureUse says how a closure is used. Of several uses the last in this order counts.
type closureUse int

const (
	calledInPlace closureUse = iota // the function that makes it calls or defers it
	startedLater                    // it runs in a goroutine that is started after it was made
	keptByOthers                    // unknown code or other functions may keep and call it
)

// closureUse returns how the closure c is used in the function that makes it. After a store, a
// return or a conversion others may keep it.
func (fl *valueFlow) closureUse(c *ssa.MakeClosure) closureUse {
	h := calledInPlace
	for _, r := range *c.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			com := r.Common()
			if slices.Contains(com.Args, ssa.Value(c)) {
				switch fl.calleeUse(com) {
				case calledInPlace:
				case startedLater:
					h = max(h, startedLater)
				default:
					return keptByOthers
				}
			}
			if com.Value == c {
				if _, ok := r.(*ssa.Go); ok {
					h = max(h, startedLater)
				}
			}
		default:
			return keptByOthers
		}
	}
	return h
}

// startingFuncs are functions of the standard library and near it that do with the
// function that they get nothing but have it called in a goroutine that starts
// thereby, or by this goroutine later on.
var startingFuncs = map[string]bool{
	"(*sync.WaitGroup).Go":                      true,
	"(*golang.org/x/sync/errgroup.Group).Go":    true,
	"(*golang.org/x/sync/errgroup.Group).TryGo": true,
	"(*testing.T).Run":                          true,
	"(*testing.B).Run":                          true,
	"(*testing.B).RunParallel":                  true,
	"(*testing.common).Cleanup":                 true,
	"(*testing.T).Cleanup":                      true,
	"time.AfterFunc":                            true,
	"context.AfterFunc":                         true,
	"testing/synctest.Test":                     true,
}

// With these two lists, and no bodies of the standard library, the usual ways to start
// goroutines and to sort do not make all that their closures use known to others.

// callingFuncs are functions that call the function that they get, and forget it.
var callingFuncs = map[string]bool{
	"(*sync.Once).Do": true, "sort.Slice": true, "sort.SliceStable": true, "sort.Search": true,
	"slices.SortFunc": true, "slices.SortStableFunc": true, "slices.IndexFunc": true, "slices.ContainsFunc": true,
	"slices.DeleteFunc": true, "slices.BinarySearchFunc": true, "slices.MinFunc": true, "slices.MaxFunc": true,
	"strings.Map": true, "strings.IndexFunc": true, "strings.FieldsFunc": true, "strings.TrimFunc": true,
	"testing.AllocsPerRun": true,
}

// calleeUse says how the callee of c uses functions that it gets as arguments. Functions of the
// program count as keeping them.
func (fl *valueFlow) calleeUse(c *ssa.CallCommon) closureUse {
	fn := c.StaticCallee()
	if fn == nil || fl.body(fn) != nil {
		return keptByOthers
	}
	switch name := NameOf(fn); {
	case callingFuncs[name]:
		return calledInPlace
	case startingFuncs[name]:
		return startedLater
	}
	return keptByOthers
}

// closure follows the variables that a closure captures. It has their addresses: its free
// variables lead where those of the function around it do. A closure that is started
// publishes them at the instruction that starts it, and not where it is made: what is
// written in between is ordered, too.
func (fl *valueFlow) closure(f *function, c *ssa.MakeClosure) {
	var roots []*node
	g := fl.body(c.Fn.(*ssa.Function))
	for i, b := range c.Bindings {
		roots = append(roots, fl.register(b))
		if g == nil {
			fl.release(fl.register(b), b.Type())
		} else {
			fl.assign(fl.register(g.FreeVars[i]), fl.register(b), b.Type())
		}
	}
	switch fl.closureUse(c) {
	case calledInPlace:
	case keptByOthers:
		fl.publish(f, c, true, roots...)
	case startedLater:
		for _, r := range *c.Referrers() {
			call, ok := r.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if _, spawn := r.(*ssa.Go); spawn || slices.Contains(call.Common().Args, ssa.Value(c)) {
				fl.publish(f, r, false, roots...)
			}
		}
	}
}

// call follows the values through a call, go or defer. The arguments are assigned to the
// parameters, which are the same for all calls: callers are not told apart (context
// insensitive), but for what a function makes and returns (seal).
func (fl *valueFlow) call(f *function, instr ssa.CallInstruction) {
	c := instr.Common()
	result := fl.node()
	if v, ok := instr.(*ssa.Call); ok {
		result = fl.register(v)
	}
	_, spawn := instr.(*ssa.Go)
	if b, ok := c.Value.(*ssa.Builtin); ok {
		fl.builtin(f, instr, b.Name(), result)
		return
	}
	g := fl.callee(c)
	if g == nil {
		fl.unknownCall(c, result)
		return
	}
	var roots []*node
	for i, arg := range c.Args {
		n := fl.register(arg)
		roots = append(roots, n)
		fl.assignGeneric(fl.register(g.Params[i]), n, g.Params[i].Type(), arg.Type())
	}
	// A go statement publishes what it passes, and its results are lost.
	if spawn {
		fl.publish(f, instr, false, roots...)
		return
	}
	// A copy of all that the function makes, where it is sealed; else its results are what
	// each of its callers gets, so that it cannot be sealed later on.
	made := g.results
	if g.copiedResults != nil && g.state == visited {
		made = fl.copyOf(g, f)
	} else {
		g.resultsShared = true
		f.incoming = append(f.incoming, g.results)
	}
	sig := c.StaticCallee().Signature.Results()
	of := g.Signature.Results()
	for i := range sig.Len() {
		dst := result
		if sig.Len() > 1 {
			dst = fl.part(result, i)
		}
		fl.assignGeneric(dst, fl.part(made, i), sig.At(i).Type(), of.At(i).Type())
	}
}

// unknownCall releases the operands and results of a call: unknown code may keep them, pass them
// to any goroutine, and return any memory that it knows. The same holds for methods of interfaces.
func (fl *valueFlow) unknownCall(c *ssa.CallCommon, result *node) {
	for _, arg := range c.Args {
		fl.release(fl.register(arg), arg.Type())
	}
	if c.IsInvoke() {
		fl.release(fl.register(c.Value), c.Value.Type()) // of a type parameter's type
	}
	switch rs := c.Signature().Results(); {
	case rs.Len() == 1:
		fl.release(result, rs.At(0).Type())
	case rs.Len() > 1:
		fl.release(result, rs)
	}
}

// builtin follows the values through the call of a builtin function: append and copy store
// elements, whose pointers then lead where those of the source do; delete and clear store to
// the map or slice as a whole; most others move no pointer.
func (fl *valueFlow) builtin(f *function, instr ssa.CallInstruction, name string, result *node) {
	args := instr.Common().Args
	switch name {
	case "append":
		s := fl.register(args[0])
		fl.join(fl.target(result), fl.target(s))
		fl.target(result).madeBy(f)
		elem, ok := args[0].Type().Underlying().(*types.Slice)
		if !ok {
			fl.release(s, args[0].Type())
			return
		}
		if _, ok := args[1].Type().Underlying().(*types.Slice); ok {
			fl.assign(fl.target(s), fl.memoryAt(args[1]), elem.Elem())
			fl.write(write{function: f, instr: instr, typ: elem.Elem(), destination: fl.target(s), value: fl.memoryAt(args[1])})
		} else {
			fl.write(write{function: f, instr: instr, typ: elem.Elem(), destination: fl.target(s)})
		}
	case "copy":
		if elem, ok := args[0].Type().Underlying().(*types.Slice); ok {
			if _, ok := args[1].Type().Underlying().(*types.Slice); ok {
				fl.assign(fl.memoryAt(args[0]), fl.memoryAt(args[1]), elem.Elem())
			}
			fl.write(write{function: f, instr: instr, typ: elem.Elem(), destination: fl.memoryAt(args[0]), value: fl.memoryAt(args[1])})
			return
		}
		fl.release(fl.register(args[0]), args[0].Type())
		fl.release(fl.register(args[1]), args[1].Type())
	case "delete", "clear":
		t := args[0].Type()
		if s, ok := t.Underlying().(*types.Slice); ok {
			t = s.Elem()
		}
		fl.write(write{function: f, instr: instr, typ: t, destination: fl.memoryAt(args[0])})
	case "ssa:wrapnilchk":
		fl.assign(result, fl.register(args[0]), args[0].Type())
	case "cap", "close", "complex", "imag", "len", "max", "min", "print", "println", "real", "recover", "ssa:deferstack":
	default: // of package unsafe
		for _, arg := range args {
			fl.release(fl.register(arg), arg.Type())
			fl.classes.markCast(arg.Type())
		}
		if v, ok := instr.(*ssa.Call); ok {
			fl.release(result, v.Type())
			fl.classes.markCast(v.Type())
		}
	}
}

// seal decides whether each call of f makes variables of its own: no other code can reach what the
// results lead to when f returns. With
//
//	func newMatrix() *matrix { return &matrix{cells: make([]int, 9)} }
//	a, b := newMatrix(), newMatrix()
//	go a.fill() // b and its cells stay private
//
// the matrix and its cells are copied for each of the two calls. With a global counter of
// matrices they would be, too; with a global list of them not.
//
// The others are all nodes by which other code may know the results: what unknown code knows, what
// comes into f from elsewhere, and what f sends, captures, or passes on.
func (fl *valueFlow) seal(f *function) {
	if f.openToUnknownCalls || f.resultsShared || strings.HasPrefix(f.Name(), "init") {
		return
	}
	others := []*node{fl.unknownMemory}
	for _, g := range fl.globals {
		others = append(others, g)
	}
	others = append(others, f.incoming...)
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.MakeClosure:
				for _, x := range instr.Bindings {
					others = append(others, fl.register(x))
				}
			case *ssa.Send:
				others = append(others, fl.register(instr.X))
			case *ssa.Select:
				for _, s := range instr.States {
					if s.Send != nil {
						others = append(others, fl.register(s.Send))
					}
				}
			case ssa.CallInstruction:
				if _, ok := instr.Common().Value.(*ssa.Builtin); !ok {
					for _, x := range instr.Common().Args {
						others = append(others, fl.register(x))
					}
				}
			}
		}
	}
	// What the results lead to must not be reached from others, but for the results' own node,
	// which holds no memory.
	made := map[*node]bool{}
	enough := false
	fl.visitReachable([]*node{f.results}, func(n *node) bool {
		made[n] = true
		enough = enough || len(made) > maxCopiedNodes
		return !enough
	})
	if enough || len(made) == 1 {
		return
	}
	fl.visitReachable(others, func(n *node) bool {
		enough = enough || made[n] && n != representativeOf(f.results)
		return !enough
	})
	if !enough {
		f.copiedResults = made
	}
}

// copyOf copies the results of g, which f calls, and all that they lead to. The nodes of g stay
// the originals and keep a list of their copies: what g writes holds for each copy, and if
// accesses to a copy need events, those in g do, too.
func (fl *valueFlow) copyOf(g, f *function) *node {
	copies := map[*node]*node{}
	var list []*node
	fl.visitReachable([]*node{g.results}, func(n *node) bool {
		list = append(list, n)
		return true
	})
	for _, n := range list {
		c := fl.node()
		c.owner, c.ownerCount = f, 1
		n.copies = append(n.copies, c)
		copies[n] = c
	}
	for _, n := range list {
		c := copies[n]
		if n.pointsTo != nil {
			c.pointsTo = copies[representativeOf(n.pointsTo)]
		}
		for i, p := range n.parts {
			if c.parts == nil {
				c.parts = make(map[int]*node)
			}
			c.parts[i] = copies[representativeOf(p)]
		}
	}
	return copies[representativeOf(g.results)]
}
