package hooks

import (
	"go/ast"
	"regexp"

	"github.com/gopredict/gopredict/recorder/trace"
)

// atomicTypes is the hook of sync/atomic/type.go. Each method there calls the package-level
// function that does its work, and predictrt has a function of the same name with one more
// parameter, the site. So
//
//	func (x *Int32) Load() int32 { return LoadInt32(&x.v) }
//
// calls predictrt.LoadInt32(&x.v, predictrt.Site(...)) with the line of the caller. Most calls of
// the functions themselves are compiled to instructions, so that patches of their bodies would
// have no effect: package rewrite redirects these calls.
var atomicTypes = Hook{
	Package: "sync/atomic",
	Decl:    "(*Int32).Load and the other methods of type.go",
	Kinds:   events(trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW),
}

// atomicFunc matches the names of the package-level functions of sync/atomic, of which there are
// numAtomicFuncs.
var atomicFunc = regexp.MustCompile(`^(Load|Store|Swap|CompareAndSwap|Add|And|Or)(Int32|Int64|Uint32|Uint64|Uintptr|Pointer)$`)

const numAtomicFuncs = 39

// patchAtomicTypes redirects the calls in s, and returns how many it has found.
func patchAtomicTypes(s *source) int {
	found := 0
	for _, d := range s.file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || fn.Body == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if id, ok := call.Fun.(*ast.Ident); ok && atomicFunc.MatchString(id.Name) {
				found++
				s.insert(id.Pos(), "predictrt.")
				s.insert(call.Rparen, ", predictrt.Site("+here+")")
			}
			return true
		})
	}
	if found > 0 {
		s.require("predictrt")
		s.require("internal/runtime/sys")
	}
	return found
}
