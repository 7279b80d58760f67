package sharing

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// Facts answer which accesses of a program need no event. The zero value
// knows nothing: all of them need one. Facts are safe for concurrent use.
type Facts struct {
	skippedAccesses map[position]bool // fields by the name's place, elements by the bracket's, indirections by the star's
	skippedVars     map[position]bool // by declaration
	skippedGlobals  map[string]bool   // by path and name
	skippedElements map[ast.Expr]bool // elements of the slice, map or array pointer that the expression is
	skippedBranches map[ast.Expr]bool // conditions that other goroutines cannot change
}

// An placeIndex holds the values of the SSA form at places of the source. An access there is left
// out only if it may be for all of them.
type placeIndex struct {
	addrs  map[position][]ssa.Value // addresses of accesses, by places as in Facts.skippedAccesses
	locals map[position][]ssa.Value // addresses of local variables, by the places of their declarations
	exprs  map[ast.Expr][]ssa.Value // values of expressions, by the expression
}

// Analyze analyses the packages pkgs, which have syntax and types, as one
// program together with code of which nothing is known but types. opens says
// of a package, by its import path, whether packages that are not among pkgs
// import it. What package ssa cannot build, as a construct of a newer release of
// the language, it panics on: then nothing is known, and the Program is nil.
func Analyze(pkgs []*packages.Package, opens func(path string) bool) (facts *Facts, p *Program) {
	defer func() {
		if recover() != nil {
			facts, p = &Facts{}, nil
		}
	}()
	a := newAnalysis(opens)
	if len(pkgs) == 0 {
		return &Facts{}, nil
	}
	// Each step needs what those before it have found: functions, who may call them, what
	// pointers lead to, who knows that memory, and what values follow from it.
	a.build(pkgs)
	a.findOpenFunctions(pkgs)
	a.followAll()
	a.findNeedsEvents()
	a.classes.typeArgs = a.typeArgs
	a.classes.disabled = slices.ContainsFunc(pkgs, mixesUnsafe)
	a.classify()
	a.markLent()
	a.findDependent()
	return a.makeFacts(), &Program{a}
}

// An analysis holds the state of Analyze in layers: the program, the flow of values through it,
// which memory escapes, and which values depend on other goroutines.
type analysis struct {
	*dependenceAnalysis
	index placeIndex // from places to values, for the answers
}

func newAnalysis(opens func(path string) bool) *analysis {
	p := &program{
		graph: newGraph(), isImportedElsewhere: opens,
		byFunction: map[*ssa.Function]*function{}, byName: map[string]*function{}, releasedTypes: map[string]bool{},
		syntax: sourceSyntax{map[position]bool{}, map[position]bool{}, map[position]bool{}, map[position]bool{}},
	}
	flow := &valueFlow{
		program: p, globals: map[string]*node{}, registers: map[ssa.Value]*node{},
		classes: fieldClasses{structNames: map[*types.Struct]string{}, changingFields: map[string]bool{}},
	}
	return &analysis{
		dependenceAnalysis: &dependenceAnalysis{escapeAnalysis: &escapeAnalysis{flow}, dependsOnOthers: map[ssa.Value]bool{}},
		index:              placeIndex{map[position][]ssa.Value{}, map[position][]ssa.Value{}, map[ast.Expr][]ssa.Value{}},
	}
}

// mixesUnsafe reports whether p may get at addresses by reflection and use
// them.
func mixesUnsafe(p *packages.Package) bool {
	return p.Imports["unsafe"] != nil && p.Imports["reflect"] != nil
}

// makeFacts makes the tables of answers for package rewrite.
func (a *analysis) makeFacts() *Facts {
	a.eachInstruction(a.indexInstruction)
	facts := &Facts{
		skippedAccesses: map[position]bool{}, skippedVars: map[position]bool{}, skippedGlobals: map[string]bool{},
		skippedElements: map[ast.Expr]bool{}, skippedBranches: map[ast.Expr]bool{},
	}
	needNone := func(addrs []ssa.Value) bool {
		return !slices.ContainsFunc(addrs, func(v ssa.Value) bool { return !a.needsNoEvents(v) })
	}
	for at, addrs := range a.index.addrs {
		facts.skippedAccesses[at] = needNone(addrs)
	}
	for at, addrs := range a.index.locals {
		facts.skippedVars[at] = needNone(addrs)
	}
	for v := range a.registers {
		if g, ok := v.(*ssa.Global); ok {
			name := g.Pkg.Pkg.Path() + "." + g.Name()
			old, seen := facts.skippedGlobals[name]
			facts.skippedGlobals[name] = a.needsNoEvents(g) && (old || !seen)
		}
	}
	for e, vs := range a.index.exprs {
		facts.skippedBranches[e] = !slices.ContainsFunc(vs, func(v ssa.Value) bool { return a.dependsOnOthers[v] })
		switch vs[0].Type().Underlying().(type) {
		case *types.Map, *types.Slice, *types.Pointer:
			facts.skippedElements[e] = !slices.ContainsFunc(vs, func(v ssa.Value) bool { return !a.elementsNeedNoEvents(v) })
		}
	}
	return facts
}

// indexInstruction adds what instr says about the syntax to the index.
func (a *analysis) indexInstruction(f *function, instr ssa.Instruction) {
	at := position{f.fset, instr.Pos()}
	switch v := instr.(type) {
	case *ssa.Alloc:
		if at.pos.IsValid() {
			a.index.locals[at] = append(a.index.locals[at], v)
		}
	case *ssa.FieldAddr:
		a.index.addrs[at] = append(a.index.addrs[at], v)
	case *ssa.IndexAddr:
		a.index.addrs[at] = append(a.index.addrs[at], v)
	case *ssa.UnOp:
		if v.Op == token.MUL && a.syntax.indirections[at] {
			a.index.addrs[at] = append(a.index.addrs[at], v.X)
		}
	case *ssa.Store:
		if a.syntax.indirections[at] {
			a.index.addrs[at] = append(a.index.addrs[at], v.Addr)
		}
	case *ssa.DebugRef:
		if !v.IsAddr {
			a.index.exprs[v.Expr] = append(a.index.exprs[v.Expr], v.X)
		}
	}
}

// needsNoEvents reports whether accesses to what the address leads to need no event: as the first
// net says so, of the variable, or the second, of the field's type.
func (es *escapeAnalysis) needsNoEvents(addr ssa.Value) bool {
	p, ok := addr.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	if !es.anyNeedsEvents(es.memoryAt(addr), p.Elem()) {
		return true
	}
	if es.classes.disabled {
		return false
	}
	names := es.classes.fieldsOf(addr, p.Elem())
	return len(names) > 0 && !slices.ContainsFunc(names, func(s string) bool { return es.classes.changingFields[s] })
}

// elementsNeedNoEvents is needsNoEvents for the elements of a slice, or a map.
func (es *escapeAnalysis) elementsNeedNoEvents(v ssa.Value) bool {
	switch t := v.Type().Underlying().(type) {
	case *types.Map:
		return !es.memoryAt(v).needsEvents
	case *types.Slice:
		return !es.anyNeedsEvents(es.memoryAt(v), t.Elem())
	case *types.Pointer:
		if arr, ok := t.Elem().Underlying().(*types.Array); ok {
			return !es.anyNeedsEvents(es.part(es.memoryAt(v), arrayElement), arr.Elem())
		}
	}
	return false
}

// WithoutBranches returns what f says about memory, and nothing about conditions.
func (f *Facts) WithoutBranches() *Facts {
	return &Facts{skippedAccesses: f.skippedAccesses, skippedVars: f.skippedVars, skippedGlobals: f.skippedGlobals, skippedElements: f.skippedElements}
}

// SkipsVariable reports whether accesses to the variable v, which was declared in a
// file of fset, need no event.
func (f *Facts) SkipsVariable(fset *token.FileSet, v *types.Var) bool {
	if v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		return f.skippedGlobals[v.Pkg().Path()+"."+v.Name()]
	}
	return f.skippedVars[position{fset, v.Pos()}]
}

// SkipsAccess reports whether accesses to the field, element or indirection x need
// no event.
func (f *Facts) SkipsAccess(fset *token.FileSet, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return f.skippedAccesses[position{fset, x.Sel.Pos()}]
	case *ast.IndexExpr:
		return f.skippedAccesses[position{fset, x.Lbrack}]
	case *ast.StarExpr:
		return f.skippedAccesses[position{fset, x.Star}]
	}
	return false
}

// SkipsElements reports whether accesses to the elements of the slice, map or
// array pointer x need no event.
func (f *Facts) SkipsElements(x ast.Expr) bool { return f.skippedElements[ast.Unparen(x)] }

// SkipsBranch reports whether the value of x is the same whatever other goroutines
// do, as long as its goroutine takes the same way.
func (f *Facts) SkipsBranch(x ast.Expr) bool { return f.skippedBranches[ast.Unparen(x)] }
