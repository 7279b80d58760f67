package provenance

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file finds the control scopes of ifs, and of the clauses of switches without a tag
// (Chen and Roşu, Predictive Runtime Analysis of Multithreaded Programs, 2005, Definitions 3
// to 8): what their outcomes decide. Of
//
//	if c.cached() {
//		c.hits++ // in the scope
//	}
//	c.send() // behind it: comes either way
//
// the scope ends where the block begins that comes after the branch whichever way is gone,
// its immediate post-dominator. There is none, and the scope has no end, where a way
// returns, panics, defers, or may go round for ever before it comes there. A scope that ends counts
// only if what comes behind sees no more of the way than by memory of which the accesses
// have events: no local variable has another value, and no memory of the goroutine's own.

// A choice is an if, or a clause of a switch, which follows if its condition is true.
type choice struct {
	stmt  ast.Stmt   // all of it: the if, the switch
	conds []ast.Expr // of a clause there may be several
	then  [2]token.Pos
	// other has what comes if the condition is false, and may have then, too; nil for nothing.
	other ast.Node
}

func choiceOf(n *ast.IfStmt) *choice {
	c := &choice{n, []ast.Expr{n.Cond}, [2]token.Pos{n.Body.Pos(), n.Body.End()}, nil}
	if n.Else != nil {
		c.other = n.Else
	}
	return c
}

// choiceIn returns the choice of a clause of n; nil if it has no condition, or leads into the next
// one.
func choiceIn(n *ast.SwitchStmt, clause *ast.CaseClause) *choice {
	if len(clause.List) == 0 {
		return nil
	}
	for _, c := range n.Body.List {
		body := c.(*ast.CaseClause).Body
		if len(body) == 0 {
			continue
		}
		if jump, ok := body[len(body)-1].(*ast.BranchStmt); ok && jump.Tok == token.FALLTHROUGH {
			return nil
		}
	}
	return &choice{n, clause.List, [2]token.Pos{clause.Colon, clause.End()}, n}
}

// A scopeFinder finds the control scopes of a program.
type scopeFinder struct{ *analysis }

// findScopes finds the control scopes of all choices.
func (a scopeFinder) findScopes() {
	for _, f := range a.all {
		var after []*ssa.BasicBlock // by block: its post-dominator; nil before it is needed
		for _, b := range f.Blocks {
			branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
			if !ok {
				continue
			}
			cond := a.conditionOf(branch)
			c := a.values.choices[cond]
			if cond == nil || c == nil || firstLeaf(c.conds[0]) != cond {
				continue
			}
			if after == nil {
				after = postDominators(f.Function)
			}
			at := Spot{f.fset, c.conds[0].Pos(), Decides, 0}
			if _, twice := a.values.scopes[at]; twice {
				a.values.twice[at] = true
				continue
			}
			a.values.scopes[at] = a.scope(f, b, after[b.Index], c)
		}
	}
}

// firstLeaf is the part of the condition x that is evaluated first.
func firstLeaf(x ast.Expr) ast.Expr {
	switch y := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		if y.Op == token.NOT {
			return firstLeaf(y.X)
		}
	case *ast.BinaryExpr:
		if y.Op == token.LAND || y.Op == token.LOR {
			return firstLeaf(y.X)
		}
	}
	return ast.Unparen(x)
}

// scope is the control scope of the choice whose condition begins in block b of f; end
// is where all ways meet, nil if they do not.
func (a scopeFinder) scope(f *function, b, end *ssa.BasicBlock, c *choice) (s trace.Scope) {
	if end == nil || used(end) {
		return trace.Scope{}
	}
	var then, other, rest []*ssa.BasicBlock // what comes if the condition is true, if it is false, and what further parts of it are
	for _, w := range beforeEnd(b, end) {
		for _, instr := range w.Instrs {
			if pos := instr.Pos(); pos.IsValid() && !covers(c.stmt, pos) {
				return trace.Scope{}
			}
			if !a.seen(f, instr) {
				return trace.Scope{}
			}
			if call, ok := instr.(*ssa.Call); ok && !plain(call.Common()) {
				s.HasCalls = true
			}
		}
		isThen := placed(w, func(pos token.Pos) bool { return c.then[0] <= pos && pos < c.then[1] })
		isOther := c.other != nil && placed(w, func(pos token.Pos) bool { return covers(c.other, pos) })
		switch branch, ok := w.Instrs[len(w.Instrs)-1].(*ssa.If); {
		case ok && a.conditionOf(branch) != nil && a.values.choices[a.conditionOf(branch)] == c:
			rest = append(rest, w)
		case isThen:
			then = append(then, w)
		case isOther:
			other = append(other, w)
		default: // nobody knows; it has no more than a jump, mostly
			then, other = append(then, w), append(other, w)
		}
	}
	s.LastLine = f.fset.PositionFor(c.stmt.End(), false).Line
	// With a part of the condition that comes out otherwise all of it does, or the others are
	// evaluated, and one does not know what comes then.
	all := a.free(slices.Concat(rest, then, other))
	s.HarmlessIfTrue = all || a.free(then) && (len(rest) == 0 || only(c.conds, token.LOR))
	s.HarmlessIfFalse = all || a.free(other) && (len(rest) == 0 || only(c.conds, token.LAND))
	return s
}

// only reports whether conditions, of which one must be true, have further parts by no other
// operator than op.
func only(conds []ast.Expr, op token.Token) bool {
	if len(conds) > 1 && op != token.LOR {
		return false
	}
	for _, x := range conds {
		ok := true
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				ok = ok && n.Op != token.NOT
			case *ast.BinaryExpr:
				ok = ok && (n.Op == op || n.Op != token.LAND && n.Op != token.LOR)
			}
			return ok
		})
		if !ok {
			return false
		}
	}
	return true
}

// placed reports whether an instruction of b is where in says.
func placed(b *ssa.BasicBlock, in func(token.Pos) bool) bool {
	return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool { return instr.Pos().IsValid() && in(instr.Pos()) })
}

func covers(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// used reports whether a local variable has another value in b by the way that led there.
func used(b *ssa.BasicBlock) bool {
	for _, instr := range b.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			return false
		}
		for _, r := range *phi.Referrers() {
			if _, name := r.(*ssa.DebugRef); !name {
				return true
			}
		}
	}
	return false
}

// beforeEnd returns the blocks on the ways from b to end, without these two.
func beforeEnd(b, end *ssa.BasicBlock) (all []*ssa.BasicBlock) {
	in := map[*ssa.BasicBlock]bool{b: true, end: true}
	for work := slices.Clone(b.Succs); len(work) > 0; {
		next := work[0]
		work = work[1:]
		if !in[next] {
			in[next] = true
			all = append(all, next)
			work = append(work, next.Succs...)
		}
	}
	return all
}

// seen reports whether all that instr, of f, does to what comes later is in events: it
// changes no memory that has none, and leads to no further call of f, of which the events
// would not be told from those of this one.
func (a scopeFinder) seen(f *function, instr ssa.Instruction) bool {
	switch x := instr.(type) {
	case *ssa.Store:
		return !a.NeedsNoEvents(x.Addr)
	case *ssa.MapUpdate, *ssa.Defer, *ssa.RunDefers, *ssa.Go, *ssa.Send, *ssa.Select, *ssa.Range, *ssa.Next, *ssa.Panic, *ssa.Return:
		return false
	case *ssa.UnOp:
		return x.Op != token.ARROW
	case *ssa.Call:
		if plain(x.Common()) {
			return true
		}
		return !a.callMay(x, f) && a.callSeen(f, x)
	}
	return true
}

// callSeen is seen for what the function does that is called by c, and those that it calls.
func (a scopeFinder) callSeen(f *function, c ssa.CallInstruction) bool {
	g := a.called(c)
	if g == nil || a.callees(g)[nil] {
		return false
	}
	for _, g := range append([]*function{g}, a.known(g)...) {
		for _, b := range g.Blocks {
			for _, instr := range b.Instrs {
				switch x := instr.(type) {
				case *ssa.Store:
					if local, ok := x.Addr.(*ssa.Alloc); a.NeedsNoEvents(x.Addr) && (!ok || local.Heap) {
						return false
					}
				case *ssa.MapUpdate, *ssa.Go, *ssa.Send, *ssa.Select, *ssa.Panic:
					return false
				case *ssa.UnOp:
					if x.Op == token.ARROW {
						return false
					}
				case ssa.CallInstruction:
					if a.called(x) == nil && !plain(x.Common()) {
						return false
					}
				}
			}
		}
	}
	return true
}

// known returns the callees of g whose bodies are known.
func (a scopeFinder) known(g *function) (all []*function) {
	callees := a.callees(g)
	for _, f := range a.all {
		if callees[f] {
			all = append(all, f)
		}
	}
	return all
}

// plain reports whether c calls something that has no events but its own, at the place of
// the call, and changes no memory without: a lock, an atomic operation, a length, or to give way.
func plain(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "ssa:wrapnilchk" || idle(c) {
		return true
	}
	fn := c.StaticCallee()
	if fn == nil || fn.Object() == nil || fn.Object().Pkg() == nil {
		return false
	}
	switch fn.Object().Pkg().Path() {
	case "sync":
		return slices.Contains([]string{"Lock", "Unlock", "RLock", "RUnlock"}, fn.Name())
	case "sync/atomic":
		return true
	}
	return false
}

// idle reports whether c does nothing that anybody sees.
func idle(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok && !c.IsInvoke() {
		return slices.Contains([]string{"len", "cap", "min", "max"}, b.Name())
	}
	fn := c.StaticCallee()
	return fn != nil && fn.String() == "runtime.Gosched"
}

// free reports whether a goroutine may go through the blocks though it did not in the
// recorded run, and nothing else is any different: they end, and do nothing that anybody
// sees. What operations of the language may panic does not count, as elsewhere.
func (a scopeFinder) free(blocks []*ssa.BasicBlock) bool {
	for _, b := range blocks {
		for _, instr := range b.Instrs {
			switch x := instr.(type) {
			case *ssa.DebugRef, *ssa.Alloc, *ssa.BinOp, *ssa.Convert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface,
				*ssa.Field, *ssa.FieldAddr, *ssa.Index, *ssa.IndexAddr, *ssa.Lookup, *ssa.Extract, *ssa.Slice, *ssa.Phi, *ssa.If, *ssa.Jump:
			case *ssa.UnOp:
				if x.Op == token.ARROW {
					return false
				}
			case *ssa.Call:
				if !idle(x.Common()) {
					return false
				}
			default:
				return false
			}
		}
	}
	return !cyclic(blocks)
}

// cyclic reports whether a way through the blocks comes to one of them again.
func cyclic(blocks []*ssa.BasicBlock) bool {
	left := map[*ssa.BasicBlock]bool{}
	for _, b := range blocks {
		left[b] = true
	}
	for n := -1; n != len(left); { // whatever has no successor left is in no circle
		n = len(left)
		for _, b := range blocks {
			if left[b] && !slices.ContainsFunc(b.Succs, func(s *ssa.BasicBlock) bool { return left[s] }) {
				delete(left, b)
			}
		}
	}
	return len(left) > 0
}

// postDominators returns by block of f the first one that comes after it on all ways to
// f's end, nil where none does: where a way returns or panics before, or goes round for
// ever. It is the algorithm of Cooper, Harvey and Kennedy (A Simple, Fast Dominance
// Algorithm, 2001) on the reversed graph.
func postDominators(f *ssa.Function) []*ssa.BasicBlock {
	var order []*ssa.BasicBlock // backwards, each block after those that it leads to, as far as can be
	number := map[*ssa.BasicBlock]int{}
	var walk func(b *ssa.BasicBlock)
	walk = func(b *ssa.BasicBlock) {
		number[b] = -1
		for _, p := range b.Preds {
			if _, ok := number[p]; !ok {
				walk(p)
			}
		}
		number[b] = len(order)
		order = append(order, b)
	}
	for _, b := range f.Blocks {
		if _, ok := number[b]; !ok && len(b.Succs) == 0 {
			walk(b)
		}
	}
	exit := len(order) // stands for the end of f
	after := make([]int, exit+1)
	for k := range after {
		after[k] = -1
	}
	after[exit] = exit
	for changed := true; changed; {
		changed = false
		for k := exit - 1; k >= 0; k-- {
			b, now := order[k], -1
			meet := func(n int) {
				for now >= 0 && now != n {
					if now < n {
						now = after[now]
					} else {
						n = after[n]
					}
				}
				now = n
			}
			if len(b.Succs) == 0 {
				meet(exit)
			}
			for _, s := range b.Succs {
				switch n, ok := number[s]; {
				case !ok: // it goes round for ever
					meet(exit)
				case after[n] >= 0:
					meet(n)
				}
			}
			if now >= 0 && after[k] != now {
				after[k], changed = now, true
			}
		}
	}
	out := make([]*ssa.BasicBlock, len(f.Blocks))
	for k, b := range order {
		if after[k] >= 0 && after[k] != exit {
			out[b.Index] = order[after[k]]
		}
	}
	return out
}
