package rewrite

import (
	"go/ast"
	"go/types"
)

// selector evaluates x.f: a field, a method value, or another package's
// variable or function.
func (e *editor) selector(x *ast.SelectorExpr, flow bool) string {
	sel := e.info.Selections[x]
	if sel == nil {
		return e.load(x, flow)
	}
	switch sel.Kind() {
	case types.FieldVal:
		return e.load(x, flow)
	case types.MethodVal:
		return e.receiver(x, sel) + e.raw(x.X.End(), x.End())
	}
	return e.source(x)
}

// An operand is text on the way from an operand to one of its fields.
type operand struct {
	text   string
	typ    types.Type
	memory bool // text is a variable that may be shared
	expr   string
}

// walk evaluates the operand of the selector x so that a field can be
// selected, and goes along the path of embedded fields, each of which becomes
// explicit text, so that loads of embedded pointers get their hooks.
func (e *editor) walk(x *ast.SelectorExpr, path []int) operand {
	o := operand{typ: e.info.TypeOf(x.X), expr: e.source(x.X)}
	if isPointer(o.typ) {
		o.text = e.value(x.X)
	} else {
		o.text = e.address(x.X)
		o.memory = e.info.Types[x.X].Addressable() && e.shared(x.X)
	}
	for _, i := range path {
		if ptr, ok := underlying(o.typ).(*types.Pointer); ok {
			if o.memory {
				o.text = e.stepHook(x, o)
			}
			o.typ, o.memory = ptr.Elem(), true
		}
		field := underlying(o.typ).(*types.Struct).Field(i)
		if !field.Exported() && field.Pkg() != e.pkg {
			o.memory = false // not ours to write down; the compiler goes on
			o.typ = types.Typ[types.Invalid]
			return o
		}
		o.text += "." + field.Name()
		o.expr += "." + field.Name()
		o.typ = field.Type()
	}
	if o.memory && isPointer(o.typ) && len(path) > 0 {
		o.text = e.stepHook(x, o)
		o.memory = false
	}
	return o
}

// receiver evaluates the operand of the method value or call x. A method with
// a value receiver copies what it is called on.
func (e *editor) receiver(x *ast.SelectorExpr, sel *types.Selection) string {
	path := sel.Index()[:len(sel.Index())-1]
	t := e.info.TypeOf(x.X)
	_, generic := types.Unalias(t).(*types.TypeParam)
	if generic || len(path) == 0 && !isPointer(t) && !takesAddress(sel) {
		return e.value(x.X)
	}
	if !e.beforeCall(x.X) {
		return e.receiverText(x, sel.Obj().(*types.Func), path)
	}
	if e.hasCall(x.X) {
		return e.address(x.X)
	}
	if e.receiverHooked(x, sel.Obj().(*types.Func), path) {
		e.postpone(x.X, func() string { return e.receiverText(x, sel.Obj().(*types.Func), path) })
	}
	return e.source(x.X)
}

// receiverHooked reports whether evaluating the receiver of fn calls a hook.
func (e *editor) receiverHooked(x *ast.SelectorExpr, fn *types.Func, path []int) bool {
	return e.within(func() string { return e.receiverText(x, fn, path) }) != e.source(x.X)
}

// receiverText is the text of the receiver of fn.
func (e *editor) receiverText(x *ast.SelectorExpr, fn *types.Func, path []int) string {
	o := e.walk(x, path)
	switch {
	case o.typ == types.Typ[types.Invalid]:
		return o.text
	case pointerReceiver(fn):
		return e.guarded(x, fn, path, o.text)
	case isPointer(o.typ):
		elem := underlying(o.typ).(*types.Pointer).Elem()
		if e.empty(elem) {
			return o.text
		}
		return e.stepHook(x, operand{"*" + o.text, elem, true, "*" + o.expr})
	case o.memory && !e.empty(o.typ):
		return e.stepHook(x, o)
	}
	return o.text
}

// stepHook is the text that loads o, an operand on the way to x, with a hook.
func (e *editor) stepHook(x *ast.SelectorExpr, o operand) string {
	return "(*" + e.hook("Load") + "(&" + o.text + "," + e.site("read", x.Sel, o.expr, false) + "))"
}
