package rewrite

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A lineOf is a line of a function.
type lineOf struct {
	fn   string
	line int
}

// counters returns the call sites of the file at which methods of sync/atomic
// types only count: statements such as n.Add(1), whose results nobody uses.
// Methods have no hooks of the rewriter's, so the sites have no number, and
// nothing but function and line to tell them apart from others: a line that
// may perform other atomic operations is left out.
func (e *editor) counters() []trace.Site {
	counts, others := map[lineOf]bool{}, map[lineOf]bool{}
	counting := map[*ast.CallExpr]bool{} // a statement comes before its call
	e.inspect(func(n ast.Node, fn string) {
		switch n := n.(type) {
		case *ast.ExprStmt:
			call, ok := ast.Unparen(n.X).(*ast.CallExpr)
			if ok && e.isCounting(call) && e.line(call.Pos()) == e.line(call.End()) {
				counts[lineOf{fn, e.line(call.Pos())}] = true
				counting[call] = true
			}
		case *ast.CallExpr:
			if !counting[n] && e.mayBeAtomic(n) {
				for _, pos := range []ast.Node{n, n.Fun} {
					others[lineOf{fn, e.line(pos.Pos())}] = true
					others[lineOf{fn, e.line(pos.End())}] = true
				}
				others[lineOf{fn, e.line(n.Lparen)}] = true
			}
		}
	})
	var sites []trace.Site
	for at := range counts {
		if !others[at] {
			sites = append(sites, trace.Site{Key: trace.KeyOf(at.fn, at.line), Func: at.fn, File: e.path, Line: at.line, Update: true})
		}
	}
	slices.SortFunc(sites, func(a, b trace.Site) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Func, b.Func)) })
	return sites
}

// isCounting reports whether c calls a method of a sync/atomic type that
// computes the new value from the old one.
func (e *editor) isCounting(c *ast.CallExpr) bool {
	fn := e.callee(c)
	return fn != nil && isAtomic(fn) && fn.Signature().Recv() != nil && counting[fn.Name()]
}

// counting are the methods of sync/atomic's types that compute the new value
// from the old one.
var counting = map[string]bool{"Add": true, "And": true, "Or": true}

// mayBeAtomic reports whether c itself may be an atomic operation, of which the
// call is the site.
func (e *editor) mayBeAtomic(c *ast.CallExpr) bool {
	if e.info.Types[c.Fun].IsType() || e.builtinName(c) != "" {
		return false
	}
	fn := e.callee(c)
	if fn == nil {
		return true
	}
	recv := fn.Signature().Recv()
	return isAtomic(fn) || recv != nil && types.IsInterface(recv.Type()) || strings.HasPrefix(fn.FullName(), "(*sync.Map).")
}

// callee is the function or method that c calls by its name, nil if it calls a
// value.
func (e *editor) callee(c *ast.CallExpr) *types.Func {
	fun := ast.Unparen(c.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		if sel := e.info.Selections[x]; sel != nil && sel.Kind() != types.MethodVal {
			return nil
		}
		id = x.Sel
	default:
		return nil
	}
	fn, _ := e.info.Uses[id].(*types.Func)
	return fn
}

func isAtomic(fn *types.Func) bool { return fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" }

// inspect calls f for each statement and expression of the file's functions, the
// outer ones first, with the runtime's name of the function that it is in.
func (e *editor) inspect(f func(n ast.Node, fn string)) {
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
