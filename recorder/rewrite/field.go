package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/trace"
)

// This file gives what is done with fields hooks that note it, where a property names it.

// A named is what a property names: its number, and how many bytes the field is behind the
// beginning of its object.
type named struct {
	method uint64
	offset int64
}

// named returns what is done with the field that x selects; ok is false if no property names that.
func (e *editor) named(done string, x ast.Expr) (n named, ok bool) {
	if len(e.calls) == 0 {
		return named{}, false
	}
	field, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return named{}, false
	}
	sel := e.info.Selections[field]
	if sel == nil || sel.Kind() != types.FieldVal {
		return named{}, false
	}
	return e.namedBy(done, sel.Recv(), sel.Index())
}

// namedBy is named for the field that a path of fields leads to.
func (e *editor) namedBy(done string, from types.Type, path []int) (n named, ok bool) {
	name, offset := properties.FieldName(from, path, e.sizes)
	if name == "" || !e.calls[properties.OfField(done, name)] {
		return named{}, false
	}
	return named{trace.KeyOf(properties.OfField(done, name), 0), offset}, true
}

// arguments are those of hooks that note what is done at a site.
func (n named) arguments(site string) string {
	return fmt.Sprintf("%d,%d,%s", n.offset, n.method, site)
}

// isNamed reports whether a property names accesses to the field that x selects.
func (e *editor) isNamed(x ast.Expr) bool {
	_, reads := e.named(properties.Reads, x)
	_, writes := e.named(properties.Writes, x)
	return reads || writes
}

// accessed gives the address of x, with which something is about to be done, a hook that notes
// that.
func (e *editor) accessed(done string, x ast.Expr, address, site string) string {
	n, ok := e.named(done, x)
	if !ok {
		return address
	}
	return e.hook("Field") + "(" + address + "," + n.arguments(site) + ")"
}

// stored is what text becomes, which names the place of a store to x: what notes that when it
// is done.
func (e *editor) stored(x ast.Expr, text, site string) string {
	n, ok := e.named(properties.Writes, x)
	if !ok {
		return text
	}
	return text + ".Field(" + n.arguments(site) + ")"
}

// guarded is what a lock becomes, whose address is given, of which the method fn is selected by x
// by way of a path of fields.
func (e *editor) guarded(x *ast.SelectorExpr, fn *types.Func, path []int, lock string) string {
	done, op := "", ""
	switch fn.FullName() {
	case "(*sync.Mutex).Lock", "(*sync.Mutex).TryLock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).TryLock":
		done, op = properties.Locks, "acq"
	case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock":
		done, op = properties.Unlocks, "rel"
	default:
		return lock
	}
	n, ok := e.named(done, x.X)
	if len(path) > 0 {
		n, ok = e.namedBy(done, e.info.TypeOf(x.X), path)
	}
	if !ok || len(e.calls) == 0 {
		return lock
	}
	return e.hook("Guard") + "(&" + lock + "," + n.arguments(e.site(op, x, e.source(x.X), false)) + ")"
}

// channelPointer is the text of the address of x, a channel that is a field, which is about to be
// loaded by what the address is given to.
func (e *editor) channelPointer(x ast.Expr) string {
	address := func() string { return e.channelAddress(x) }
	switch {
	case !e.beforeCall(x):
		return address()
	case !e.hasCall(x):
		e.postpone(x, address)
		return "&" + e.source(x)
	}
	return "&" + e.address(x)
}

// channelAddress is channelPointer where no call follows.
func (e *editor) channelAddress(x ast.Expr) string {
	text := "&" + e.address(x)
	if !e.shared(x) {
		return text
	}
	return e.memory("Load", x, text, e.site("read", x, e.source(x), false))
}

// sent is the text of a send to a field that a property names; ok is false of another one. It is
// noted when all operands are evaluated.
func (e *editor) sent(s *ast.SendStmt) (text string, ok bool) {
	ch := s.Chan
	if _, ok := e.named(properties.Sends, ch); !ok || e.chosen == s {
		return "", false
	}
	hook := func() string {
		return e.accessed(properties.Sends, ch, e.channelAddress(ch), e.site("send", ch, e.source(ch), false))
	}
	if e.beforeCall(ch) && !e.hasCall(ch) && e.postpone(ch, hook) {
		text = e.source(ch)
	} else {
		text = "(*" + hook() + ")"
	}
	return e.in(s, at(ch, text), at(s.Value, e.data(s.Value))), true
}

// received is the text of a receive from a field that a property names; ok is false of another
// one.
func (e *editor) received(x *ast.UnaryExpr) (text string, ok bool) {
	n, ok := e.named(properties.Receives, x.X)
	if !ok || e.chosen == x {
		return "", false
	}
	fn := "ReceiveFrom"
	if two, ok := e.info.TypeOf(x).(*types.Tuple); ok {
		if !types.Identical(two.At(1).Type(), types.Typ[types.Bool]) && !types.Identical(two.At(1).Type(), types.Typ[types.UntypedBool]) {
			return "", false // it would have to be converted
		}
		fn = "ReceiveFromOK"
	}
	site := e.site("recv", x.X, e.source(x.X), false)
	pointer := e.within(func() string { return e.channelPointer(x.X) }, x.X)
	return e.in(x, piece{x.OpPos, x.OpPos + 2, e.hook(fn) + "("}, at(x.X, pointer+","+n.arguments(site)+")")), true
}

// closed is the text of c, which closes a channel, if that is a field that a property names.
func (e *editor) closed(c *ast.CallExpr) (text string, ok bool) {
	n, ok := e.named(properties.Closes, c.Args[0])
	if !ok {
		return "", false
	}
	site := e.site("close", c.Args[0], e.source(c.Args[0]), false)
	return e.in(c, at(c.Fun, e.hook("Closing")), at(c.Args[0], e.channelPointer(c.Args[0])+","+n.arguments(site)), after(c.Rparen+1, ".Close()")), true
}

// done is the statement that notes that something has been done with the channel x, whose address
// is given; "" if no property names that.
func (e *editor) done(done, op string, x ast.Expr, address string) string {
	n, ok := e.named(done, x)
	if !ok {
		return ""
	}
	return e.hook("Field") + "(" + address + "," + n.arguments(e.site(op, x, e.source(x), false)) + ");"
}

// communicated is the statement that notes that a clause of a select was chosen which sends to, or
// receives from, a field that a property names.
func (e *editor) communicated(comm ast.Stmt) string {
	if send, ok := comm.(*ast.SendStmt); ok {
		return e.done(properties.Sends, "send", send.Chan, "&"+e.source(send.Chan))
	}
	if x := receives(comm); x != nil {
		return e.done(properties.Receives, "recv", x.X, "&"+e.source(x.X))
	}
	return ""
}

// moves reports whether s, a clause of a select or a loop, gives what x begins with another value
// or meaning in what follows.
func (e *editor) moves(s ast.Stmt, x ast.Expr) bool {
	var lhs []ast.Expr
	switch s := s.(type) {
	case *ast.AssignStmt:
		lhs = s.Lhs
	case *ast.RangeStmt:
		lhs = []ast.Expr{s.Key}
	}
	moves := false
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if _, ok := e.info.Uses[id].(*types.Var); ok && e.assigns(s, id) {
			moves = true
		}
		for _, y := range lhs {
			if y, ok := y.(*ast.Ident); ok && y.Name == id.Name {
				moves = true
			}
		}
		return true
	})
	return moves
}

// receives is the receive of the clause of a select; nil if it has none.
func receives(comm ast.Stmt) *ast.UnaryExpr {
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
