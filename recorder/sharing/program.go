package sharing

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// This file makes the program that is analysed: its functions, whose bodies come from
// several loads of packages, and which of them code may call that is not seen.

// A position is one in one of the file sets. Packages of different loads have file sets of
// their own, so that a token.Pos alone does not tell a place.
type position struct {
	fset *token.FileSet
	pos  token.Pos
}

// A function is one with a body.
type function struct {
	*ssa.Function
	fset    *token.FileSet
	results *node // its parts are the results
	// openToUnknownCalls says that code that is not analysed may call it: code that is not
	// analysed may know its arguments, and knows its results.
	openToUnknownCalls bool
	state              visitState // of the walk over the call graph (visit)
	// copiedResults has the nodes of results that are copied at each call, nil if they are not: see
	// seal. It is not set any more once linked is: some caller has the results themselves.
	copiedResults map[*node]bool
	resultsShared bool
	// incoming are what comes into a call of the function from elsewhere, and
	// fromElsewhere what they lead to; nil until it is needed.
	incoming      []*node
	fromElsewhere map[*node]bool

	resultsDependOnOthers bool // results depend on other goroutines
}

// A visitState is that of a function in a depth-first search.
type visitState uint8

const (
	notVisited visitState = iota
	visiting
	visited
)

// sourceSyntax is what the source text says about positions that the instructions
// do not.
type sourceSyntax struct {
	selections   map[position]bool // names after a dot and brackets of index expressions, which are outside of composite literals
	keyValues    map[position]bool // colons in composite literals: stores there initialize these
	indirections map[position]bool // stars of indirections *x: loads and stores there are through x
	// sharedRangeVars are range variables that all iterations share, where they are declared: up to
	// Go 1.21 each iteration assigns to one variable, so that its declaration is a store
	// like any other.
	sharedRangeVars map[position]bool
}

// A program is the SSA form of the packages that are analysed.
type program struct {
	*graph
	isImportedElsewhere func(path string) bool // whether others import the package: see Analyze
	ssa                 *ssa.Program
	functions           []*function // in the order of the sources, so that equal programs give equal facts
	byFunction          map[*ssa.Function]*function
	byName              map[string]*function // by NameOf: how one load knows another's functions
	releasedTypes       map[string]bool      // types whose methods unknown code may call, by name
	typeArgs            []types.Type         // that generic code of the program is instantiated with
	syntax              sourceSyntax
}

// build makes the program's functions. Each package has its types from its own
// load; functions and variables of one are known in the others by name. Of all packages that
// are imported and not among pkgs, there are only types: what they declare has no body.
func (prog *program) build(pkgs []*packages.Package) {
	for i, p := range pkgs {
		if i == 0 {
			prog.ssa = ssa.NewProgram(p.Fset, ssa.GlobalDebug)
		}
	}
	own := map[*types.Package]bool{}
	for _, p := range pkgs {
		own[p.Types] = true
	}
	created := map[*types.Package]bool{}
	for _, p := range pkgs {
		for _, imp := range p.Imports {
			if t := imp.Types; t != nil && !own[t] && !created[t] {
				created[t] = true
				prog.ssa.CreatePackage(t, nil, nil, false)
			}
		}
	}
	made := make([]*ssa.Package, len(pkgs))
	for i, p := range pkgs {
		made[i] = prog.ssa.CreatePackage(p.Types, p.Syntax, p.TypesInfo, false)
	}
	prog.compile(made)
	for i, p := range pkgs {
		prog.readSyntax(p)
		prog.add(made[i].Func("init"), p.Fset)
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok {
					if obj, ok := p.TypesInfo.Defs[fd.Name].(*types.Func); ok {
						prog.add(prog.ssa.FuncValue(obj), p.Fset)
					}
				}
			}
		}
		// Those that are not found by their declarations, as init functions.
		for _, name := range slices.Sorted(maps.Keys(made[i].Members)) {
			if fn, ok := made[i].Members[name].(*ssa.Function); ok {
				prog.add(fn, p.Fset)
			}
		}
	}
}

// compile makes the bodies of the functions, and panics as package ssa does,
// but in this goroutine, where Analyze recovers from it: in another it would end the
// command.
func (prog *program) compile(pkgs []*ssa.Package) {
	failures := make([]any, len(pkgs))
	var wg sync.WaitGroup
	for i, p := range pkgs {
		wg.Go(func() {
			defer func() { failures[i] = recover() }()
			p.Build()
		})
	}
	wg.Wait()
	for _, failure := range failures {
		if failure != nil {
			panic(failure)
		}
	}
}

// add takes up fn, the functions in it, and the synthetic ones that it uses: the wrapper
// that a method value calls, or the thunk of an embedded method, is found only where it
// stands as an operand.
func (prog *program) add(fn *ssa.Function, fset *token.FileSet) {
	if fn == nil || prog.byFunction[fn] != nil || len(fn.Blocks) == 0 || isInstance(fn) {
		return
	}
	f := &function{Function: fn, fset: fset, results: prog.node()}
	prog.byFunction[fn] = f
	prog.functions = append(prog.functions, f)
	if fn.Object() != nil && fn.Synthetic == "" {
		prog.byName[NameOf(fn)] = f
	}
	for _, anon := range fn.AnonFuncs {
		prog.add(anon, fset)
	}
	var operands []*ssa.Value
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			operands = instr.Operands(operands[:0])
			for _, op := range operands {
				if callee, ok := (*op).(*ssa.Function); ok {
					prog.add(callee, fset)
				}
			}
		}
	}
}

// isInstance reports whether fn only calls the generic function that it is an
// instance of, which is taken in its place.
func isInstance(fn *ssa.Function) bool { return fn.Origin() != nil && fn.Origin() != fn }

// NameOf returns a name that stands for fn in all packages: types.Func.FullName, of
// the generic function if fn is an instance, and ssa's if fn was not declared.
func NameOf(fn *ssa.Function) string {
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return fn.String()
	}
	return obj.Origin().FullName()
}

// body returns the function that is run when fn is called, nil if its body is not known. A
// function of another package of the program is declared there with a body, and known here
// without one.
func (prog *program) body(fn *ssa.Function) *function {
	if isInstance(fn) {
		fn = fn.Origin()
	}
	if f := prog.byFunction[fn]; f != nil {
		return f
	}
	if fn.Object() == nil || len(fn.Blocks) > 0 {
		return nil
	}
	return prog.byName[NameOf(fn)]
}

// callee returns the function of the program that c names, nil if it is another one or not
// known.
func (prog *program) callee(c *ssa.CallCommon) *function {
	if fn := c.StaticCallee(); fn != nil {
		return prog.body(fn)
	}
	return nil
}

// readSyntax notes positions that say what an instruction is for, as the instructions have
// only a position: see syntax.
func (prog *program) readSyntax(p *packages.Package) {
	for _, f := range p.Syntax {
		v := p.TypesInfo.FileVersions[f]
		shared := v != "" && version.Compare(v, "go1.22") < 0
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				prog.syntax.selections[position{p.Fset, n.Sel.Pos()}] = true
			case *ast.IndexExpr:
				prog.syntax.selections[position{p.Fset, n.Lbrack}] = true
			case *ast.StarExpr:
				prog.syntax.indirections[position{p.Fset, n.Star}] = true
			case *ast.KeyValueExpr:
				prog.syntax.keyValues[position{p.Fset, n.Colon}] = true
			case *ast.RangeStmt:
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if shared && n.Tok == token.DEFINE && x != nil {
						prog.syntax.sharedRangeVars[position{p.Fset, x.Pos()}] = true
					}
				}
			}
			return true
		})
	}
}

// findOpenFunctions finds the functions that may be called from where it is not seen: tests, what
// other packages import or assembly may call, methods of what unknown code gets as an
// interface or a type argument, and whatever is used as a value.
func (prog *program) findOpenFunctions(pkgs []*packages.Package) {
	foreign := map[*types.Package]bool{} // other languages are in them, or reach into them
	for _, p := range pkgs {
		foreign[p.Types] = len(p.OtherFiles) > 0 || isReachedFromOutside(p)
	}
	analysed := map[string]bool{}
	for _, p := range pkgs {
		analysed[p.PkgPath] = true
	}
	for _, f := range prog.functions {
		if f.Pkg == nil {
			continue
		}
		obj, _ := f.Object().(*types.Func)
		test := obj != nil && strings.HasSuffix(f.fset.Position(f.Pos()).Filename, "_test.go") && isEntry(obj)
		if obj != nil && (test || foreign[f.Pkg.Pkg] || (obj.Exported() || obj.Signature().Recv() != nil) && prog.isImportedElsewhere(f.Pkg.Pkg.Path())) || f.Name() == "main" {
			f.openToUnknownCalls = true
		}
	}
	for _, p := range pkgs {
		for id, inst := range p.TypesInfo.Instances {
			obj := p.TypesInfo.Uses[id]
			for i := range inst.TypeArgs.Len() {
				prog.openMethods(inst.TypeArgs.At(i))
				if obj != nil && obj.Pkg() != nil && analysed[obj.Pkg().Path()] {
					prog.typeArgs = append(prog.typeArgs, inst.TypeArgs.At(i))
				}
			}
		}
	}
	prog.eachInstruction(prog.openOperands)
}

// openOperands notes what becomes callable from elsewhere by instr: in
//
//	http.HandleFunc("/", serve)    // serve, used as a value
//	var w io.Writer = &buffer{}    // all methods of *buffer
//	defer func() { unlock() }()    // nothing: it is called here, and nowhere else
//
// the function that is called is no such value itself.
func (prog *program) openOperands(f *function, instr ssa.Instruction) {
	var callee ssa.Value
	switch instr := instr.(type) {
	case *ssa.DebugRef:
		return
	case *ssa.MakeInterface:
		prog.openMethods(instr.X.Type())
	case *ssa.MakeClosure:
		callee = instr.Fn
		if !calledOnly(instr) {
			if g := prog.body(instr.Fn.(*ssa.Function)); g != nil {
				g.openToUnknownCalls = true
			}
		}
	case ssa.CallInstruction:
		callee = instr.Common().Value
	}
	for _, op := range instr.Operands(nil) {
		if fn, ok := (*op).(*ssa.Function); ok {
			if op != valueOf(instr) || fn != callee {
				if g := prog.body(fn); g != nil {
					g.openToUnknownCalls = true
				}
			}
		}
	}
}

// calledOnly reports whether the function that makes the closure c does nothing with it but call,
// defer or spawn it.
func calledOnly(c *ssa.MakeClosure) bool {
	for _, r := range *c.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			if slices.Contains(r.Common().Args, ssa.Value(c)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// valueOf is the operand that a call calls or a closure consists of.
func valueOf(instr ssa.Instruction) *ssa.Value {
	switch instr := instr.(type) {
	case *ssa.MakeClosure:
		return &instr.Fn
	case ssa.CallInstruction:
		return &instr.Common().Value
	}
	return nil
}

// isEntry reports whether obj, of a test file, is called by package testing.
func isEntry(obj *types.Func) bool {
	return slices.ContainsFunc([]string{"Test", "Benchmark", "Fuzz", "Example"}, func(s string) bool { return strings.HasPrefix(obj.Name(), s) })
}

// isReachedFromOutside reports whether the linker may give names of p another meaning: by go:linkname,
// or by cgo, whose functions C calls.
func isReachedFromOutside(p *packages.Package) bool {
	for _, f := range p.Syntax {
		for _, g := range f.Comments {
			for _, c := range g.List {
				if strings.HasPrefix(c.Text, "//go:linkname ") || strings.HasPrefix(c.Text, "//export ") {
					return true
				}
			}
		}
		if filepath.Ext(p.Fset.File(f.FileStart).Name()) != ".go" {
			return true // made by cgo
		}
		for _, imp := range f.Imports {
			if imp.Path.Value == `"C"` {
				return true
			}
		}
	}
	return false
}

// openMethods notes that unknown code has a value of type t and can call its
// methods, and those of what it can get from it by reflection: of exported fields, elements,
// and results of exported methods.
func (prog *program) openMethods(t types.Type) {
	t = types.Unalias(t)
	switch t := t.(type) {
	case *types.Named:
		origin := t.Origin()
		key := types.TypeString(origin, nil)
		if prog.releasedTypes[key] {
			return
		}
		prog.releasedTypes[key] = true
		for i := range origin.NumMethods() {
			m := origin.Method(i)
			if f := prog.byName[m.FullName()]; f != nil {
				f.openToUnknownCalls = true
			}
			if m.Exported() {
				prog.openMethods(m.Type()) // whose results have methods, too
			}
		}
		prog.openMethods(origin.Underlying())
	case *types.Signature, *types.Tuple, *types.Pointer, *types.Slice, *types.Array, *types.Chan, *types.Map:
		for _, part := range componentsOf(t) {
			prog.openMethods(part)
		}
	case *types.Struct:
		for v := range t.Fields() {
			if v.Exported() || v.Embedded() {
				prog.openMethods(v.Type())
			}
		}
	}
}

// eachInstruction calls do for all instructions, in the same order each time.
func (prog *program) eachInstruction(do func(*function, ssa.Instruction)) {
	for _, f := range prog.functions {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				do(f, instr)
			}
		}
	}
}

// initializes reports whether f is what the declarations of a package's
// variables make: their stores get no events.
func (prog *program) initializes(f *function) bool { return f.Synthetic == "package initializer" }

// hasNoEvent reports whether the rewriter inserts no event for the store s,
// even if it instruments all: it belongs to a declaration or to a literal, as in
//
//	n := 0                // its variable is new
//	p := &point{x: 1}     // and so are its fields, at first
//	go show(&point{y: n}) // what is published has been written before
//
// Such a store comes before other goroutines can know the variable, and the rewriter has no place
// for an event there. One to a field that is selected by its name, p.x = 1, is none of these.
func (prog *program) hasNoEvent(f *function, s *ssa.Store) bool {
	if prog.initializes(f) {
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
			declared := s.Pos().IsValid() && s.Pos() == x.Pos() && !prog.syntax.sharedRangeVars[position{f.fset, s.Pos()}]
			return param && !s.Pos().IsValid() || declared
		case *ssa.FieldAddr:
			pos, addr = x.Pos(), x.X
		case *ssa.IndexAddr:
			pos, addr = x.Pos(), x.X
		default:
			return false
		}
		if prog.syntax.selections[position{f.fset, pos}] {
			return false
		}
	}
}
