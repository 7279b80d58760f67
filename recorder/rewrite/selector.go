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

// selectorText evaluates the selector.
func (e selectorEdit) selectorText(flow bool) string {
	sel := e.info.Selections[e.selector]
	if sel == nil {
		return e.load(e.selector, flow)
	}
	switch sel.Kind() {
	case types.FieldVal:
		return e.load(e.selector, flow)
	case types.MethodVal:
		return e.receiver(sel) + e.textBetween(e.selector.X.End(), e.selector.End())
	}
	return e.textOf(e.selector)
}

// An pathOperand is text on the way from an operand to one of its fields.
type pathOperand struct {
	text     string
	typ      types.Type
	isMemory bool // text is a variable that may be shared
	siteText string
}

// followPath evaluates the operand of the selector x so that a field can be
// selected, and goes along the path of embedded fields, each of which becomes
// explicit text, so that loads of embedded pointers get their hooks.
func (e selectorEdit) followPath(path []int) pathOperand {
	o := pathOperand{typ: e.info.TypeOf(e.selector.X), siteText: e.textOf(e.selector.X)}
	if isPointer(o.typ) {
		o.text = e.expressions.valueText(e.selector.X)
	} else {
		o.text = e.address(e.selector.X)
		o.isMemory = e.info.Types[e.selector.X].Addressable() && e.isShared(e.selector.X)
	}
	for _, i := range path {
		if ptr, ok := coreType(o.typ).(*types.Pointer); ok {
			if o.isMemory {
				o.text = e.loadHook(o)
			}
			o.typ, o.isMemory = ptr.Elem(), true
		}
		field := coreType(o.typ).(*types.Struct).Field(i)
		if !field.Exported() && field.Pkg() != e.pkg {
			o.isMemory = false // not ours to write down; the compiler goes on
			o.typ = types.Typ[types.Invalid]
			return o
		}
		o.text += "." + field.Name()
		o.siteText += "." + field.Name()
		o.typ = field.Type()
	}
	if o.isMemory && isPointer(o.typ) && len(path) > 0 {
		o.text = e.loadHook(o)
		o.isMemory = false
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
		return e.expressions.valueText(e.selector.X)
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
	return e.textOf(e.selector.X)
}

// receiverHooked reports whether evaluating the receiver of fn calls a hook.
func (e selectorEdit) receiverHooked(fn *types.Func, path []int) bool {
	return e.inScope(func() string { return e.receiverText(fn, path) }) != e.textOf(e.selector.X)
}

// receiverText is the text of the receiver of fn.
func (e selectorEdit) receiverText(fn *types.Func, path []int) string {
	o := e.followPath(path)
	switch {
	case o.typ == types.Typ[types.Invalid]:
		return o.text
	case pointerReceiver(fn):
		return e.fieldLock(fn, path, o.text)
	case isPointer(o.typ):
		elem := coreType(o.typ).(*types.Pointer).Elem()
		if e.hasNoSize(elem) {
			return o.text
		}
		return e.loadHook(pathOperand{"*" + o.text, elem, true, "*" + o.siteText})
	case o.isMemory && !e.hasNoSize(o.typ):
		return e.loadHook(o)
	}
	return o.text
}

// loadHook is the text that loads o, an operand on the way to x, with a hook.
func (e selectorEdit) loadHook(o pathOperand) string {
	return "(*" + e.hook("Load") + "(&" + o.text + "," + e.site("read", e.selector.Sel, o.siteText, false) + "))"
}
