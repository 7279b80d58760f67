package sharing

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A Program is the SSA form of the packages that were analysed, and answers about
// what is in it, for package provenance. It is not safe for concurrent use.
type Program struct{ analysis *analysis }

// A Function is one that has a body.
type Function struct {
	*ssa.Function
	Fset              *token.FileSet
	CalledFromOutside bool // code that is not analysed may call it
	CalledByTesting   bool // it has the name of a test: only package testing calls it, nobody else
}

// Functions returns the functions of p, those of a package in the order of its source.
func (p *Program) Functions() []Function {
	all := make([]Function, len(p.analysis.functions))
	for i, f := range p.analysis.functions {
		obj, ok := f.Object().(*types.Func)
		all[i] = Function{f.Function, f.fset, f.openToUnknownCalls, ok && obj.Signature().Recv() == nil && isEntry(obj)}
	}
	return all
}

// Body returns the function of p that is run when fn is called, nil if its body is not
// known.
func (p *Program) Body(fn *ssa.Function) *ssa.Function {
	if f := p.analysis.body(fn); f != nil {
		return f.Function
	}
	return nil
}

// NeedsNoEvents reports whether accesses to what the address leads to need no event.
func (p *Program) NeedsNoEvents(addr ssa.Value) bool { return p.analysis.needsNoEvents(addr) }

// DependsOnOthers reports whether the value of v may depend on what other goroutines do, though
// its own goroutine takes the same way.
func (p *Program) DependsOnOthers(v ssa.Value) bool { return p.analysis.dependsOnOthers[v] }

// MemoryName names the memory at an address, for all that lead there: a field by its
// class, a package variable by its name, anything else by its node.
func (p *Program) MemoryName(addr ssa.Value) any {
	if g, ok := addr.(*ssa.Global); ok {
		return g.Pkg.Pkg.Path() + "." + g.Name()
	}
	if x, ok := addr.(*ssa.FieldAddr); ok {
		if s, ok := structOf(x); ok {
			return p.analysis.classes.name(s, x.Field)
		}
	}
	return representativeOf(p.analysis.memoryAt(addr))
}

// RunsOperandLater reports whether the function with this full name, of the standard library or
// near it, does with the function that it gets nothing but have it called in a goroutine
// that starts thereby, or by this goroutine later on.
func RunsOperandLater(name string) bool { return startingFuncs[name] }
