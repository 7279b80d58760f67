package rewrite

import (
	"cmp"
	"go/ast"
	"maps"
	"slices"

	"github.com/gopredict/gopredict/recorder/provenance"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A funcLine is a line of a function.
type funcLine struct {
	fn   string
	line int
}

// key is that of the call sites on the line.
func (l funcLine) key() uint64 { return trace.CallSiteKey(l.fn, l.line) }

// An atomicLine says which operations of sync/atomic begin on a line. Its methods have no
// hooks of the rewriter's: nothing but function and line tells their calls apart.
type atomicLine struct {
	funcLine
	counts                bool              // statements such as n.Add(1), whose results nobody uses
	others                bool              // further operations, or parts of these
	spots                 []provenance.Spot // of calls of methods
	loads, stores, unsure int               // what these calls do
}

// onlyCounts reports whether all operations on the line are such as n.Add(1).
func (l *atomicLine) onlyCounts() bool { return l.counts && !l.others }

// isClear reports whether the trace can tell what each call of a method on the line did:
// at most one reads, and at most one stores.
func (l *atomicLine) isClear() bool {
	return len(l.spots) > 0 && l.loads <= 1 && l.stores <= 1 && l.unsure == 0
}

// site is the site of calls on the line, in the file with that path.
func (l *atomicLine) site(path string) trace.Site {
	return trace.Site{Key: l.key(), Func: l.fn, File: path, Line: l.line, IsUpdate: l.onlyCounts()}
}

// findAtomics finds the lines of the file with operations of sync/atomic, in the order of the
// source.
func (e *editor) findAtomics() []*atomicLine {
	found := map[funcLine]*atomicLine{}
	counting := map[*ast.CallExpr]bool{} // calls that are such statements; inspection visits a statement before its call
	e.inspectFunctions(func(n ast.Node, fn string) {
		at := func(line int) *atomicLine {
			l := funcLine{fn, line}
			if found[l] == nil {
				found[l] = &atomicLine{funcLine: l}
			}
			return found[l]
		}
		switch n := n.(type) {
		case *ast.ExprStmt:
			if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok && e.isCounting(call) && e.line(call.Pos()) == e.line(call.End()) {
				counting[call] = true
			}
		case *ast.CallExpr:
			if !e.mayBeAtomic(n) {
				return
			}
			here := at(e.line(n.Pos()))
			here.counts, here.others = here.counts || counting[n], here.others || !counting[n]
			method := e.atomicFunc(n) == ""
			for _, line := range []int{e.line(n.Fun.End()), e.line(n.Lparen), e.line(n.End())} {
				if line != here.line {
					at(line).others = true
					if method {
						at(line).unsure++
					}
				}
			}
			if method {
				e.noteAtomicMethod(here, n)
			}
		}
	})
	return slices.SortedFunc(maps.Values(found), func(a, b *atomicLine) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.fn, b.fn))
	})
}

// noteAtomicMethod notes what c, a call of a method of sync/atomic or of one that is not known,
// does.
func (e *editor) noteAtomicMethod(l *atomicLine, c *ast.CallExpr) {
	callee := e.callee(c)
	if callee == nil || !isAtomic(callee) {
		l.unsure++
		return
	}
	l.spots = append(l.spots, provenance.Spot{Fset: e.fset, Pos: c.Lparen, Role: provenance.Atomics})
	switch callee.Name() {
	case "Load":
		l.loads++
	case "Store":
		l.stores++
	case "Add":
		l.loads++
		l.stores++
	default:
		l.unsure++
	}
}

// inspectFunctions calls f for each statement and expression of the file's functions, the
// outer ones first, with the runtime's name of the function that it is in.
func (e *editor) inspectFunctions(f func(n ast.Node, fn string)) {
	var walk func(root ast.Node, fn string)
	walk = func(root ast.Node, fn string) {
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					walk(n.Body, e.names[n])
				}
				return false
			case *ast.FuncLit:
				walk(n.Body, e.names[n])
				return false
			case *ast.RangeStmt:
				if body, ok := e.names[n]; ok { // over a function: the body is one, too
					walk(n.X, fn)
					walk(n.Body, body)
					return false
				}
			}
			if n != nil {
				f(n, fn)
			}
			return true
		})
	}
	for _, d := range e.file.Decls {
		walk(d, "") // outside of functions there are no statements
	}
}
