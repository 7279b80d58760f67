package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"hash/fnv"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/recorder/provenance"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A site is a hook's place, before all places have got their numbers.
type site struct {
	trace.Site
	hash uint32
	// hasSpot says that formulas may speak of the event at node, which is that of
	// the spot.
	hasSpot bool
	spot    provenance.Spot
	syntax  ast.Node
}

// site notes a hook at n and returns the mark that stands for the site's
// number in the rewritten text, until number fills it in. Source text cannot
// hold the mark, as Go forbids the NUL character.
func (w *hookWriter) site(op string, n ast.Node, expr string, data bool) string {
	pos := w.tokens.PositionFor(n.Pos(), false)
	spot, placed := w.eventSpot(op, n, expr)
	expr = strings.Join(strings.Fields(expr), " ")
	if len(expr) > maxExprBytes {
		expr = strings.ToValidUTF8(expr[:maxExprBytes], "") + "…"
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%s\n%s\n%d\n%d\n%s", w.pkg.Path(), filepath.Base(w.path), pos.Offset, w.tokens.Offset(n.End()), op)
	w.sites = append(w.sites, site{
		hasSpot: placed, spot: spot, syntax: n,
		Site: trace.Site{
			Func: w.funcName, File: w.path, Line: pos.Line, Col: pos.Column,
			Op: op, Expr: expr, Type: w.valueType(op, n), OnlyStored: data,
		},
		hash: h.Sum32(),
	})
	return "\x00" + strconv.Itoa(len(w.sites)-1) + "\x00"
}

// valueType returns what is known of the type of the values that the access n
// reads or writes.
func (w *hookWriter) valueType(op string, n ast.Node) trace.Type {
	x, ok := n.(ast.Expr)
	if !ok || op != "read" && op != "write" || w.info.TypeOf(x) == nil {
		return trace.TypeUnknown
	}
	return typeOf(w.info.TypeOf(x))
}

// typeOf returns what values of type t are in a trace.
func typeOf(t types.Type) trace.Type {
	if isGeneric(t) {
		return trace.TypeUnknown
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return trace.TypePointer
	case *types.Struct, *types.Array:
		return trace.TypeParts
	case *types.Slice:
		return trace.TypeSlice
	case *types.Interface:
		return trace.TypeDynamic
	case *types.Basic:
		info := u.Info()
		switch {
		case u.Kind() == types.UnsafePointer:
			return trace.TypePointer
		case info&types.IsBoolean != 0:
			return trace.TypeBool
		case info&types.IsUnsigned != 0:
			return trace.TypeUint
		case info&types.IsInteger != 0:
			return trace.TypeInt
		case info&types.IsFloat != 0:
			return trace.TypeFloat
		case info&types.IsString != 0:
			return trace.TypeText
		case info&types.IsComplex != 0:
			return trace.TypeParts
		}
	}
	return trace.TypeUnknown
}

// numberSites gives each site of the files, which are in a fixed order, a number of
// its own that depends on little else than the site's place, and fills it in.
func numberSites(files []*editor) []trace.Site {
	var sites []trace.Site
	taken := map[trace.SiteID]bool{}
	for _, e := range files {
		parts := strings.Split(e.text, "\x00")
		for i := 1; i < len(parts); i += 2 {
			n, _ := strconv.Atoi(parts[i]) // only site writes marks: load refuses files with NUL
			s := &e.sites[n]
			if s.ID == 0 {
				s.ID = trace.SiteID(s.hash) | trace.SiteRewritten
				for taken[s.ID] {
					s.ID = (s.ID + 1) | trace.SiteRewritten
				}
				taken[s.ID] = true
				s.Key = uint64(s.ID)
				sites = append(sites, s.Site)
			}
			parts[i] = strconv.FormatUint(uint64(s.ID), 10)
		}
		e.text = strings.Join(parts, "")
	}
	return sites
}
