package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gopredict/gopredict/recorder/properties"
)

// This file gives what is done with fields hooks that note it, where a property names it.

// fieldLock is what a lock becomes, whose address is given, of which the method fn is selected by x
// by way of a path of fields.
func (e selectorEdit) fieldLock(fn *types.Func, path []int, lock string) string {
	done, op := "", ""
	switch fn.FullName() {
	case "(*sync.Mutex).Lock", "(*sync.Mutex).TryLock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).TryLock":
		done, op = properties.Locks, "acq"
	case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock":
		done, op = properties.Unlocks, "rel"
	default:
		return lock
	}
	n, ok := e.fieldAction(done, e.selector.X)
	if len(path) > 0 {
		n, ok = e.fieldActionAt(done, e.info.TypeOf(e.selector.X), path)
	}
	if !ok || len(e.eventMethods) == 0 {
		return lock
	}
	return e.hook("Guard") + "(&" + lock + "," + n.arguments(e.site(op, e.selector, e.textOf(e.selector.X), false)) + ")"
}

// channelPointer is the text of the address of x, a channel that is a field, which is about to be
// loaded by what the address is given to.
func (e *expressions) channelPointer(x ast.Expr) string {
	address := func() string { return e.channelAddress(x) }
	switch {
	case !e.beforeCall(x):
		return address()
	case !e.hasCall(x):
		e.postpone(x, address)
		return "&" + e.textOf(x)
	}
	return "&" + e.address(x)
}

// channelAddress is channelPointer where no call follows.
func (e *expressions) channelAddress(x ast.Expr) string {
	text := "&" + e.address(x)
	if !e.isShared(x) {
		return text
	}
	return e.accessHook("Load", x, text, e.site("read", x, e.textOf(x), false))
}

// fieldSend is the text of a send to a field that a property names; ok is false of another one. It is
// noted when all operands are evaluated.
func (e *expressions) fieldSend(s *ast.SendStmt) (text string, ok bool) {
	ch := s.Chan
	if _, ok := e.fieldAction(properties.Sends, ch); !ok || e.communication == s {
		return "", false
	}
	hook := func() string {
		return e.noteFieldAccess(properties.Sends, ch, e.channelAddress(ch), e.site("send", ch, e.textOf(ch), false))
	}
	if e.beforeCall(ch) && !e.hasCall(ch) && e.postpone(ch, hook) {
		text = e.textOf(ch)
	} else {
		text = "(*" + hook() + ")"
	}
	return e.spliceNode(s, replace(ch, text), replace(s.Value, e.dataValue(s.Value))), true
}

// fieldReceive is the text of a receive from a field that a property names; ok is false of another
// one.
func (e *expressions) fieldReceive(x *ast.UnaryExpr) (text string, ok bool) {
	n, ok := e.fieldAction(properties.Receives, x.X)
	if !ok || e.communication == x {
		return "", false
	}
	fn := "ReceiveFrom"
	if two, ok := e.info.TypeOf(x).(*types.Tuple); ok {
		if !types.Identical(two.At(1).Type(), types.Typ[types.Bool]) && !types.Identical(two.At(1).Type(), types.Typ[types.UntypedBool]) {
			return "", false // it would have to be converted
		}
		fn = "ReceiveFromOK"
	}
	site := e.site("recv", x.X, e.textOf(x.X), false)
	pointer := e.inScope(func() string { return e.channelPointer(x.X) }, x.X)
	return e.spliceNode(x, piece{x.OpPos, x.OpPos + 2, e.hook(fn) + "("}, replace(x.X, pointer+","+n.arguments(site)+")")), true
}

// fieldClose is the text of c, which closes a channel, if that is a field that a property names.
func (e callEdit) fieldClose() (text string, ok bool) {
	n, ok := e.fieldAction(properties.Closes, e.call.Args[0])
	if !ok {
		return "", false
	}
	site := e.site("close", e.call.Args[0], e.textOf(e.call.Args[0]), false)
	return e.spliceNode(e.call, replace(e.call.Fun, e.hook("Closing")), replace(e.call.Args[0], e.channelPointer(e.call.Args[0])+","+n.arguments(site)), insert(e.call.Rparen+1, ".Close()")), true
}

// receiveOf is the receive of the clause of a select; nil if it has none.
func receiveOf(comm ast.Stmt) *ast.UnaryExpr {
	var x ast.Expr
	switch s := comm.(type) {
	case *ast.ExprStmt:
		x = s.X
	case *ast.AssignStmt:
		x = s.Rhs[0]
	default:
		return nil
	}
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u
	}
	return nil
}
