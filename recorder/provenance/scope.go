package provenance

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/sharing"
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
	stmt       ast.Stmt   // all of it: the if, the switch
	conditions []ast.Expr // of a clause there may be several
	thenRange  [2]token.Pos
	// otherwise has what comes if the condition is false, and may have then, too; nil for nothing.
	otherwise ast.Node
}

func choiceOf(n *ast.IfStmt) *choice {
	c := &choice{n, []ast.Expr{n.Cond}, [2]token.Pos{n.Body.Pos(), n.Body.End()}, nil}
	if n.Else != nil {
		c.otherwise = n.Else
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
	for _, f := range a.functions {
		var next map[*ssa.BasicBlock]*ssa.BasicBlock // made by nextOut for the first condition of f
		for _, b := range f.Blocks {
			branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
			if !ok {
				continue
			}
			cond := a.conditionOf(branch)
			c := a.found.choices[cond]
			if cond == nil || c == nil || ConditionLeaves(c.conditions[0])[0] != cond {
				continue
			}
			if next == nil {
				next = nextOut(f.Function)
			}
			at := Spot{f.fset, c.conditions[0].Pos(), Branches, 0}
			if _, twice := a.found.scopes[at]; twice {
				a.found.ambiguous[at] = true
				continue
			}
			a.found.scopes[at] = a.scopeOfChoice(f, b, postDominator(b, next), c)
		}
	}
}

// scopeOfChoice is the control scope of the choice whose condition begins in block b of f; end
// is where all ways meet, nil if they do not.
func (a scopeFinder) scopeOfChoice(f *function, b, end *ssa.BasicBlock, c *choice) (s trace.Scope) {
	if end == nil || hasUsedPhi(end) {
		return trace.Scope{}
	}
	var then, other, rest []*ssa.BasicBlock // what comes if the condition is true, if it is false, and what further parts of it are
	for _, w := range beforeEnd(b, end) {
		for _, instr := range w.Instrs {
			if pos := instr.Pos(); pos.IsValid() && !covers(c.stmt, pos) {
				return trace.Scope{}
			}
			if !a.effectsHaveEvents(f, instr) {
				return trace.Scope{}
			}
			if call, ok := instr.(*ssa.Call); ok && !hasOnlyOwnEvent(call.Common()) {
				s.HasCalls = true
			}
		}
		isThen := hasPosition(w, func(pos token.Pos) bool { return c.thenRange[0] <= pos && pos < c.thenRange[1] })
		isOther := c.otherwise != nil && hasPosition(w, func(pos token.Pos) bool { return covers(c.otherwise, pos) })
		switch branch, ok := w.Instrs[len(w.Instrs)-1].(*ssa.If); {
		case ok && a.conditionOf(branch) != nil && a.found.choices[a.conditionOf(branch)] == c:
			rest = append(rest, w)
		case isThen:
			then = append(then, w)
		case isOther:
			other = append(other, w)
		default: // blocks without positions, mostly a jump, may belong to either
			then, other = append(then, w), append(other, w)
		}
	}
	s.LastLine = f.fset.PositionFor(c.stmt.End(), false).Line
	// With a part of the condition that comes out otherwise all of it does, or the others are
	// evaluated, and one does not know what comes then.
	all := a.hasNoEffects(slices.Concat(rest, then, other))
	s.HarmlessIfTrue = all || a.hasNoEffects(then) && (len(rest) == 0 || joinedOnlyBy(c.conditions, token.LOR))
	s.HarmlessIfFalse = all || a.hasNoEffects(other) && (len(rest) == 0 || joinedOnlyBy(c.conditions, token.LAND))
	return s
}

// joinedOnlyBy reports whether conditions, of which one must be true, have further parts by no other
// operator than op.
func joinedOnlyBy(conds []ast.Expr, op token.Token) bool {
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

// hasPosition reports whether the position of an instruction of b satisfies in.
func hasPosition(b *ssa.BasicBlock, in func(token.Pos) bool) bool {
	return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool { return instr.Pos().IsValid() && in(instr.Pos()) })
}

func covers(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// hasUsedPhi reports whether a local variable in b depends on the way by which b was reached.
func hasUsedPhi(b *ssa.BasicBlock) bool {
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
func beforeEnd(b, end *ssa.BasicBlock) []*ssa.BasicBlock {
	return slices.DeleteFunc(slices.Collect(sharing.Reachable(b.Succs, end)), func(w *ssa.BasicBlock) bool { return w == b || w == end })
}

// effectsHaveEvents reports whether all effects of instr, an instruction of f, are events of the
// trace. It must not change memory without events, nor lead to another call of f, whose events
// could not be told from those of this call.
func (a scopeFinder) effectsHaveEvents(f *function, instr ssa.Instruction) bool {
	switch x := instr.(type) {
	case *ssa.Store:
		return !a.NeedsNoEvents(x.Addr)
	case *ssa.MapUpdate, *ssa.Defer, *ssa.RunDefers, *ssa.Go, *ssa.Send, *ssa.Select, *ssa.Range, *ssa.Next, *ssa.Panic, *ssa.Return:
		return false
	case *ssa.UnOp:
		return x.Op != token.ARROW
	case *ssa.Call:
		if hasOnlyOwnEvent(x.Common()) {
			return true
		}
		return !a.mayLeadTo(x, f) && a.calleeEffectsHaveEvents(f, x)
	}
	return true
}

// calleeEffectsHaveEvents is effectsHaveEvents for the function that c calls, and those that it
// calls.
func (a scopeFinder) calleeEffectsHaveEvents(f *function, c ssa.CallInstruction) bool {
	g := a.calledFunction(c)
	if g == nil || a.callees(g)[nil] {
		return false
	}
	for _, g := range append([]*function{g}, a.knownCallees(g)...) {
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
					if a.calledFunction(x) == nil && !hasOnlyOwnEvent(x.Common()) {
						return false
					}
				}
			}
		}
	}
	return true
}

// knownCallees returns the callees of g whose bodies are known.
func (a scopeFinder) knownCallees(g *function) (all []*function) {
	callees := a.callees(g)
	for _, f := range a.functions {
		if callees[f] {
			all = append(all, f)
		}
	}
	return all
}

// hasOnlyOwnEvent reports whether the only effect of c is one event at the place of the call: a
// lock, an atomic operation, a length, or runtime.Gosched.
func hasOnlyOwnEvent(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "ssa:wrapnilchk" || hasNoVisibleEffect(c) {
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

// hasNoVisibleEffect reports whether c has no effect that other goroutines or later code see.
func hasNoVisibleEffect(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok && !c.IsInvoke() {
		return slices.Contains([]string{"len", "cap", "min", "max"}, b.Name())
	}
	fn := c.StaticCallee()
	return fn != nil && fn.String() == "runtime.Gosched"
}

// hasNoEffects reports whether a goroutine may execute the blocks, unlike in the recorded run,
// without any difference for the rest of the program: they terminate and have no visible effect.
// Panics of operations of the language do not count.
func (a scopeFinder) hasNoEffects(blocks []*ssa.BasicBlock) bool {
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
				if !hasNoVisibleEffect(x.Common()) {
					return false
				}
			default:
				return false
			}
		}
	}
	return !hasCycle(blocks)
}

// hasCycle reports whether a way through the blocks comes to one of them again.
func hasCycle(blocks []*ssa.BasicBlock) bool {
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

// postDominator returns the first block that comes after b on all ways to the function's
// end; nil where none does: where a way returns or panics before, or goes round for ever.
// It lies on the shortest way out, which next has (nextOut), as on each other.
func postDominator(b *ssa.BasicBlock, next map[*ssa.BasicBlock]*ssa.BasicBlock) *ssa.BasicBlock {
	for after := next[b]; after != nil; after = next[after] {
		misses := func(w *ssa.BasicBlock) bool { return w != after && next[w] == nil }
		if !slices.ContainsFunc(slices.Collect(sharing.Reachable(b.Succs, after)), misses) {
			return after
		}
	}
	return nil
}

// nextOut returns for each block of f the next one on a shortest way to f's end; nil for those
// at the end, and those from which no way leads there.
func nextOut(f *ssa.Function) map[*ssa.BasicBlock]*ssa.BasicBlock {
	next := map[*ssa.BasicBlock]*ssa.BasicBlock{}
	var work []*ssa.BasicBlock
	for _, b := range f.Blocks {
		if len(b.Succs) == 0 {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		for _, p := range b.Preds {
			if next[p] == nil {
				next[p] = b
				work = append(work, p)
			}
		}
	}
	return next
}
