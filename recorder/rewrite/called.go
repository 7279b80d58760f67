package rewrite

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/trace"
)

// called is the statements that note a call of the method fn, and its end, if a property names
// them, and what gives the receiver a name for that where it has none.
func (e *editor) called(fn *ast.FuncDecl) (named []piece, call string) {
	obj, ok := e.info.Defs[fn.Name].(*types.Func)
	if !ok || fn.Recv == nil {
		return nil, ""
	}
	calls, returns := e.calls[obj.FullName()], e.calls[properties.Return(obj.FullName())]
	if !calls && !returns {
		return nil, ""
	}
	recv := fn.Recv.List[0]
	var name string
	switch {
	case len(recv.Names) == 0:
		name = e.temp()
		named = []piece{after(recv.Type.Pos(), name+" ")}
	case recv.Names[0].Name == "_":
		name = e.temp()
		named = []piece{at(recv.Names[0], name)}
	default:
		name = recv.Names[0].Name
	}
	if returns { // after all that the method has deferred itself
		call = fmt.Sprintf("defer %s(%s, %d);", e.hook("Called"), name, trace.KeyOf(properties.Return(obj.FullName()), 0))
	}
	if calls {
		call += fmt.Sprintf("%s(%s, %d);", e.hook("Called"), name, trace.KeyOf(obj.FullName(), 0))
	}
	return named, call
}

// told gives the objects that c, a call of property.Event, is about a hook that notes the
// event, where a property names it; ok is false of another call.
func (e *editor) told(c *ast.CallExpr) (text string, ok bool) {
	fn := e.callee(c)
	if len(e.calls) == 0 || fn == nil || !properties.IsTold(fn) || len(c.Args) < 2 || c.Ellipsis.IsValid() {
		return "", false
	}
	name := e.info.Types[c.Args[0]].Value
	if name == nil {
		return "", false
	}
	var ps []piece
	for _, arg := range c.Args[1:] {
		text := e.value(arg)
		if method := properties.Told(constant.StringVal(name), e.info.TypeOf(arg).String()); e.calls[method] {
			text = fmt.Sprintf("%s(%s, %d)", e.hook("Told"), text, trace.KeyOf(method, 0))
		}
		ps = append(ps, at(arg, text))
	}
	return e.in(c, ps...), true
}
