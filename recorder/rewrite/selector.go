package rewrite

import (
	"go/ast"
	"go/types"
)

// A selectorEdit is x.f in the making: a field, a method value, or another package's
// variable or function.
type selectorEdit struct {
	*expressions
	selector *ast.SelectorExpr
}

// value evaluates the selector.
func (e selectorEdit) value(flow bool) string {
	sel := e.info.Selections[e.selector]
	if sel == nil {
		return e.load(e.selector, flow)
	}
	switch sel.Kind() {
	case types.FieldVal:
		return e.load(e.selector, flow)
	case types.MethodVal:
		return e.receiver(sel) + e.raw(e.selector.X.End(), e.selector.End())
	}
	return e.source(e.selector)
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
func (e selectorEdit) walk(path []int) operand {
	o := operand{typ: e.info.TypeOf(e.selector.X), expr: e.source(e.selector.X)}
	if isPointer(o.typ) {
		o.text = e.expressions.value(e.selector.X)
	} else {
		o.text = e.address(e.selector.X)
		o.memory = e.info.Types[e.selector.X].Addressable() && e.isShared(e.selector.X)
	}
	for _, i := range path {
		if ptr, ok := underlying(o.typ).(*types.Pointer); ok {
			if o.memory {
				o.text = e.stepHook(o)
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
		o.text = e.stepHook(o)
		o.memory = false
	}
	return o
}

// receiver evaluates the operand of the method value or call x. A method with
// a value receiver copies what it is called on.
func (e selectorEdit) receiver(sel *types.Selection) string {
	path := sel.Index()[:len(sel.Index())-1]
	t := e.info.TypeOf(e.selector.X)
	_, generic := types.Unalias(t).(*types.TypeParam)
	if generic || len(path) == 0 && !isPointer(t) && !takesAddress(sel) {
		return e.expressions.value(e.selector.X)
	}
	if !e.beforeCall(e.selector.X) {
		return e.receiverText(sel.Obj().(*types.Func), path)
	}
	if e.hasCall(e.selector.X) {
		return e.address(e.selector.X)
	}
	if e.receiverHooked(sel.Obj().(*types.Func), path) {
		e.postpone(e.selector.X, func() string { return e.receiverText(sel.Obj().(*types.Func), path) })
	}
	return e.source(e.selector.X)
}

// receiverHooked reports whether evaluating the receiver of fn calls a hook.
func (e selectorEdit) receiverHooked(fn *types.Func, path []int) bool {
	return e.inScope(func() string { return e.receiverText(fn, path) }) != e.source(e.selector.X)
}

// receiverText is the text of the receiver of fn.
func (e selectorEdit) receiverText(fn *types.Func, path []int) string {
	o := e.walk(path)
	switch {
	case o.typ == types.Typ[types.Invalid]:
		return o.text
	case pointerReceiver(fn):
		return e.fieldLock(fn, path, o.text)
	case isPointer(o.typ):
		elem := underlying(o.typ).(*types.Pointer).Elem()
		if e.hasNoSize(elem) {
			return o.text
		}
		return e.stepHook(operand{"*" + o.text, elem, true, "*" + o.expr})
	case o.memory && !e.hasNoSize(o.typ):
		return e.stepHook(o)
	}
	return o.text
}

// stepHook is the text that loads o, an operand on the way to x, with a hook.
func (e selectorEdit) stepHook(o operand) string {
	return "(*" + e.hook("Load") + "(&" + o.text + "," + e.site("read", e.selector.Sel, o.expr, false) + "))"
}
