package rewrite

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A methodEdit is the declaration of a method that properties may name, in the making.
type methodEdit struct {
	*expressions
	fn *ast.FuncDecl
}

// callNotes is the statements that note a call of the method, and its end, if a property names
// them, and what gives the receiver a name for that where it has none.
func (e methodEdit) callNotes() (named []piece, call string) {
	fn := e.fn
	obj, ok := e.info.Defs[fn.Name].(*types.Func)
	if !ok || fn.Recv == nil {
		return nil, ""
	}
	begins, ends := obj.FullName(), properties.ReturnName(obj.FullName())
	argument, with := e.operandOfProperty(begins, obj.Signature().Params())
	result, of := e.operandOfProperty(ends, obj.Signature().Results())
	if !e.eventMethods[begins] && !e.eventMethods[ends] && argument < 0 && result < 0 {
		return nil, ""
	}
	named, names := e.nameVariables(fn.Recv)
	recv := names[0]
	// The end comes after all that the method has deferred itself.
	if e.eventMethods[ends] {
		call = fmt.Sprintf("defer %s(%s, %d);", e.hook("Called"), recv, trace.CallSiteKey(ends, 0))
	}
	if argument >= 0 {
		ps, names := e.nameVariables(fn.Type.Params)
		named = append(named, ps...)
		call += fmt.Sprintf("%s(%s, %s, %d, %d);", e.hook("CalledWith"), names[argument], recv, trace.CallSiteKey(properties.FirstObjectName(with), 0), trace.CallSiteKey(with, 0))
	}
	if result >= 0 {
		ps, names := e.nameVariables(fn.Type.Results)
		if !fn.Type.Results.Opening.IsValid() {
			ps = append([]piece{insert(fn.Type.Results.Pos(), "(")}, append(ps, insert(fn.Type.Results.End(), ")"))...)
		}
		named = append(named, ps...)
		call += fmt.Sprintf("defer %s(&%s, %s, %d, %d);", e.hook("ReturnedWith"), names[result], recv, trace.CallSiteKey(properties.FirstObjectName(of), 0), trace.CallSiteKey(of, 0))
	}
	if e.eventMethods[begins] {
		call += fmt.Sprintf("%s(%s, %d);", e.hook("Called"), recv, trace.CallSiteKey(begins, 0))
	}
	return named, call
}

// operandOfProperty returns which of some variables a property of pairs names along with a method, and what
// stands for that; -1 for none.
func (e methodEdit) operandOfProperty(method string, vars *types.Tuple) (which int, name string) {
	for i := range vars.Len() {
		if name := properties.WithOperandName(method, vars.At(i).Type().String()); e.eventMethods[name] {
			return i, name
		}
	}
	return -1, ""
}

// nameVariables returns the names of parameters or results, and insertions that name those without
// a name.
func (e methodEdit) nameVariables(fields *ast.FieldList) (named []piece, names []string) {
	for _, field := range fields.List {
		if len(field.Names) == 0 {
			name := e.temp()
			names, named = append(names, name), append(named, insert(field.Type.Pos(), name+" "))
		}
		for _, id := range field.Names {
			name := id.Name
			if name == "_" {
				name = e.temp()
				named = append(named, replace(id, name))
			}
			names = append(names, name)
		}
	}
	return named, names
}

// propertyEvent is the text of c, a call of property.Event, where a property names that: a hook that notes
// the event when the call is made; ok is false of another call.
func (e callEdit) propertyEvent() (text string, ok bool) {
	fn := e.callee(e.call)
	if len(e.eventMethods) == 0 || fn == nil || !properties.IsEventFunction(fn) || len(e.call.Args) < 2 || e.call.Ellipsis.IsValid() {
		return "", false
	}
	name := e.info.Types[e.call.Args[0]].Value
	if name == nil {
		return "", false
	}
	var objects []string // their types
	for _, arg := range e.call.Args[1:] {
		objects = append(objects, e.info.TypeOf(arg).String())
	}
	var ps []piece
	named := false
	for i, arg := range e.call.Args[1:] {
		text, hook := e.valueText(arg), "Unnamed"
		for _, method := range e.methodsOfEventObject(constant.StringVal(name), objects, i) {
			hook, named = "ObjectOf", true
			text += fmt.Sprintf(", %d", trace.CallSiteKey(method, 0))
		}
		ps = append(ps, replace(arg, e.hook(hook)+"("+text+")"))
	}
	if !named {
		return "", false
	}
	fun := e.textOf(ast.Unparen(e.call.Fun))
	e.keepImports[fun] = true // its import stays in use
	gap := piece{e.call.Args[0].Pos(), e.call.Args[1].Pos(), e.newlines(e.call.Args[0].Pos(), e.call.Args[1].Pos())}
	return e.spliceNode(e.call, append([]piece{replace(e.call.Fun, e.hook("Event")), gap}, ps...)...), true
}
