package rewrite

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A typeInfo answers what the parts of the syntax tree of a file are, by their types.
type typeInfo struct {
	*sourceFile
	pkg   *types.Package
	info  *types.Info
	sizes types.Sizes
}

// isConstant reports whether x is evaluated at compile time: a constant or nil.
func (ti *typeInfo) isConstant(x ast.Expr) bool {
	tv := ti.info.Types[x]
	return tv.Value != nil || tv.IsNil()
}

// builtinName is the name of the builtin function that c calls, "" if it calls
// something else.
func (ti *typeInfo) builtinName(c *ast.CallExpr) string {
	if b, ok := typeutil.Callee(ti.info, c).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// callee is the function or method that c calls by its name, nil if it calls a
// value or a method expression.
func (ti *typeInfo) callee(c *ast.CallExpr) *types.Func {
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		if method := ti.info.Selections[sel]; method != nil && method.Kind() != types.MethodVal {
			return nil
		}
	}
	fn, _ := typeutil.Callee(ti.info, c).(*types.Func)
	return fn
}

// isTuple reports whether x is a call with several results.
func (ti *typeInfo) isTuple(x ast.Expr) bool {
	_, ok := ti.info.TypeOf(x).(*types.Tuple)
	return ok
}

// hasNoSize reports whether values of type t have no bytes.
func (ti *typeInfo) hasNoSize(t types.Type) bool {
	if hasTypeParam(t, 0) {
		return false
	}
	return ti.sizes.Sizeof(t) == 0
}

// variable is the variable that x names, nil if x is something else.
func (ti *typeInfo) variable(x ast.Expr) *types.Var {
	var v *types.Var
	switch x := x.(type) {
	case *ast.Ident:
		v, _ = ti.info.ObjectOf(x).(*types.Var)
	case *ast.SelectorExpr:
		if ti.info.Selections[x] == nil {
			v, _ = ti.info.Uses[x.Sel].(*types.Var)
		}
	}
	return v
}

// mapElement returns x as an index expression if it is an element of a map. Callers splice at the
// parts of the result, so that parentheses around it stay.
func (ti *typeInfo) mapElement(x ast.Expr) (*ast.IndexExpr, bool) {
	ix, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return nil, false
	}
	_, ok = coreType(ti.info.TypeOf(ix.X)).(*types.Map)
	return ix, ok
}

// isResult reports whether r is just the name of the named result x.
func (ti *typeInfo) isResult(r ast.Expr, x *ast.Ident) bool {
	id, ok := ast.Unparen(r).(*ast.Ident)
	return ok && ti.info.Uses[id] == ti.info.Defs[x]
}

// holdsMutex reports whether fn is a method of a struct with a mutex among its
// fields.
func (ti *typeInfo) holdsMutex(fn *ast.FuncDecl) bool {
	obj, ok := ti.info.Defs[fn.Name].(*types.Func)
	if !ok || obj.Signature().Recv() == nil {
		return false
	}
	t := obj.Signature().Recv().Type()
	if ptr, ok := coreType(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, ok := coreType(t).(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if isMutex(f.Type()) {
			return true
		}
	}
	return false
}

// isHeaderData reports whether the conversion c is unsafe.Pointer(h.Data), where h
// is a reflect.SliceHeader or StringHeader: only in that form the compiler knows
// the integer for a pointer.
func (ti *typeInfo) isHeaderData(c *ast.CallExpr) bool {
	to, ok := coreType(ti.info.TypeOf(c.Fun)).(*types.Basic)
	if !ok || to.Kind() != types.UnsafePointer {
		return false
	}
	x, ok := ast.Unparen(c.Args[0]).(*ast.SelectorExpr)
	if !ok || x.Sel.Name != "Data" {
		return false
	}
	v, ok := ti.info.Uses[x.Sel].(*types.Var)
	return ok && v.IsField() && v.Pkg() != nil && v.Pkg().Path() == "reflect"
}

// assignedText is the text that assigns temporary t to the left-hand side number i of
// a tuple assignment: the second value of v, ok = x is an untyped bool.
func (ti *typeInfo) assignedText(s *ast.AssignStmt, i int, t string) string {
	_, call := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	to := ti.info.TypeOf(s.Lhs[i])
	if call || i != 1 || types.IsInterface(to) || types.Identical(to, types.Typ[types.Bool]) {
		return t
	}
	return t + "==(0==0)"
}

// assigns reports whether a statement in n assigns the variable id.
func (ti *typeInfo) assigns(n ast.Node, id *ast.Ident) bool {
	v := ti.info.ObjectOf(id)
	found := false
	is := func(xs ...ast.Expr) {
		for _, x := range xs {
			if x != nil && rootVar(ti.info, x) == v {
				found = true
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			is(n.Lhs...)
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.RangeStmt:
			is(n.Key, n.Value)
		}
		return !found
	})
	return found
}

// changesMeaning reports whether s, a clause of a select or a loop, gives what x begins with another value
// or meaning in what follows.
func (ti *typeInfo) changesMeaning(s ast.Stmt, x ast.Expr) bool {
	var lhs []ast.Expr
	switch s := s.(type) {
	case *ast.AssignStmt:
		lhs = s.Lhs
	case *ast.RangeStmt:
		lhs = []ast.Expr{s.Key}
	}
	moves := false
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if _, ok := ti.info.Uses[id].(*types.Var); ok && ti.assigns(s, id) {
			moves = true
		}
		for _, y := range lhs {
			if y, ok := y.(*ast.Ident); ok && y.Name == id.Name {
				moves = true
			}
		}
		return true
	})
	return moves
}

// madeLength is the length n if x is make([]T, n), an int on the same line, else nil. Where
// that is appended, the compiler makes no slice of its own for it, and neither must we.
func (ti *typeInfo) madeLength(x ast.Expr) ast.Expr {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || ti.builtinName(c) != "make" || len(c.Args) != 2 || ti.line(x.Pos()) != ti.line(x.End()) {
		return nil
	}
	if t := types.Default(ti.info.TypeOf(c.Args[1])); !types.Identical(t, types.Typ[types.Int]) {
		return nil
	}
	return c.Args[1]
}

// isFreshSlice reports whether the slice x was made on the spot, so that nobody else
// knows its elements.
func (ti *typeInfo) isFreshSlice(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		if ti.info.Types[x.Fun].IsType() && len(x.Args) == 1 {
			_, same := coreType(ti.info.TypeOf(x.Args[0])).(*types.Slice)
			return !same || ti.isConstant(x.Args[0])
		}
		return ti.builtinName(x) == "make"
	default:
		return ti.isConstant(x)
	}
}

// copiesToString reports whether the conversion c makes a string of the
// elements of a slice, which it reads.
func (ti *typeInfo) copiesToString(c *ast.CallExpr) bool {
	if len(c.Args) != 1 {
		return false
	}
	to, ok := coreType(ti.info.TypeOf(c.Fun)).(*types.Basic)
	_, slice := coreType(ti.info.TypeOf(c.Args[0])).(*types.Slice)
	return ok && to.Info()&types.IsString != 0 && slice && !ti.isFreshSlice(c.Args[0])
}

// hasTypeParam reports whether the size of t may depend on a type parameter.
func hasTypeParam(t types.Type, depth int) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Array:
		return hasTypeParam(t.Elem(), depth)
	case *types.Named:
		if t.TypeArgs() != nil && depth < 10 {
			return hasTypeParam(t.Underlying(), depth+1)
		}
		if depth < 10 {
			switch t.Underlying().(type) {
			case *types.Struct, *types.Array:
				return hasTypeParam(t.Underlying(), depth+1)
			}
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if hasTypeParam(t.Field(i).Type(), depth) {
				return true
			}
		}
	}
	return false
}

// isNumeric reports whether values of type t are numbers or booleans.
func isNumeric(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsNumeric|types.IsBoolean) != 0
}

// isString reports whether t is a string type.
func isString(t types.Type) bool {
	basic, ok := coreType(t).(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// isGeneric reports whether t is a type parameter.
func isGeneric(t types.Type) bool {
	_, generic := types.Unalias(t).(*types.TypeParam)
	return generic
}

// isPointer reports whether t is a pointer type.
func isPointer(t types.Type) bool {
	_, ok := coreType(t).(*types.Pointer)
	return ok
}

// isMutex reports whether t is one of the mutexes of package sync, or a pointer
// to one.
func isMutex(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "sync" {
		return false
	}
	return named.Obj().Name() == "Mutex" || named.Obj().Name() == "RWMutex"
}

func isAtomic(fn *types.Func) bool { return fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" }

// isCounting reports whether c calls a method of a sync/atomic type that
// computes the new value from the old one.
func (ti *typeInfo) isCounting(c *ast.CallExpr) bool {
	fn := ti.callee(c)
	return fn != nil && isAtomic(fn) && fn.Signature().Recv() != nil && countingMethods[fn.Name()]
}

// countingMethods are the methods of sync/atomic's types that compute the new value
// from the old one.
var countingMethods = map[string]bool{"Add": true, "And": true, "Or": true}

// mayBeAtomic reports whether c itself may be an atomic operation, of which the
// call is the site.
func (ti *typeInfo) mayBeAtomic(c *ast.CallExpr) bool {
	if ti.info.Types[c.Fun].IsType() || ti.builtinName(c) != "" {
		return false
	}
	fn := ti.callee(c)
	if fn == nil {
		return true
	}
	recv := fn.Signature().Recv()
	return isAtomic(fn) || recv != nil && types.IsInterface(recv.Type()) || strings.HasPrefix(fn.FullName(), "(*sync.Map).")
}

// coreType is t's underlying type; for a type parameter, the underlying type
// that all types of its type set have in common, nil if there is none.
func coreType(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		return coreTypeOfConstraint(tp.Constraint(), 0)
	}
	return t.Underlying()
}

// coreTypeOfConstraint is the one underlying type of the types that constraint admits.
func coreTypeOfConstraint(constraint types.Type, depth int) types.Type {
	iface, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return constraint.Underlying()
	}
	if depth > 10 {
		return nil // a cycle: the package does not compile anyway
	}
	var common types.Type
	join := func(t types.Type) bool {
		if t == nil || common != nil && !types.Identical(common, t) {
			return false
		}
		common = t
		return true
	}
	for i := range iface.NumEmbeddeds() {
		switch t := types.Unalias(iface.EmbeddedType(i)).(type) {
		case *types.Union:
			for j := range t.Len() {
				if !join(coreTypeOfConstraint(t.Term(j).Type(), depth+1)) {
					return nil
				}
			}
		default:
			if u := coreTypeOfConstraint(t, depth+1); u != nil && !join(u) {
				return nil
			}
		}
	}
	return common
}

// isBlank reports whether x, a range variable, is absent.
func isBlank(x ast.Expr) bool {
	if x == nil {
		return true
	}
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}
