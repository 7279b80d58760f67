package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gopredict/gopredict/recorder/properties"
)

// rangeStmt is the text of a range statement, after its label if it has one.
// Each iteration notes a branch, and the read of the element that it got. For
// that the operand is kept in a variable of its own, in a block around the
// statement, unless it is a private variable anyway; blockAllowed says that no
// goto leads to the label, which the block would hide.
func (e *editor) rangeStmt(s *ast.RangeStmt, label string, blockAllowed bool) string {
	r := rangeEdit{
		editor: e, stmt: s, blockAllowed: blockAllowed, label: label,
		operand: e.inOwnScope(e.valueText, s.X),
	}
	if !e.onlyMemory && !e.rangeIsDecided(s) {
		r.prologue = e.hook("Case") + "(1," + e.site("case", s, e.textBetween(s.Pos(), s.Body.Lbrace), false) + ");"
	}
	if _, ok := coreType(e.info.TypeOf(s.X)).(*types.Chan); ok {
		r.noteReceive()
	}
	for _, x := range []ast.Expr{s.Key, s.Value} {
		if !isBlank(x) {
			r.noteAssigned(x)
		}
	}
	switch t := coreType(e.info.TypeOf(s.X)).(type) {
	case *types.Slice:
		r.noteElement(t.Elem())
	case *types.Pointer:
		if isBlank(s.Value) && !e.hasCall(s.X) {
			r.operand = e.textOf(s.X) // only its length counts
		} else if array, ok := t.Elem().Underlying().(*types.Array); ok {
			r.noteElement(array.Elem())
		}
	case *types.Array:
		if isBlank(s.Value) {
			r.operand = e.inOwnScope(e.address, s.X)
		}
	case *types.Map:
		r.noteEntries()
	case *types.Signature:
		r.noteLoopBody(t)
	}
	var ps []piece
	if r.newKey != "" {
		ps = append(ps, replace(s.Key, r.newKey)) // a value has a key, if only a blank one
	}
	outer := e.funcName
	if name, ok := e.names[s]; ok {
		e.funcName = name
	}
	ps = append(ps, replace(s.X, r.operand), replace(s.Body, e.block(s.Body, r.prologue)))
	e.funcName = outer
	return r.textBefore + r.label + e.spliceNode(s, ps...) + r.textAfter
}

// noteReceive notes that an iteration has received from a field that a property names.
func (r *rangeEdit) noteReceive() {
	x := r.stmt.X
	_, named := r.fieldAction(properties.Receives, x)
	address := "&" + r.textOf(x)
	switch {
	case !named:
		return
	case r.hasCall(x) || r.changesMeaning(r.stmt, x):
		if !r.blockAllowed {
			return
		}
		held := r.temp()
		r.openBlock(held + ":=&" + r.inOwnScope(r.address, x) + ";")
		r.operand, address = "*"+held, held
	}
	r.prologue += r.noteChannelAction(properties.Receives, "recv", x, address)
}

// A rangeEdit is a range statement in the making.
type rangeEdit struct {
	*editor
	stmt                  *ast.RangeStmt
	blockAllowed          bool
	label                 string
	textBefore, textAfter string // around the statement and its label
	newKey                string // replaces the key, if not ""
	operand               string
	prologue              string // of the body
}

// noteAssigned notes that an iteration has just written the shared variable x.
func (r *rangeEdit) noteAssigned(x ast.Expr) {
	if r.stmt.Tok == token.DEFINE {
		v, ok := r.info.Defs[x.(*ast.Ident)].(*types.Var)
		if !ok || r.newVarsPerIteration || !r.isSharedVar(v) {
			return
		}
	} else if alone := isBlank(r.stmt.Key) || isBlank(r.stmt.Value); !r.hasStableAddress(x) && (!alone || r.hasCall(x)) {
		return // it may be another variable by now
	} else if m, ok := r.mapElement(x); ok {
		r.prologue += "_=" + r.mapHookText("MapWrite", m.X, r.textOf(m.X)) + ";"
		return
	} else if !r.storeNeedsHook(x) {
		return
	}
	if !r.hasNoSize(r.info.TypeOf(x)) {
		site := r.site("write", x, r.textOf(x), false)
		r.prologue += r.hook("Write") + "(" + r.noteFieldAccess(properties.Writes, x, "&"+r.textOf(x), site) + "," + site + ");"
	}
}

// holdOperand makes the operand's value available in the body and returns its name,
// "" if that is not possible.
func (r *rangeEdit) holdOperand() string {
	if id, ok := ast.Unparen(r.stmt.X).(*ast.Ident); ok && r.isPrivate(id) && !r.assigns(r.stmt.Body, id) && !r.shadowed(id) {
		return id.Name
	}
	if !r.blockAllowed || r.isUntyped(r.stmt.X) {
		return ""
	}
	name := r.temp()
	r.openBlock(name + ":=" + r.operand + ";" + r.lineDirectiveAfter(r.operand, r.stmt.Pos()))
	r.operand = name + r.lineDirectiveAfter(r.operand, r.stmt.X.End())
	return name
}

// openBlock puts the statement, and a block around both, with first at its beginning. Newlines
// between the label and the statement go before first.
func (r *rangeEdit) openBlock(first string) {
	r.textBefore = "{" + strings.Repeat("\n", strings.Count(r.label, "\n")) + first
	if r.label != "" {
		r.label = r.label[:strings.IndexByte(r.label, ':')+1]
	}
	r.textAfter = "}"
}

// shadowed reports whether the range variables hide id in the body.
func (r *rangeEdit) shadowed(id *ast.Ident) bool {
	for _, x := range []ast.Expr{r.stmt.Key, r.stmt.Value} {
		if v, ok := x.(*ast.Ident); ok && r.stmt.Tok == token.DEFINE && v.Name == id.Name {
			return true
		}
	}
	return false
}

// noteElement notes the read of an element of the slice or array that is ranged
// over. It stands behind the read, at the start of the body.
func (r *rangeEdit) noteElement(elem types.Type) {
	s := r.stmt
	if isBlank(s.Value) || r.hasNoSize(elem) || r.skipsElements(s.X) {
		return
	}
	var key string
	switch {
	case s.Tok == token.DEFINE && isBlank(s.Key):
		key = r.temp()
	case !isBlank(s.Key) && r.hasStableAddress(s.Key) && (s.Tok == token.DEFINE || r.isInt(s.Key) && !r.isShared(s.Key)):
		key = r.textOf(s.Key)
		if v, ok := s.Value.(*ast.Ident); ok && v.Name == key {
			return // both range variables are the same one
		}
	}
	var x string
	if key != "" {
		x = r.holdOperand()
	}
	if x == "" {
		if _, ok := coreType(r.info.TypeOf(s.X)).(*types.Slice); ok {
			r.operand = r.hook("SliceRead") + "(" + r.operand + "," + r.site("read", s.X, r.textOf(s.X)+"[…]", false) + ")"
		}
		return
	}
	if isBlank(s.Key) {
		r.newKey = key
	}
	r.prologue += r.hook("Load") + "(&" + x + "[" + key + "]," + r.site("read", s.Value, r.textOf(s.X)+"[…]", isNumeric(elem)) + ");"
}

// isInt reports whether x is an int, as keys of slices are.
func (r *rangeEdit) isInt(x ast.Expr) bool {
	return types.Identical(coreType(r.info.TypeOf(x)), types.Typ[types.Int])
}

// noteEntries notes the reads of the map that is ranged over, before the
// statement and in each iteration.
func (r *rangeEdit) noteEntries() {
	if r.skipsElements(r.stmt.X) {
		return
	}
	x := r.holdOperand()
	site := r.site("read", r.stmt.X, r.textOf(r.stmt.X)+"[…]", false)
	r.operand = r.hook("MapRead") + "(" + r.operand + "," + site + ")"
	if x != "" {
		r.prologue += r.hook("MapRead") + "(" + x + "," + site + ");"
	}
}
