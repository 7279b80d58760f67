package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// call evaluates a call, a conversion or a builtin.
func (e *editor) call(c *ast.CallExpr, flow bool) string {
	if e.info.Types[c.Fun].IsType() {
		if len(c.Args) != 1 {
			return e.source(c)
		}
		if e.headerData(c) {
			return e.in(c, at(c.Args[0], e.address(c.Args[0])))
		}
		if e.copiesToString(c) {
			return e.in(c, at(c.Args[0], e.readElements(c.Args[0])))
		}
		return e.in(c, at(c.Args[0], e.expr(c.Args[0], flow)))
	}
	if x := e.assertion(c); x != nil {
		e.asserted[x] = c
	}
	e.noteCall(c)
	operands := []ast.Node{c.Fun}
	for _, arg := range c.Args {
		operands = append(operands, arg)
	}
	return e.within(func() string {
		if name := e.builtinName(c); name != "" {
			return e.builtin(name, c, flow)
		}
		if fn := e.atomicFunc(c); fn != "" {
			return e.atomicCall(fn, c)
		}
		if text, ok := e.told(c); ok {
			return text
		}
		return e.values(c, append([]ast.Expr{c.Fun}, c.Args...)...)
	}, operands...)
}

// headerData reports whether the conversion c is unsafe.Pointer(h.Data), where h
// is a reflect.SliceHeader or StringHeader: only in that form the compiler knows
// the integer for a pointer.
func (e *editor) headerData(c *ast.CallExpr) bool {
	to, ok := underlying(e.info.TypeOf(c.Fun)).(*types.Basic)
	if !ok || to.Kind() != types.UnsafePointer {
		return false
	}
	x, ok := ast.Unparen(c.Args[0]).(*ast.SelectorExpr)
	if !ok || x.Sel.Name != "Data" {
		return false
	}
	v, ok := e.info.Uses[x.Sel].(*types.Var)
	return ok && v.IsField() && v.Pkg() != nil && v.Pkg().Path() == "reflect"
}

// copiesToString reports whether the conversion c makes a string of the
// elements of a slice, which it reads.
func (e *editor) copiesToString(c *ast.CallExpr) bool {
	if len(c.Args) != 1 {
		return false
	}
	to, ok := underlying(e.info.TypeOf(c.Fun)).(*types.Basic)
	_, slice := underlying(e.info.TypeOf(c.Args[0])).(*types.Slice)
	return ok && to.Info()&types.IsString != 0 && slice && !e.fresh(c.Args[0])
}

// readElements evaluates the slice x with a hook that notes that its elements
// are read.
func (e *editor) readElements(x ast.Expr) string {
	if e.sharing.Elements(x) {
		return e.value(x)
	}
	if !e.beforeCall(x) {
		return e.sliceHook("SliceRead", x)
	}
	if e.hasCall(x) {
		return e.value(x)
	}
	e.postpone(x, func() string { return e.sliceHook("SliceRead", x) })
	return e.source(x)
}

// atomicFunc is the name of the function of package sync/atomic that c calls
// directly, "" if it does not.
func (e *editor) atomicFunc(c *ast.CallExpr) string {
	if e.inside {
		return ""
	}
	var id *ast.Ident
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		if e.info.Selections[fun] != nil {
			return ""
		}
		id = fun.Sel
	default:
		return ""
	}
	fn, ok := e.info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" || !fn.Exported() || fn.Signature().Recv() != nil {
		return ""
	}
	if len(c.Args) == 1 && fn.Signature().Params().Len() > 1 {
		return "" // the arguments are the results of another call
	}
	return fn.Name()
}

// atomicCall lets the run-time library do what the function fn does. The
// import of sync/atomic stays in use through a reference at the file's end.
func (e *editor) atomicCall(fn string, c *ast.CallExpr) string {
	e.keep[e.source(ast.Unparen(c.Fun))] = true
	args := e.pieces(c.Args)
	last := &args[len(args)-1]
	last.text += "," + e.site("atomic", c, e.source(c), false)
	if c == e.discarded && (strings.HasPrefix(fn, "Add") || strings.HasPrefix(fn, "And") || strings.HasPrefix(fn, "Or")) {
		e.onlyUpdates()
	}
	return e.in(c, append([]piece{at(c.Fun, e.hook(fn))}, args...)...)
}

// builtin evaluates the call of a builtin function. Those that access the
// memory behind their operands get a hook for that, unless the call is
// deferred, for then the access comes later than the evaluation of operands.
func (e *editor) builtin(name string, c *ast.CallExpr, flow bool) string {
	switch name {
	case "Sizeof", "Offsetof", "Alignof":
		return e.source(c) // operands are not evaluated
	case "len", "cap":
		return e.in(c, at(c.Args[0], e.length(name, c.Args[0])))
	case "new", "make":
		return e.values(c, valuesOnly(e.info, c.Args)...)
	case "min", "max", "real", "imag", "complex":
		var ps []piece
		for _, arg := range c.Args {
			ps = append(ps, at(arg, e.expr(arg, flow)))
		}
		return e.in(c, ps...)
	}
	switch name {
	case "copy":
		return e.copyCall(c)
	case "close":
		if text, ok := e.closed(c); ok {
			return text
		}
	}
	if c == e.later || len(c.Args) == 1 && e.isTuple(c.Args[0]) {
		return e.values(c, c.Args...)
	}
	switch name {
	case "append":
		return e.appendCall(c)
	case "delete":
		return e.in(c, at(c.Args[0], e.mapHook("MapWrite", c.Args[0])), at(c.Args[1], e.value(c.Args[1])))
	case "clear":
		return e.in(c, at(c.Args[0], e.clearOperand(c.Args[0])))
	}
	return e.values(c, c.Args...)
}

// isTuple reports whether x is a call with several results.
func (e *editor) isTuple(x ast.Expr) bool {
	_, ok := e.info.TypeOf(x).(*types.Tuple)
	return ok
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

// length evaluates the operand of len or cap.
func (e *editor) length(name string, x ast.Expr) string {
	switch t := underlying(e.info.TypeOf(x)).(type) {
	case *types.Map:
		return e.mapHook("MapRead", x)
	case *types.Chan:
		if name == "len" && !e.inside { // a loop may wait for it
			return e.hook("Len") + "(" + e.value(x) + ")"
		}
	case *types.Array:
		return e.address(x)
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Array); ok && !e.hasCall(x) {
			return e.source(x)
		}
	}
	return e.value(x)
}

// clearOperand evaluates the operand of clear.
func (e *editor) clearOperand(x ast.Expr) string {
	switch underlying(e.info.TypeOf(x)).(type) {
	case *types.Map:
		return e.mapHook("MapWrite", x)
	case *types.Slice:
		return e.sliceHook("SliceWrite", x)
	}
	return e.value(x)
}

// sliceHook evaluates the slice x with a hook for an access to its elements.
func (e *editor) sliceHook(fn string, x ast.Expr) string {
	if e.sharing.Elements(x) {
		return e.value(x)
	}
	return e.hook(fn) + "(" + e.value(x) + "," + e.site(accessOp(fn), x, e.source(x)+"[…]", false) + ")"
}

// appendCall evaluates append(s, …). The elements that fit the capacity are
// written in place.
func (e *editor) appendCall(c *ast.CallExpr) string {
	if len(c.Args) < 2 || c.Ellipsis.IsValid() && e.info.Types[c.Args[1]].IsNil() {
		return e.values(c, c.Args...)
	}
	s := c.Args[0]
	if c.Ellipsis.IsValid() {
		return e.manyCall(c, "append", e.fresh(s))
	}
	if _, ok := underlying(e.info.TypeOf(s)).(*types.Slice); !ok || e.fresh(s) || e.sharing.Elements(s) {
		return e.values(c, c.Args...)
	}
	hook := func() string {
		return fmt.Sprintf("%s(%s,%d,%s)", e.hook("Append"), e.value(s), len(c.Args)-1, e.site("write", c, e.source(s)+"[…]", false))
	}
	var text string
	switch {
	case !e.beforeCall(s):
		text = hook()
	case e.hasCall(s):
		text = e.value(s)
	default:
		text = e.source(s)
		e.postpone(s, hook)
	}
	return e.in(c, append([]piece{at(s, text)}, e.pieces(c.Args[1:])...)...)
}

// copyCall evaluates copy(dst, src).
func (e *editor) copyCall(c *ast.CallExpr) string {
	if len(c.Args) != 2 {
		return e.values(c, c.Args...)
	}
	return e.manyCall(c, "copy", false)
}

// manyCall lets a helper do what c, a copy(dst, src) or append(dst, src...),
// does: it knows how many elements are accessed. fresh says that nobody else
// can know those of dst.
func (e *editor) manyCall(c *ast.CallExpr, name string, fresh bool) string {
	dst, src := c.Args[0], c.Args[1]
	_, slices := underlying(e.info.TypeOf(dst)).(*types.Slice)
	if !slices || e.shadowsHelpers || e.sharing.Elements(dst) && (isString(e.info.TypeOf(src)) || e.sharing.Elements(src)) {
		return e.values(c, dst, src)
	}
	var fn, sites string
	last := src
	w := e.site("write", c, e.source(dst)+"[…]", false)
	switch t := underlying(e.info.TypeOf(src)).(type) {
	case *types.Slice:
		if n := e.made(src); n != nil && name == "append" {
			if fresh {
				return e.values(c, dst, src)
			}
			fn, sites, last = "appendMade", ","+w, n
			break
		}
		fn, sites = name+"Slice", ","+w+","+e.site("read", src, e.source(src)+"[…]", false)
		if fresh {
			return e.in(c, at(dst, e.value(dst)), at(src, e.sliceHook("SliceRead", src)))
		}
	case *types.Basic:
		if t.Info()&types.IsString == 0 || fresh {
			return e.values(c, dst, src)
		}
		fn, sites = name+"String", ","+w
	default:
		return e.values(c, dst, src)
	}
	ps := []piece{at(c.Fun, e.helper(fn)), at(dst, e.value(dst)), at(src, e.value(last)+sites)}
	if c.Ellipsis.IsValid() {
		ps = append(ps, piece{c.Ellipsis, c.Ellipsis + 3, ""})
	}
	return e.in(c, ps...)
}

// made is the length n if x is make([]T, n), an int on the same line, else nil. Where
// that is appended, the compiler makes no slice of its own for it, and neither must we.
func (e *editor) made(x ast.Expr) ast.Expr {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || e.builtinName(c) != "make" || len(c.Args) != 2 || e.line(x.Pos()) != e.line(x.End()) {
		return nil
	}
	if t := types.Default(e.info.TypeOf(c.Args[1])); !types.Identical(t, types.Typ[types.Int]) {
		return nil
	}
	return c.Args[1]
}

// isString reports whether t is a string type.
func isString(t types.Type) bool {
	basic, ok := underlying(t).(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// fresh reports whether the slice x was made on the spot, so that nobody else
// knows its elements.
func (e *editor) fresh(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		if e.info.Types[x.Fun].IsType() && len(x.Args) == 1 {
			_, same := underlying(e.info.TypeOf(x.Args[0])).(*types.Slice)
			return !same || e.constant(x.Args[0])
		}
		return e.builtinName(x) == "make"
	default:
		return e.constant(x)
	}
}
