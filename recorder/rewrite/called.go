package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/gopredict/gopredict/recorder/trace"
)

// called is the statement that notes a call of the method fn, if a property names it, and
// what gives the receiver a name for that where it has none.
func (e *editor) called(fn *ast.FuncDecl) (named []piece, call string) {
	obj, ok := e.info.Defs[fn.Name].(*types.Func)
	if !ok || fn.Recv == nil || !e.calls[obj.FullName()] {
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
	return named, fmt.Sprintf("%s(%s, %d);", e.hook("Called"), name, trace.KeyOf(obj.FullName(), 0))
}
