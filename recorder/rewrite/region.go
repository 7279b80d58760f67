package rewrite

import (
	"go/ast"
	"go/types"
	"strings"
)

// directive is what a comment above a function says that is one atomic region.
const directive = "//gopredict:atomic"

// region is the statement that begins the atomic region of a function, and lets
// it end when the function does; "" if it is none.
func (e *editor) region(fn *ast.FuncDecl) string {
	if !isMarked(fn.Doc) && !(e.atomicMethods && e.holdsMutex(fn)) {
		return ""
	}
	return "defer " + e.hook("Region") + "(" + e.site("regionbegin", fn.Name, fn.Name.Name, false) + ").End();"
}

func isMarked(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if text, _, _ := strings.Cut(c.Text, " "); text == directive {
			return true
		}
	}
	return false
}

// holdsMutex reports whether fn is a method of a struct with a mutex among its
// fields.
func (e *editor) holdsMutex(fn *ast.FuncDecl) bool {
	obj, ok := e.info.Defs[fn.Name].(*types.Func)
	if !ok || obj.Signature().Recv() == nil {
		return false
	}
	t := obj.Signature().Recv().Type()
	if ptr, ok := underlying(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, ok := underlying(t).(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if isMutex(f.Type()) {
			return true
		}
	}
	return false
}

// isMutex reports whether t is one of the mutexes of package sync, or a pointer
// to one.
func isMutex(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "sync" {
		return false
	}
	return named.Obj().Name() == "Mutex" || named.Obj().Name() == "RWMutex"
}
