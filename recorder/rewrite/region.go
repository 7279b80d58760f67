package rewrite

import (
	"go/ast"
	"strings"
)

// atomicDirective is what a comment above a function says that is one atomic region.
const atomicDirective = "//gopredict:atomic"

// regionStart is the statement that begins the atomic region of a function, and lets
// it end when the function does; "" if it is none.
func (e *editor) regionStart(fn *ast.FuncDecl) string {
	if !isMarkedAtomic(fn.Doc) && !(e.atomicMethods && e.holdsMutex(fn)) {
		return ""
	}
	return "defer " + e.hook("Region") + "(" + e.site("regionbegin", fn.Name, fn.Name.Name, false) + ").End();"
}

func isMarkedAtomic(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if text, _, _ := strings.Cut(c.Text, " "); text == atomicDirective {
			return true
		}
	}
	return false
}
