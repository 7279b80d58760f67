package rewrite

import (
	"cmp"
	"go/ast"
	"slices"

	"github.com/gopredict/gopredict/recorder/provenance"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A funcLine is a line of a function.
type funcLine struct {
	fn   string
	line int
}

// atomicLine is a line of a function on which methods of sync/atomic are called.
type atomicLine struct {
	funcLine
	spots []provenance.Spot
}

// atomicCalls finds the calls of methods of sync/atomic in a file.
type atomicCalls struct {
	*accessFilter
	file  *ast.File
	names map[ast.Node]string // see namer
}

// atomics finds the calls of the file.
func (e *editor) atomics() atomicCalls { return atomicCalls{e.accessFilter, e.file, e.names} }

// counters returns the call sites of the file at which methods of sync/atomic
// types only count: statements such as n.Add(1), whose results nobody uses.
// Methods have no hooks of the rewriter's, so the sites have no number, and
// nothing but function and line to tell them apart from others: a line that
// may perform other atomic operations is left out.
func (ac atomicCalls) counters() []trace.Site {
	counts, others := map[funcLine]bool{}, map[funcLine]bool{}
	counting := map[*ast.CallExpr]bool{} // a statement comes before its call
	ac.inspect(func(n ast.Node, fn string) {
		switch n := n.(type) {
		case *ast.ExprStmt:
			call, ok := ast.Unparen(n.X).(*ast.CallExpr)
			if ok && ac.isCounting(call) && ac.line(call.Pos()) == ac.line(call.End()) {
				counts[funcLine{fn, ac.line(call.Pos())}] = true
				counting[call] = true
			}
		case *ast.CallExpr:
			if !counting[n] && ac.mayBeAtomic(n) {
				for _, pos := range []ast.Node{n, n.Fun} {
					others[funcLine{fn, ac.line(pos.Pos())}] = true
					others[funcLine{fn, ac.line(pos.End())}] = true
				}
				others[funcLine{fn, ac.line(n.Lparen)}] = true
			}
		}
	})
	var sites []trace.Site
	for at := range counts {
		if !others[at] {
			sites = append(sites, trace.Site{Key: trace.CallSiteKey(at.fn, at.line), Func: at.fn, File: ac.path, Line: at.line, IsUpdate: true})
		}
	}
	slices.SortFunc(sites, func(a, b trace.Site) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Func, b.Func)) })
	return sites
}

// inspect calls f for each statement and expression of the file's functions, the
// outer ones first, with the runtime's name of the function that it is in.
func (ac atomicCalls) inspect(f func(n ast.Node, fn string)) {
	var walk func(root ast.Node, fn string)
	walk = func(root ast.Node, fn string) {
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					walk(n.Body, ac.names[n])
				}
				return false
			case *ast.FuncLit:
				walk(n.Body, ac.names[n])
				return false
			case *ast.RangeStmt:
				if body, ok := ac.names[n]; ok { // over a function: the body is one, too
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
	for _, d := range ac.file.Decls {
		walk(d, "") // outside of functions there are no statements
	}
}

// lines returns by key the call sites of methods of sync/atomic of which the
// trace can tell what they did: at most one that reads and one that stores.
func (ac atomicCalls) lines() map[uint64]atomicLine {
	type ops struct{ loads, stores, others int }
	counts := map[funcLine]*ops{}
	spots := map[funcLine][]provenance.Spot{}
	ac.inspect(func(n ast.Node, fn string) {
		c, ok := n.(*ast.CallExpr)
		if !ok || !ac.mayBeAtomic(c) || ac.atomicFunc(c) != "" {
			return
		}
		for _, line := range []int{ac.line(c.Pos()), ac.line(c.Fun.End()), ac.line(c.Lparen), ac.line(c.End())} {
			at := funcLine{fn, line}
			if counts[at] == nil {
				counts[at] = &ops{}
			}
			if line != ac.line(c.Pos()) {
				counts[at].others++
			}
		}
		here := counts[funcLine{fn, ac.line(c.Pos())}]
		callee := ac.callee(c)
		switch {
		case callee == nil || !isAtomic(callee):
			here.others++
			return
		case callee.Name() == "Load":
			here.loads++
		case callee.Name() == "Store":
			here.stores++
		case callee.Name() == "Add":
			here.loads++
			here.stores++
		default:
			here.others++
		}
		at := funcLine{fn, ac.line(c.Pos())}
		spots[at] = append(spots[at], provenance.Spot{Fset: ac.fset, Pos: c.Lparen, Role: provenance.Atomics})
	})
	found := map[uint64]atomicLine{}
	for at, list := range spots {
		if n := counts[at]; n.loads <= 1 && n.stores <= 1 && n.others == 0 {
			found[trace.CallSiteKey(at.fn, at.line)] = atomicLine{at, list}
		}
	}
	return found
}
