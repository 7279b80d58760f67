package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/provenance"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// A hookWriter makes the text of hooks, and keeps the sites that they have.
type hookWriter struct {
	*accessFilter
	alias          string // name of the imported run-time library
	hooked         bool   // a hook was inserted
	funcName       string // the runtime's name of the function being rewritten
	sites          []site
	temporaryCount int // how many temporaries were made
	// shadowsHelpers says that the package gives predeclared names a meaning
	// of its own.
	shadowsHelpers bool
	helpers        map[string]bool // in use
	keepImports    map[string]bool // functions to refer to so that their import stays in use
}

// What a value of several words is, as in package predictrt: their events have a value, too.
const (
	stringValue = 1 + iota
	sliceValue
	emptyInterfaceValue
	interfaceValue
)

// hook is the name of function fn of the run-time library in this file.
func (w *hookWriter) hook(fn string) string {
	w.hooked = true
	return w.alias + "." + fn
}

// temp is a new name for a temporary.
func (w *hookWriter) temp() string {
	w.temporaryCount++
	return fmt.Sprintf("%s%d", w.alias, w.temporaryCount)
}

// references are declarations at the end of the file that keep imports in use.
func (w *hookWriter) references() string {
	if len(w.keepImports) == 0 {
		return ""
	}
	return "\nvar _ = " + strings.Join(slices.Sorted(maps.Keys(w.keepImports)), "\nvar _ = ") + "\n"
}

// accessHook is the text of the hook fn, Load or Store, for the memory of x at an address; site is
// the number of its site.
func (w *hookWriter) accessHook(fn string, x ast.Expr, address, site string) string {
	if fn == "Store" {
		return w.noteFieldStore(x, w.accessHookOf(fn, "write", x, address, site), site)
	}
	return w.accessHookOf(fn, "read", x, w.noteFieldAccess(properties.Reads, x, address, site), site)
}

// accessHookOf is accessHook without the hook for a property that names x.
func (w *hookWriter) accessHookOf(fn, op string, x ast.Expr, address, site string) string {
	what := valueKind(w.info.TypeOf(x))
	if what == 0 {
		return w.hook(fn) + "(" + address + "," + site + ")"
	}
	how := "Of"
	if s, ok := w.eventSpot(op, x, w.textOf(x)); ok && w.provenance.NeedsDigest(s) {
		how = "Kept"
	}
	return w.hook(fn+how) + "(" + address + "," + hookHead(site, what) + ")"
}

// hookHead is the argument of a hook that has the site and tells what the value is.
func hookHead(site string, what int) string { return site + "<<32|" + strconv.Itoa(what) + "<<13" }

// valueKind returns what values of type t are; 0 if they are of one word, or of parts.
func valueKind(t types.Type) int {
	switch typeOf(t) {
	case trace.TypeText:
		return stringValue
	case trace.TypeSlice:
		return sliceValue
	case trace.TypeDynamic:
		if t.Underlying().(*types.Interface).NumMethods() == 0 {
			return emptyInterfaceValue
		}
		return interfaceValue
	}
	return 0
}

// store is the statement that assigns the value v to the variable x, whose
// address is given as text.
func (w *hookWriter) store(x ast.Expr, address, v string) string {
	return w.accessHook("Store", x, "&"+address, w.site("write", x, w.textOf(x), false)) + ".Set(" + v + ")"
}

// loadResult is the text of a hook for the load of the named result x by the return statement s.
func (w *hookWriter) loadResult(s *ast.ReturnStmt, x *ast.Ident) string {
	return w.accessHook("Load", x, "&"+x.Name, w.site("read", s, x.Name, false))
}

// updateSite is the site of the load of x in x op= y. alone says that no call
// comes between the load and the store.
func (w *hookWriter) updateSite(x ast.Expr, alone bool) string {
	text := w.site("read", x, w.textOf(x), isNumeric(w.info.TypeOf(x)))
	if alone {
		w.onlyUpdates()
	}
	return text
}

// onlyUpdates says of the site that was made last, a load's, that the value
// reaches only the store of its statement, to the same memory.
func (w *hookWriter) onlyUpdates() { w.sites[len(w.sites)-1].IsUpdate = true }

// mapHookText is the hook for an access to the map m, whose value is text.
func (w *hookWriter) mapHookText(fn string, m ast.Expr, text string) string {
	if w.skipsElements(m) {
		return text
	}
	return w.hook(fn) + "(" + text + "," + w.site(accessOp(fn), m, w.textOf(m)+"[…]", false) + ")"
}

// accessOp is the kind of access that the hook fn for many elements notes.
func accessOp(fn string) string {
	if fn == "MapWrite" || fn == "SliceWrite" {
		return "write"
	}
	return "read"
}

// caseHook is the statement that notes that clause number n was entered.
func (w *hookWriter) caseHook(n int, clause ast.Node) string {
	if w.onlyMemory {
		return ""
	}
	expr := w.textOf(clause)
	if c, ok := clause.(*ast.CaseClause); ok {
		expr = w.textBetween(c.Pos(), c.Colon)
	} else if c, ok := clause.(*ast.CommClause); ok {
		expr = w.textBetween(c.Pos(), c.Colon)
	}
	return fmt.Sprintf("%s(%d,%s);", w.hook("Case"), n, w.site("case", clause, expr, false))
}

// operand is the text that evaluates x, as text does, with a hook that notes its
// value.
func (w *hookWriter) operand(x ast.Expr, text string) string {
	if f, ok := w.provenance.Formula(provenance.Spot{Fset: w.fset, Pos: provenance.ValuePos(x), Role: provenance.Guards}); ok {
		what := " in range"
		if f.Op == dataflow.Not {
			what = " != 0"
			if !isNumeric(w.info.TypeOf(x)) {
				what = " != nil"
			}
		}
		text = w.hook("Assert") + "(" + text + "," + w.site("guard", x, w.textOf(x)+what, false) + ")"
	}
	site := w.site("operand", x, w.textOf(x), false)
	if what := valueKind(w.info.TypeOf(x)); what != 0 {
		return w.hook("OperandOf") + "(" + text + "," + hookHead(site, what) + ")"
	}
	return w.hook("Operand") + "(" + text + "," + site + ")"
}

// loadNow makes the load that text performs happen where it stands, before the
// hooks that follow.
func (w *hookWriter) loadNow(text string) string { return w.helper("now") + "(" + text + ")" }

// noteFieldAccess gives the address of x, with which something is about to be done, a hook that notes
// that.
func (w *hookWriter) noteFieldAccess(done string, x ast.Expr, address, site string) string {
	n, ok := w.fieldAction(done, x)
	if !ok {
		return address
	}
	return w.hook("Field") + "(" + address + "," + n.arguments(site) + ")"
}

// noteFieldStore is what text becomes, which names the place of a store to x: what notes that when it
// is done.
func (w *hookWriter) noteFieldStore(x ast.Expr, text, site string) string {
	n, ok := w.fieldAction(properties.Writes, x)
	if !ok {
		return text
	}
	return text + ".Field(" + n.arguments(site) + ")"
}

// noteChannelAction is the statement that notes that something has been done with the channel x, whose address
// is given; "" if no property names that.
func (w *hookWriter) noteChannelAction(done, op string, x ast.Expr, address string) string {
	n, ok := w.fieldAction(done, x)
	if !ok {
		return ""
	}
	return w.hook("Field") + "(" + address + "," + n.arguments(w.site(op, x, w.textOf(x), false)) + ");"
}

// noteClause is the statement that notes that a clause of a select was chosen which sends to, or
// receives from, a field that a property names.
func (w *hookWriter) noteClause(comm ast.Stmt) string {
	if send, ok := comm.(*ast.SendStmt); ok {
		return w.noteChannelAction(properties.Sends, "send", send.Chan, "&"+w.textOf(send.Chan))
	}
	if x := receiveOf(comm); x != nil {
		return w.noteChannelAction(properties.Receives, "recv", x.X, "&"+w.textOf(x.X))
	}
	return ""
}
