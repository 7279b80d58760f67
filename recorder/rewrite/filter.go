package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/provenance"
	"github.com/gopredict/gopredict/recorder/sharing"
	"github.com/gopredict/gopredict/recorder/trace"
)

// An accessFilter decides which accesses and branches get hooks: by the syntax of the
// package (facts), by what package sharing knows of the whole program, by what formulas
// need, and by the properties of tests.
type accessFilter struct {
	*evaluationOrder
	facts         *variableFacts
	sharedGlobals map[string]bool // the package variables of all packages that are shared
	sharing       *sharing.Facts
	provenance    *provenance.Facts
	fset          *token.FileSet
	onlyMemory    bool                 // see Options.StandardLibrary
	onlyOperands  bool                 // see Options.OnlyOperands
	otherModule   bool                 // see Options.OtherModule
	bodiless      map[*types.Func]bool // functions of the package in assembly or of the runtime
	eventMethods  map[string]bool      // see Options.EventMethods

	// assertionAt holds operands whose hooks log an assertion as well, with the call of that.
	assertionAt map[ast.Expr]*ast.CallExpr
	// completedAt holds operands that are evaluated last in a call or return statement: their
	// hooks log the event of that statement.
	completedAt map[ast.Expr]ast.Node
}

// isShared reports whether another goroutine may reach the memory of the
// addressable operand x.
func (af *accessFilter) isShared(x ast.Expr) bool {
	v := rootVar(af.info, x)
	switch {
	case v == nil: // behind a pointer
	case v.IsField() || v.Pkg() == nil || !af.facts.isSharedVar(v, af.sharedGlobals):
		return false
	}
	return !af.needsNoEvent(x) || af.isNamedField(x)
}

// needsNoEvent reports whether the analysis of the whole program finds that accesses
// to x need no events.
func (af *accessFilter) needsNoEvent(x ast.Expr) bool {
	x = ast.Unparen(x)
	if af.onlyOperands && !af.isBehindOperand(x) {
		return true
	}
	if v := af.variable(x); v != nil {
		return af.sharing.SkipsVariable(af.fset, v)
	}
	return af.sharing.SkipsAccess(af.fset, x)
}

// hasHiddenBody reports whether no hook can be in fn, which accesses memory of its callers.
func (af *accessFilter) hasHiddenBody(fn *types.Func) bool {
	return af.bodiless[fn.Origin()] || fn.Pkg() != nil && fn.Pkg().Path() == "internal/bytealg"
}

// skipsElements reports whether accesses to the elements of x, a slice or map, need no events.
func (af *accessFilter) skipsElements(x ast.Expr) bool {
	return af.onlyOperands && !af.isBehindOperand(x) || af.sharing.SkipsElements(x)
}

// isBehindOperand reports whether x begins with a parameter that is not the receiver.
func (af *accessFilter) isBehindOperand(x ast.Expr) bool {
	for {
		switch y := x.(type) {
		case *ast.Ident:
			v, ok := af.info.ObjectOf(y).(*types.Var)
			return ok && v.Kind() == types.ParamVar
		case *ast.ParenExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SliceExpr:
			x = y.X
		default:
			return false
		}
	}
}

// isSharedVar reports whether another goroutine may use v while it is written.
func (af *accessFilter) isSharedVar(v *types.Var) bool {
	return af.facts.isSharedVar(v, af.sharedGlobals) && !af.sharing.SkipsVariable(af.fset, v)
}

// isPrivate reports whether id is a variable that only its goroutine can reach.
func (af *accessFilter) isPrivate(id *ast.Ident) bool {
	v, ok := af.info.ObjectOf(id).(*types.Var)
	return ok && !isGlobal(v) && !v.IsField() && v.Pkg() != nil && !af.facts.isSharedVar(v, af.sharedGlobals)
}

// storeNeedsHook reports whether an assignment to x gets a hook.
func (af *accessFilter) storeNeedsHook(x ast.Expr) bool {
	return !isBlank(x) && af.info.Types[x].Addressable() && af.isShared(x) && !af.hasNoSize(af.info.TypeOf(x))
}

// resultNeedsHook reports whether assignments to the named result x get a hook.
func (af *accessFilter) resultNeedsHook(x *ast.Ident) bool {
	v, ok := af.info.Defs[x].(*types.Var)
	return ok && af.isSharedVar(v) && !af.hasNoSize(v.Type())
}

// rangeIsDecided reports whether the number of iterations is the same whatever
// other goroutines do.
func (af *accessFilter) rangeIsDecided(s *ast.RangeStmt) bool {
	switch t := coreType(af.info.TypeOf(s.X)).(type) {
	case *types.Array:
		return true
	case *types.Pointer:
		_, array := coreType(t.Elem()).(*types.Array)
		return array
	case *types.Slice, *types.Basic:
		return af.isConstant(s.X) || af.sharing.SkipsBranch(s.X)
	}
	return false
}

// switchIsDecided reports whether the way that s takes is the same whatever other
// goroutines do.
func (af *accessFilter) switchIsDecided(s ast.Stmt) bool {
	sw, ok := s.(*ast.SwitchStmt)
	if !ok {
		return false
	}
	decided := func(x ast.Expr) bool { return af.isConstant(x) || af.sharing.SkipsBranch(x) }
	if sw.Tag != nil && !decided(sw.Tag) {
		return false
	}
	for _, clause := range sw.Body.List {
		for _, x := range clause.(*ast.CaseClause).List {
			if !decided(x) {
				return false
			}
		}
	}
	return true
}

// mayHook reports whether evaluating x itself may call a hook.
func (af *accessFilter) mayHook(x ast.Expr) bool {
	if af.assertionAt[x] != nil || af.completedAt[x] != nil || af.isOperand(x) {
		return true
	}
	switch x := x.(type) {
	case *ast.IndexExpr:
		if _, ok := coreType(af.info.TypeOf(x.X)).(*types.Map); ok {
			return true
		}
	case *ast.CallExpr:
		return !af.info.Types[x.Fun].IsType() || af.copiesToString(x)
	case *ast.SelectorExpr:
		if sel := af.info.Selections[x]; sel != nil && sel.Kind() == types.MethodVal {
			return true
		}
	case *ast.BinaryExpr:
		return x.Op == token.LAND || x.Op == token.LOR
	}
	return af.info.Types[x].Addressable() && af.isShared(x)
}

// lastHook is the largest start of an expression in nodes that may get a hook.
func (af *accessFilter) lastHook(nodes ...ast.Node) token.Pos {
	last := token.NoPos
	af.inspectEvaluated(nodes, func(x ast.Expr) bool {
		if x.Pos() > last && af.mayHook(x) {
			last = x.Pos()
		}
		return true
	})
	return last
}

// atomicFunc is the name of the function of package sync/atomic that c calls
// directly, "" if it does not.
func (af *accessFilter) atomicFunc(c *ast.CallExpr) string {
	if af.onlyMemory && !af.otherModule {
		return ""
	}
	fn := af.callee(c)
	if fn == nil || !isAtomic(fn) || !fn.Exported() || fn.Signature().Recv() != nil {
		return ""
	}
	if len(c.Args) == 1 && fn.Signature().Params().Len() > 1 {
		return "" // the arguments are the results of another call
	}
	return fn.Name()
}

// storesBothInOne reports whether s, an assignment to two variables where no block may
// stand, can be one statement with hooks for both stores: the right-hand sides call
// nothing, and a store gets a hook.
func (af *accessFilter) storesBothInOne(s *ast.AssignStmt) bool {
	hooked := false
	for i, x := range s.Lhs {
		if isBlank(x) || !af.hasStableAddress(x) || af.hasCall(s.Rhs[i]) || af.hasNoSize(af.info.TypeOf(x)) {
			return false
		}
		hooked = hooked || af.storeNeedsHook(x)
	}
	return hooked
}

// needsBlock reports whether not all hooks of the assignment s have room where no
// block may stand.
func (af *accessFilter) needsBlock(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok == token.DEFINE {
		return false
	}
	hooked := slices.ContainsFunc(a.Lhs, func(x ast.Expr) bool {
		_, element := af.mapElement(x)
		return element || af.storeNeedsHook(x)
	})
	return hooked && (len(a.Lhs) > 1 || af.hasCall(a.Rhs[0]))
}

// A namedAction is what a property names: its number, and how many bytes the field is behind the
// beginning of its object.
type namedAction struct {
	methodKey   uint64
	fieldOffset int64
}

// fieldAction returns what is done with the field that x selects; ok is false if no property names that.
func (af *accessFilter) fieldAction(done string, x ast.Expr) (n namedAction, ok bool) {
	if len(af.eventMethods) == 0 {
		return namedAction{}, false
	}
	field, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return namedAction{}, false
	}
	sel := af.info.Selections[field]
	if sel == nil || sel.Kind() != types.FieldVal {
		return namedAction{}, false
	}
	return af.fieldActionAt(done, sel.Recv(), sel.Index())
}

// fieldActionAt is named for the field that a path of fields leads to.
func (af *accessFilter) fieldActionAt(done string, from types.Type, path []int) (n namedAction, ok bool) {
	name, offset := properties.FieldName(from, path, af.sizes)
	if name == "" || !af.eventMethods[properties.FieldActionName(done, name)] {
		return namedAction{}, false
	}
	return namedAction{trace.CallSiteKey(properties.FieldActionName(done, name), 0), offset}, true
}

// arguments returns the arguments of a hook that logs the action at a site.
func (n namedAction) arguments(site string) string {
	return fmt.Sprintf("%d,%d,%s", n.fieldOffset, n.methodKey, site)
}

// isNamedField reports whether a property names accesses to the field that x selects.
func (af *accessFilter) isNamedField(x ast.Expr) bool {
	_, reads := af.fieldAction(properties.Reads, x)
	_, writes := af.fieldAction(properties.Writes, x)
	return reads || writes
}

// methodsOfEventObject returns what properties know of object i, of those of some types that the program tells
// an event of.
func (af *accessFilter) methodsOfEventObject(event string, objects []string, i int) (methods []string) {
	own := objects[i]
	if method := properties.EventName(event, own); af.eventMethods[method] {
		methods = append(methods, method)
	}
	for method := range af.eventMethods {
		if other, ok := strings.CutPrefix(method, properties.UnpairedEventName(event, own, "")); ok && !slices.Contains(objects, other) {
			methods = append(methods, method)
		}
	}
	for j, other := range objects {
		switch both := properties.PairEventName(event, own, other); {
		case j > i && af.eventMethods[both]:
			methods = append(methods, properties.FirstObjectName(both))
		case j < i && af.eventMethods[properties.PairEventName(event, other, own)]:
			methods = append(methods, properties.PairEventName(event, other, own))
		}
	}
	slices.Sort(methods)
	return methods
}
