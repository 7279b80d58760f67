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

// named reports whether a property names what is done with the field that x selects, and
// returns its number then, and how many bytes the field is behind the beginning of the object.
func (e *editor) named(done string, x ast.Expr) (method uint64, offset int64, ok bool) {
	if len(e.calls) == 0 {
		return 0, 0, false
	}
	sel, isSelector := ast.Unparen(x).(*ast.SelectorExpr)
	if !isSelector || e.info.Selections[sel] == nil {
		return 0, 0, false
	}
	name, offset := properties.FieldName(e.info.Selections[sel], e.sizes)
	if name == "" || !e.calls[properties.OfField(done, name)] {
		return 0, 0, false
	}
	return trace.KeyOf(properties.OfField(done, name), 0), offset, true
}

// isNamed reports whether a property names accesses to the field that x selects.
func (e *editor) isNamed(x ast.Expr) bool {
	_, _, reads := e.named("read", x)
	_, _, writes := e.named("write", x)
	return reads || writes
}

// accessed gives the address of x, which is about to be accessed, a hook that notes that if a
// property names it.
func (e *editor) accessed(done string, x ast.Expr, address, site string) string {
	method, offset, ok := e.named(done, x)
	if !ok {
		return address
	}
	return fmt.Sprintf("%s(%s,%d,%d,%s)", e.hook("Field"), address, offset, method, site)
}

// stored is what text becomes, which names the place of a store to x: what notes that when it
// is done, if a property names it.
func (e *editor) stored(x ast.Expr, text, site string) string {
	method, offset, ok := e.named("write", x)
	if !ok {
		return text
	}
	return fmt.Sprintf("%s.Field(%d,%d,%s)", text, offset, method, site)
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
