package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file decides which variables a second goroutine can reach. A local
// variable is private unless its address is taken, or a function literal that
// may run elsewhere captures it and it is assigned after its declaration. A
// package variable that nobody assigns after its initialization, and whose
// address nobody takes, is only read. Everything else counts as shared.

// variableFacts are what the files of one package say about variables.
type variableFacts struct {
	info                   *types.Info
	captured               map[*types.Var]bool
	assigned               map[*types.Var]bool // other than by its declaration
	exposed                map[*types.Var]bool // its address is taken
	globals                map[string]bool     // package variables of any package, assigned or exposed
	gotos                  map[types.Object]bool
	loopBodiesInGoroutines map[int]bool // by the number of the body's parameters: see noteSpread
	newVarsPerIteration    bool         // loop variables are new in each iteration, in the file being read
}

// collectFacts reads the files of a package. newVarsPerIteration says whether a file's
// language version gives each loop iteration new variables.
func collectFacts(info *types.Info, files []*ast.File, perIteration func(*ast.File) bool) *variableFacts {
	f := &variableFacts{
		info:                   info,
		captured:               map[*types.Var]bool{},
		assigned:               map[*types.Var]bool{},
		exposed:                map[*types.Var]bool{},
		globals:                map[string]bool{},
		gotos:                  map[types.Object]bool{},
		loopBodiesInGoroutines: map[int]bool{},
	}
	for _, file := range files {
		f.newVarsPerIteration = perIteration(file)
		f.walk(file)
	}
	for _, set := range []map[*types.Var]bool{f.assigned, f.exposed} {
		for v := range set {
			if isGlobal(v) {
				f.globals[globalKey(v)] = true
			}
		}
	}
	return f
}

// isGlobal reports whether v is a package variable.
func isGlobal(v *types.Var) bool {
	return !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// globalKey names a package variable in every package that sees it.
func globalKey(v *types.Var) string { return v.Pkg().Path() + "." + v.Name() }

// isSharedVar reports whether another goroutine may use v while it is written.
func (f *variableFacts) isSharedVar(v *types.Var, written map[string]bool) bool {
	if isGlobal(v) {
		return written[globalKey(v)]
	}
	return f.exposed[v] || f.captured[v] && f.assigned[v]
}

// walk collects the facts below root.
func (f *variableFacts) walk(root ast.Node) {
	var stack []ast.Node
	skip := map[ast.Node]bool{} // post statements that act on a new variable
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.Ident:
			if v, ok := f.info.Uses[n].(*types.Var); ok && !v.IsField() {
				f.noteUse(v, stack)
				f.noteSpread(v, stack)
			}
		case *ast.ForStmt:
			if f.newVarsPerIteration && n.Post != nil && !hasFuncLit(n.Cond) && !hasFuncLit(n.Post) && !hasFuncLit(n.Init) {
				skip[n.Post] = true
			}
		case *ast.AssignStmt:
			if !skip[n] {
				for _, lhs := range n.Lhs {
					if id, ok := lhs.(*ast.Ident); n.Tok != token.DEFINE || ok && f.info.Defs[id] == nil {
						f.markVar(f.assigned, lhs)
					}
				}
			}
		case *ast.IncDecStmt:
			if !skip[n] {
				f.markVar(f.assigned, n.X)
			}
		case *ast.RangeStmt:
			f.rangeVars(n)
		case *ast.FuncType:
			f.results(n)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				f.markVar(f.exposed, n.X)
			}
		case *ast.SliceExpr:
			if _, ok := coreType(f.info.TypeOf(n.X)).(*types.Array); ok {
				f.markVar(f.exposed, n.X)
			}
		case *ast.SelectorExpr:
			if sel := f.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && takesAddress(sel) {
				f.markVar(f.exposed, n.X)
			}
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				f.gotos[f.info.Uses[n.Label]] = true
			}
		}
		stack = append(stack, n)
		return true
	})
}

// rangeVars marks what a range statement assigns in each iteration.
func (f *variableFacts) rangeVars(n *ast.RangeStmt) {
	for _, x := range []ast.Expr{n.Key, n.Value} {
		if x == nil {
			continue
		}
		if n.Tok == token.ASSIGN {
			f.markVar(f.assigned, x)
		} else if id, ok := x.(*ast.Ident); ok && !f.newVarsPerIteration {
			if v, ok := f.info.Defs[id].(*types.Var); ok {
				f.assigned[v] = true
			}
		}
	}
}

// results marks the named results of a function, which return statements assign.
func (f *variableFacts) results(n *ast.FuncType) {
	if n.Results == nil {
		return
	}
	for _, field := range n.Results.List {
		for _, id := range field.Names {
			f.markVar(f.assigned, id)
		}
	}
}

// noteUse marks v as captured if it is used in a function literal that does not
// declare it. A literal that is called on the spot, or deferred, runs in the
// goroutine of its creator before the creator returns. The body of a range
// over a function is a function as well.
func (f *variableFacts) noteUse(v *types.Var, stack []ast.Node) {
	for i, n := range stack {
		if v.Pos() >= n.Pos() && v.Pos() < n.End() {
			continue
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			if !inPlace(n, stack[:i]) {
				f.captured[v] = true
			}
		case *ast.BlockStmt:
			if r, ok := stack[i-1].(*ast.RangeStmt); ok {
				if _, ok := coreType(f.info.TypeOf(r.X)).(*types.Signature); ok {
					f.captured[v] = true
				}
			}
		}
	}
}

// inPlace reports whether lit, whose ancestors are given, is the function of a
// call or defer statement.
func inPlace(lit *ast.FuncLit, ancestors []ast.Node) bool {
	fun := ast.Expr(lit)
	i := len(ancestors) - 1
	for ; i >= 0; i-- {
		paren, ok := ancestors[i].(*ast.ParenExpr)
		if !ok {
			break
		}
		fun = paren
	}
	if i < 1 {
		return false
	}
	call, ok := ancestors[i].(*ast.CallExpr)
	if !ok || call.Fun != fun {
		return false
	}
	_, spawned := ancestors[i-1].(*ast.GoStmt)
	return !spawned
}

// markVar puts the variable that x is a part of into set.
func (f *variableFacts) markVar(set map[*types.Var]bool, x ast.Expr) {
	if v := rootVar(f.info, x); v != nil {
		set[v] = true
	}
}

// rootVar is the variable whose memory x lies in, nil if x lies behind a
// pointer or in an element of a slice, or is no variable at all.
func rootVar(info *types.Info, x ast.Expr) *types.Var {
	switch x := x.(type) {
	case *ast.Ident:
		v, _ := info.ObjectOf(x).(*types.Var)
		return v
	case *ast.ParenExpr:
		return rootVar(info, x.X)
	case *ast.SelectorExpr:
		sel := info.Selections[x]
		if sel == nil {
			v, _ := info.Uses[x.Sel].(*types.Var)
			return v
		}
		// For a method value, X up to the embedded receiver: see takesAddress.
		if sel.Kind() == types.FieldVal && !sel.Indirect() {
			return rootVar(info, x.X)
		}
	case *ast.IndexExpr:
		if _, ok := coreType(info.TypeOf(x.X)).(*types.Array); ok {
			return rootVar(info, x.X)
		}
	}
	return nil
}

// takesAddress reports whether the method value sel takes the address of (a
// part of) its operand: the receiver is a pointer and no pointer is on the way.
func takesAddress(sel *types.Selection) bool {
	fn, ok := sel.Obj().(*types.Func)
	if !ok {
		return false
	}
	if !pointerReceiver(fn) {
		return false
	}
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if isPointer(t) {
			return false
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
	}
	return !isPointer(t)
}

// pointerReceiver reports whether fn is a method with a pointer receiver.
func pointerReceiver(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && isPointer(recv.Type())
}

// hasFuncLit reports whether a function literal lies in n, which may be nil.
func hasFuncLit(n ast.Node) bool {
	if n == nil {
		return false
	}
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		_, lit := n.(*ast.FuncLit)
		found = found || lit
		return !found
	})
	return found
}
