package provenance

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/sharing"
)

// Derive finds what values follow from in p, the program of the packages pkgs. The facts are empty
// if p is nil, as package sharing could not analyse it, or if package ssa panics. Control scopes
// are found if scopes is set.
func Derive(p *sharing.Program, pkgs []*packages.Package, scopes bool) (facts *Facts) {
	if p == nil {
		return &Facts{}
	}
	defer func() {
		if recover() != nil {
			facts = &Facts{}
		}
	}()
	a := &analysis{Program: p, byFunction: map[*ssa.Function]*function{}, sizes: pkgs[0].TypesSizes, found: newDerivation()}
	for _, f := range p.Functions() {
		fn := &function{f.Function, f.Fset, f.CalledFromOutside, f.CalledByTesting}
		a.functions = append(a.functions, fn)
		a.byFunction[f.Function] = fn
	}
	for _, pkg := range pkgs {
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				a.found.readSyntax(pkg.Fset, n)
				return true
			})
		}
	}
	a.derive()
	if scopes {
		scopeFinder{a}.findScopes()
	}
	return a.found.certainFacts()
}

// An analysis holds the state of Derive. It asks package sharing who can see memory (Quiet), which
// values others can change (Unsure), and what memory an address may be (Memory).
type analysis struct {
	*sharing.Program
	functions  []*function // in the program's order, so that equal programs give equal facts
	byFunction map[*ssa.Function]*function
	sizes      types.Sizes
	found      *derivation
}

// A function is one with a body, as package sharing has found it.
type function struct {
	*ssa.Function
	fset              *token.FileSet
	calledFromOutside bool // code that is not analysed may call it
	calledByTesting   bool // only package testing calls it
}

// A position is one in one of the file sets.
type position struct {
	fset *token.FileSet
	pos  token.Pos
}

// body returns the function that is run when fn is called, nil if its body is
// not known. For an instance of a generic function that is the generic one.
func (a *analysis) body(fn *ssa.Function) *function { return a.byFunction[a.Body(fn)] }

// eachInstruction calls do for all instructions, in the same order each time.
func (a *analysis) eachInstruction(do func(*function, ssa.Instruction)) {
	for _, f := range a.functions {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				do(f, instr)
			}
		}
	}
}
