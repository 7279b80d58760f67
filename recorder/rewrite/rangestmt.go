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
// statement, unless it is a private variable anyway; blockable says that no
// goto leads to the label, which the block would hide.
func (e *editor) rangeStmt(s *ast.RangeStmt, label string, blockable bool) string {
	r := rangeEdit{
		editor: e, stmt: s, blockable: blockable, label: label,
		operand: e.alone(e.value, s.X),
	}
	if !e.inside && !e.decidedRange(s) {
		r.prologue = e.hook("Case") + "(1," + e.site("case", s, e.raw(s.Pos(), s.Body.Lbrace), false) + ");"
	}
	if _, ok := underlying(e.info.TypeOf(s.X)).(*types.Chan); ok {
		r.received()
	}
	for _, x := range []ast.Expr{s.Key, s.Value} {
		if !blank(x) {
			r.assigned(x)
		}
	}
	switch t := underlying(e.info.TypeOf(s.X)).(type) {
	case *types.Slice:
		r.elements(t.Elem())
	case *types.Pointer:
		if blank(s.Value) && !e.hasCall(s.X) {
			r.operand = e.source(s.X) // only its length counts
		} else if array, ok := t.Elem().Underlying().(*types.Array); ok {
			r.elements(array.Elem())
		}
	case *types.Array:
		if blank(s.Value) {
			r.operand = e.alone(e.address, s.X)
		}
	case *types.Map:
		r.entries()
	case *types.Signature:
		r.loop(t)
	}
	var ps []piece
	if r.key != "" {
		ps = append(ps, at(s.Key, r.key)) // a value has a key, if only a blank one
	}
	outer := e.fn
	if name, ok := e.names[s]; ok {
		e.fn = name
	}
	ps = append(ps, at(s.X, r.operand), at(s.Body, e.block(s.Body, r.prologue)))
	e.fn = outer
	return r.before + r.label + e.in(s, ps...) + r.behind
}

// received notes that an iteration has received from a field that a property names.
func (r *rangeEdit) received() {
	x := r.stmt.X
	_, named := r.named(properties.Receives, x)
	address := "&" + r.source(x)
	switch {
	case !named:
		return
	case r.hasCall(x) || r.moves(r.stmt, x):
		if !r.blockable {
			return
		}
		held := r.temp()
		r.before = "{" + strings.Repeat("\n", strings.Count(r.label, "\n")) + held + ":=&" + r.alone(r.address, x) + ";"
		if r.label != "" {
			r.label = r.label[:strings.IndexByte(r.label, ':')+1]
		}
		r.behind, r.operand, address = "}", "*"+held, held
	}
	r.prologue += r.done(properties.Receives, "recv", x, address)
}

// A rangeEdit is a range statement in the making.
type rangeEdit struct {
	*editor
	stmt           *ast.RangeStmt
	blockable      bool
	label          string
	before, behind string // around the statement and its label
	key            string // replaces the key, if not ""
	operand        string
	prologue       string // of the body
}

// assigned notes that an iteration has just written the shared variable x.
func (r *rangeEdit) assigned(x ast.Expr) {
	if r.stmt.Tok == token.DEFINE {
		v, ok := r.info.Defs[x.(*ast.Ident)].(*types.Var)
		if !ok || r.perIteration || !r.sharedVar(v) {
			return
		}
	} else if alone := blank(r.stmt.Key) || blank(r.stmt.Value); !r.stable(x) && (!alone || r.hasCall(x)) {
		return // it may be another variable by now
	} else if m, ok := r.mapElement(x); ok {
		r.prologue += "_=" + r.mapHookText("MapWrite", m.X, r.source(m.X)) + ";"
		return
	} else if !r.storable(x) {
		return
	}
	if !r.empty(r.info.TypeOf(x)) {
		site := r.site("write", x, r.source(x), false)
		r.prologue += r.hook("Write") + "(" + r.accessed(properties.Writes, x, "&"+r.source(x), site) + "," + site + ");"
	}
}

// hold makes the operand's value available in the body and returns its name,
// "" if that is not possible.
func (r *rangeEdit) hold() string {
	if id, ok := ast.Unparen(r.stmt.X).(*ast.Ident); ok && r.private(id) && !r.assigns(r.stmt.Body, id) && !r.shadowed(id) {
		return id.Name
	}
	if !r.blockable || r.untyped(r.stmt.X) {
		return ""
	}
	name := r.temp()
	// Newlines between the label and the statement go before the operand.
	r.before = "{" + strings.Repeat("\n", strings.Count(r.label, "\n")) + name + ":=" + r.operand + ";" + r.lineMark(r.operand, r.stmt.Pos())
	if r.label != "" {
		r.label = r.label[:strings.IndexByte(r.label, ':')+1]
	}
	r.behind = "}"
	r.operand = name + r.lineMark(r.operand, r.stmt.X.End())
	return name
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

// elements notes the read of an element of the slice or array that is ranged
// over. It stands behind the read, at the start of the body.
func (r *rangeEdit) elements(elem types.Type) {
	s := r.stmt
	if blank(s.Value) || r.empty(elem) || r.sharing.Elements(s.X) {
		return
	}
	var key string
	switch {
	case s.Tok == token.DEFINE && blank(s.Key):
		key = r.temp()
	case !blank(s.Key) && r.stable(s.Key) && (s.Tok == token.DEFINE || r.isInt(s.Key) && !r.shared(s.Key)):
		key = r.source(s.Key)
		if v, ok := s.Value.(*ast.Ident); ok && v.Name == key {
			return // both range variables are the same one
		}
	}
	var x string
	if key != "" {
		x = r.hold()
	}
	if x == "" {
		if _, ok := underlying(r.info.TypeOf(s.X)).(*types.Slice); ok {
			r.operand = r.hook("SliceRead") + "(" + r.operand + "," + r.site("read", s.X, r.source(s.X)+"[…]", false) + ")"
		}
		return
	}
	if blank(s.Key) {
		r.key = key
	}
	r.prologue += r.hook("Load") + "(&" + x + "[" + key + "]," + r.site("read", s.Value, r.source(s.X)+"[…]", isNumeric(elem)) + ");"
}

// isInt reports whether x is an int, as keys of slices are.
func (r *rangeEdit) isInt(x ast.Expr) bool {
	return types.Identical(underlying(r.info.TypeOf(x)), types.Typ[types.Int])
}

// entries notes the reads of the map that is ranged over, before the
// statement and in each iteration.
func (r *rangeEdit) entries() {
	if r.sharing.Elements(r.stmt.X) {
		return
	}
	x := r.hold()
	site := r.site("read", r.stmt.X, r.source(r.stmt.X)+"[…]", false)
	r.operand = r.hook("MapRead") + "(" + r.operand + "," + site + ")"
	if x != "" {
		r.prologue += r.hook("MapRead") + "(" + x + "," + site + ");"
	}
}
