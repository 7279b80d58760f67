package rewrite

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/gopredict/gopredict/recorder/properties"
)

// This file tells hooks what values of several words are, so that their events
// have a value, too.

// What a value is, as in package predictrt.
const (
	text = 1 + iota
	slice
	dynamic
	object
)

// whatIs returns what values of type t are; 0 if they are of one word, or of parts.
func whatIs(t types.Type) int {
	if isGeneric(t) {
		return 0
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 && u.Info()&types.IsUntyped == 0 {
			return text
		}
	case *types.Slice:
		return slice
	case *types.Interface:
		if u.NumMethods() == 0 {
			return dynamic
		}
		return object
	}
	return 0
}

// isGeneric reports whether t is a type parameter.
func isGeneric(t types.Type) bool {
	_, generic := types.Unalias(t).(*types.TypeParam)
	return generic
}

// memory is the text of the hook fn, Load or Store, for the memory of x at an
// address; site is its site, which is of n.
func (e *editor) memory(fn string, x ast.Expr, address, site string) string {
	if fn == "Store" {
		return e.stored(x, e.valued(fn, "write", x, address, site), site)
	}
	return e.valued(fn, "read", x, e.accessed(properties.Reads, x, address, site), site)
}

// valued is memory without what notes that a property names x.
func (e *editor) valued(fn, op string, x ast.Expr, address, site string) string {
	what := whatIs(e.info.TypeOf(x))
	if what == 0 {
		return e.hook(fn) + "(" + address + "," + site + ")"
	}
	how := "Of"
	if s, ok := e.spot(op, x, e.source(x)); ok && e.provenance.Needed(s) {
		how = "Kept"
	}
	return e.hook(fn+how) + "(" + address + "," + head(site, what) + ")"
}

// head is the argument of a hook that has the site and tells what the value is.
func head(site string, what int) string { return site + "<<32|" + strconv.Itoa(what) + "<<13" }
