package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// call evaluates a call, a conversion or a builtin.
func (e *expressions) call(c *ast.CallExpr, flow bool) string {
	if e.info.Types[c.Fun].IsType() {
		if len(c.Args) != 1 {
			return e.textOf(c)
		}
		if e.isHeaderData(c) {
			return e.spliceNode(c, replace(c.Args[0], e.address(c.Args[0])))
		}
		if e.copiesToString(c) {
			return e.spliceNode(c, replace(c.Args[0], e.readElements(c.Args[0])))
		}
		return e.spliceNode(c, replace(c.Args[0], e.exprText(c.Args[0], flow)))
	}
	if x := e.assertion(c); x != nil {
		e.assertionAt[x] = c
	}
	e.markLastArgument(c)
	operands := []ast.Node{c.Fun}
	for _, arg := range c.Args {
		operands = append(operands, arg)
	}
	return e.inScope(func() string { return callEdit{e, c}.text(flow) }, operands...)
}

// A callEdit is a call in the making, of a function, a method or a builtin.
type callEdit struct {
	*expressions
	call *ast.CallExpr
}

// text evaluates the call.
func (e callEdit) text(flow bool) string {
	if name := e.builtinName(e.call); name != "" {
		return e.builtinCall(name, flow)
	}
	if fn := e.atomicFunc(e.call); fn != "" {
		return e.atomicCall(fn)
	}
	if text, ok := e.propertyEvent(); ok {
		return text
	}
	if fn := e.callee(e.call); fn != nil && e.onlyMemory && e.hasHiddenBody(fn) && e.call != e.deferredCall {
		return e.hiddenCall(fn)
	}
	return e.valuesOfChildren(e.call, append([]ast.Expr{e.call.Fun}, e.call.Args...)...)
}

// hiddenCall evaluates the call of fn, which is in assembly or the runtime, with hooks for what it
// does with its operands: it reads slices, maps, and what &x[i] points to. What it writes is called
// dst or out, or z in package big, all over the standard library.
func (e callEdit) hiddenCall(fn *types.Func) string {
	params := fn.Signature().Params()
	if len(e.call.Args) != params.Len() || e.call.Ellipsis.IsValid() {
		return e.valuesOfChildren(e.call, append([]ast.Expr{e.call.Fun}, e.call.Args...)...)
	}
	ps := []piece{replace(e.call.Fun, e.valueText(e.call.Fun))}
	for i, arg := range e.call.Args {
		writes := slices.Contains([]string{"dst", "out", "z"}, params.At(i).Name())
		ps = append(ps, e.hiddenOperand(arg, writes))
	}
	return e.spliceNode(e.call, ps...)
}

// hiddenOperand is the piece of an operand of such a call.
func (e callEdit) hiddenOperand(arg ast.Expr, writes bool) piece {
	pointer := ast.Unparen(arg)
	for c, ok := pointer.(*ast.CallExpr); ok && len(c.Args) == 1 && e.info.Types[c.Fun].IsType(); c, ok = pointer.(*ast.CallExpr) {
		pointer = ast.Unparen(c.Args[0]) // unsafe.Pointer(&x[i])
	}
	if u, ok := pointer.(*ast.UnaryExpr); ok && u.Op == token.AND {
		ix, ok := ast.Unparen(u.X).(*ast.IndexExpr)
		if !ok || !e.isShared(ix) {
			return replace(arg, e.valueText(arg))
		}
		fn := "Load"
		if writes {
			fn = "Write"
		}
		return replace(pointer, e.hook(fn)+"("+e.valueText(pointer)+",0)")
	}
	switch coreType(e.info.TypeOf(arg)).(type) {
	case *types.Slice:
		if !e.skipsElements(arg) {
			fn := "SliceRead"
			if writes {
				fn = "SliceWrite"
			}
			return replace(arg, e.hookOrPostpone(arg, func() string { return e.sliceHook(fn, arg) }))
		}
	case *types.Map:
		return replace(arg, e.mapHook("MapRead", arg))
	}
	return replace(arg, e.valueText(arg))
}

// readElements is the text of the slice x with a hook that logs a read of its elements.
func (e *expressions) readElements(x ast.Expr) string {
	if e.skipsElements(x) {
		return e.valueText(x)
	}
	return e.hookOrPostpone(x, func() string { return e.sliceHook("SliceRead", x) })
}

// atomicCall lets the run-time library do what the function fn does. The
// import of sync/atomic stays in use through a reference at the file's end.
func (e callEdit) atomicCall(fn string) string {
	e.keepImports[e.textOf(ast.Unparen(e.call.Fun))] = true
	args := e.valuePieces(e.call.Args)
	last := &args[len(args)-1]
	last.text += "," + e.site("atomic", e.call, e.textOf(e.call), false)
	if e.call == e.discardedCall && (strings.HasPrefix(fn, "Add") || strings.HasPrefix(fn, "And") || strings.HasPrefix(fn, "Or")) {
		e.onlyUpdates()
	}
	return e.spliceNode(e.call, append([]piece{replace(e.call.Fun, e.hook(fn))}, args...)...)
}

// builtinCall evaluates the call of a builtin function. Those that access the
// memory behind their operands get a hook for that, unless the call is
// deferred, for then the access comes later than the evaluation of operands.
func (e callEdit) builtinCall(name string, flow bool) string {
	switch name {
	case "Sizeof", "Offsetof", "Alignof":
		return e.textOf(e.call) // operands are not evaluated
	case "len", "cap":
		return e.spliceNode(e.call, replace(e.call.Args[0], e.lengthOperand(name, e.call.Args[0])))
	case "new", "make":
		return e.valuesOfChildren(e.call, valuesOnly(e.info, e.call.Args)...)
	case "min", "max", "real", "imag", "complex":
		var ps []piece
		for _, arg := range e.call.Args {
			ps = append(ps, replace(arg, e.exprText(arg, flow)))
		}
		return e.spliceNode(e.call, ps...)
	}
	switch name {
	case "copy":
		return e.copyCall()
	case "close":
		if text, ok := e.fieldClose(); ok {
			return text
		}
	}
	if e.call == e.deferredCall || len(e.call.Args) == 1 && e.isTuple(e.call.Args[0]) {
		return e.valuesOfChildren(e.call, e.call.Args...)
	}
	switch name {
	case "append":
		return e.appendCall()
	case "delete":
		return e.spliceNode(e.call, replace(e.call.Args[0], e.mapHook("MapWrite", e.call.Args[0])), replace(e.call.Args[1], e.valueText(e.call.Args[1])))
	case "clear":
		return e.spliceNode(e.call, replace(e.call.Args[0], e.clearOperand(e.call.Args[0])))
	}
	return e.valuesOfChildren(e.call, e.call.Args...)
}

// valuesOnly leaves out the types among the operands of make and new.
func valuesOnly(info *types.Info, args []ast.Expr) []ast.Expr {
	var xs []ast.Expr
	for _, x := range args {
		if !info.Types[x].IsType() {
			xs = append(xs, x)
		}
	}
	return xs
}

// lengthOperand evaluates the operand of len or cap.
func (e callEdit) lengthOperand(name string, x ast.Expr) string {
	switch t := coreType(e.info.TypeOf(x)).(type) {
	case *types.Map:
		return e.mapHook("MapRead", x)
	case *types.Chan:
		if name == "len" && !e.onlyMemory { // a loop may wait for it
			return e.hook("Len") + "(" + e.valueText(x) + ")"
		}
	case *types.Array:
		return e.address(x)
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Array); ok && !e.hasCall(x) {
			return e.textOf(x)
		}
	}
	return e.valueText(x)
}

// clearOperand evaluates the operand of clear.
func (e callEdit) clearOperand(x ast.Expr) string {
	switch coreType(e.info.TypeOf(x)).(type) {
	case *types.Map:
		return e.mapHook("MapWrite", x)
	case *types.Slice:
		return e.sliceHook("SliceWrite", x)
	}
	return e.valueText(x)
}

// sliceHook evaluates the slice x with a hook for an access to its elements.
func (e *expressions) sliceHook(fn string, x ast.Expr) string {
	if e.skipsElements(x) {
		return e.valueText(x)
	}
	return e.hook(fn) + "(" + e.valueText(x) + "," + e.site(accessOp(fn), x, e.textOf(x)+"[…]", false) + ")"
}

// appendCall evaluates append(s, …). The elements that fit the capacity are
// written in place.
func (e callEdit) appendCall() string {
	if len(e.call.Args) < 2 || e.call.Ellipsis.IsValid() && e.info.Types[e.call.Args[1]].IsNil() {
		return e.valuesOfChildren(e.call, e.call.Args...)
	}
	s := e.call.Args[0]
	if e.call.Ellipsis.IsValid() {
		return e.manyCall("append", e.isFreshSlice(s))
	}
	if _, ok := coreType(e.info.TypeOf(s)).(*types.Slice); !ok || e.isFreshSlice(s) || e.skipsElements(s) {
		return e.valuesOfChildren(e.call, e.call.Args...)
	}
	hook := func() string {
		return fmt.Sprintf("%s(%s,%d,%s)", e.hook("Append"), e.valueText(s), len(e.call.Args)-1, e.site("write", e.call, e.textOf(s)+"[…]", false))
	}
	return e.spliceNode(e.call, append([]piece{replace(s, e.hookOrPostpone(s, hook))}, e.valuePieces(e.call.Args[1:])...)...)
}

// copyCall evaluates copy(dst, src).
func (e callEdit) copyCall() string {
	if len(e.call.Args) != 2 {
		return e.valuesOfChildren(e.call, e.call.Args...)
	}
	return e.manyCall("copy", false)
}

// manyCall lets a helper do what c, a copy(dst, src) or append(dst, src...),
// does: it knows how many elements are accessed. fresh says that nobody else
// can know those of dst.
func (e callEdit) manyCall(name string, fresh bool) string {
	dst, src := e.call.Args[0], e.call.Args[1]
	_, slices := coreType(e.info.TypeOf(dst)).(*types.Slice)
	if !slices || e.shadowsHelpers || e.skipsElements(dst) && (isString(e.info.TypeOf(src)) || e.skipsElements(src)) {
		return e.valuesOfChildren(e.call, dst, src)
	}
	var fn, sites string
	last := src
	w := e.site("write", e.call, e.textOf(dst)+"[…]", false)
	switch t := coreType(e.info.TypeOf(src)).(type) {
	case *types.Slice:
		if n := e.madeLength(src); n != nil && name == "append" {
			if fresh {
				return e.valuesOfChildren(e.call, dst, src)
			}
			fn, sites, last = "appendMade", ","+w, n
			break
		}
		fn, sites = name+"Slice", ","+w+","+e.site("read", src, e.textOf(src)+"[…]", false)
		if fresh {
			return e.spliceNode(e.call, replace(dst, e.valueText(dst)), replace(src, e.sliceHook("SliceRead", src)))
		}
	case *types.Basic:
		if t.Info()&types.IsString == 0 || fresh {
			return e.valuesOfChildren(e.call, dst, src)
		}
		fn, sites = name+"String", ","+w
	default:
		return e.valuesOfChildren(e.call, dst, src)
	}
	ps := []piece{replace(e.call.Fun, e.helper(fn)), replace(dst, e.valueText(dst)), replace(src, e.valueText(last)+sites)}
	if e.call.Ellipsis.IsValid() {
		ps = append(ps, piece{e.call.Ellipsis, e.call.Ellipsis + 3, ""})
	}
	return e.spliceNode(e.call, ps...)
}
