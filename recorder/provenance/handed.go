package provenance

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/trace"
)

// This file follows values where it cannot be said from the source which call hands
// them over: arguments of functions that are called in several places, and the results
// of calls by way of interfaces and closures, or of functions that unknown code calls,
// too. Formulas speak of what was handed over in the recorded call; see trace.Flow.

// handing is what is known of calls that have events.
type handing struct {
	// params and results are the functions of which parameters and results are in
	// formulas, in the order in which they were found.
	params, results []*function
	wants           map[any]bool           // argumentsOf and resultsOf those
	got             map[*ssa.Call]bool     // calls of which the results are in formulas
	calls           map[string][]call      // by signature: those of interfaces and values
	methods         map[string][]*function // what these may call, by name and signature
	values          map[string][]*function // what values of a signature may be
}

// newHanding returns one in which nothing is wanted.
func newHanding() handing {
	return handing{wants: map[any]bool{}, got: map[*ssa.Call]bool{}}
}

// argumentsOf and resultsOf name what is handed to and from a function, as [sharing.Program.Memory]
// does memory.
type (
	argumentsOf struct{ f *function }
	resultsOf   struct{ f *function }
)

// maxTargets bounds the functions that a call may lead to.
const maxTargets = 16

// shape tells which functions a value of type s may be.
func shape(s *types.Signature) string {
	var b strings.Builder
	for _, t := range []*types.Tuple{s.Params(), s.Results()} {
		for v := range t.Variables() {
			b.WriteString(types.TypeString(v.Type(), nil))
			b.WriteByte(',')
		}
		b.WriteByte(';')
	}
	return b.String()
}

// indexCalls notes what calls may lead to that do not name a function.
func (a *analysis) indexCalls() {
	h := &a.values.handing
	h.calls, h.methods, h.values = map[string][]call{}, map[string][]*function{}, map[string][]*function{}
	for _, f := range a.all {
		if f.open && f.Synthetic == "" {
			s := shape(f.Signature)
			h.values[s] = append(h.values[s], f)
			if f.Signature.Recv() != nil {
				h.methods[f.Name()+s] = append(h.methods[f.Name()+s], f)
			}
		}
	}
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		if c, ok := instr.(*ssa.Call); ok {
			for _, g := range a.targets(c) {
				if a.called(c) == nil {
					key := shape(g.Signature)
					h.calls[key] = append(h.calls[key], call{f, c})
					break
				}
			}
		}
	})
}

// targets returns the functions of the program that c may call.
func (a *analysis) targets(c *ssa.Call) []*function {
	var found []*function
	switch {
	case c.Call.IsInvoke():
		found = a.values.methods[c.Call.Method.Name()+shape(c.Call.Signature())]
	case isBuiltin(c):
	case c.Call.StaticCallee() == nil:
		found = a.values.handing.values[shape(c.Call.Signature())]
	default:
		if g := a.called(c); g != nil && g.Synthetic == "" {
			return []*function{g}
		}
	}
	if len(found) > maxTargets {
		return nil
	}
	return found
}

// callsOf returns the calls that may lead to f.
func (a *analysis) callsOf(f *function) []call {
	all := slices.Clone(a.values.calls[f])
	if !f.open {
		return all
	}
	for _, c := range a.values.handing.calls[shape(f.Signature)] {
		if slices.Contains(a.targets(c.c), f) {
			all = append(all, c)
		}
	}
	return all
}

// want notes that formulas speak of what key names.
func (h *handing) want(key any) {
	if h.wants[key] {
		return
	}
	h.wants[key] = true
	switch key := key.(type) {
	case argumentsOf:
		h.params = append(h.params, key.f)
	case resultsOf:
		h.results = append(h.results, key.f)
	}
}

// entry is where f begins.
func entry(f *function) (Spot, bool) {
	switch n := f.Syntax().(type) {
	case *ast.FuncDecl:
		if n.Body != nil {
			return Spot{f.fset, n.Body.Lbrace, Enters, 0}, true
		}
	case *ast.FuncLit:
		return Spot{f.fset, n.Body.Lbrace, Enters, 0}, true
	}
	return Spot{}, false
}

// handedTerm is what the call at s, or function beginning there, gets as its value with
// a number.
func (d *deriver) handedTerm(s Spot, number int, from ...any) *term {
	if number >= maxHanded {
		return nil
	}
	t := &term{Formula: Formula{Op: trace.Handed, Read: trace.Reading{Key: d.values.number(s), Back: uint8(number)}}}
	for _, key := range from {
		d.values.want(key)
		t.reads = append(t.reads, &read{Spot: s, in: d.f, from: key})
	}
	return t
}

// maxHanded bounds the values that are handed over at once.
const maxHanded = 16

// parameter is the term of a parameter of a function that is called in several places,
// where other goroutines have a say in what it is.
func (d *deriver) parameter(p *ssa.Parameter) *term {
	s, ok := entry(d.f)
	if !ok || !d.Unsure(p) && !isTypeParam(p.Type()) && !isAny(p.Type()) || d.params != nil || d.f.Synthetic != "" || constructs(d.f) {
		return nil
	}
	for _, other := range before(d.use) {
		if d.mayCall(other, d.f) {
			return nil
		}
	}
	i := slices.Index(d.f.Params, p)
	if i < 0 || len(d.callsOf(d.f)) == 0 {
		return nil
	}
	return d.handedTerm(s, len(d.f.Params)-1-i, argumentsOf{d.f})
}

// got is the term of a result of the call c.
func (d *deriver) got(c *ssa.Call, number int) *term {
	targets := d.targets(c)
	if len(targets) == 0 || c.Parent() != d.f.Function || slices.ContainsFunc(targets, constructs) {
		return nil
	}
	for _, other := range between(c, d.use) {
		if d.mayCall(other, d.f) {
			return nil
		}
	}
	var from []any
	for _, g := range targets {
		from = append(from, resultsOf{g})
	}
	d.values.got[c] = true
	return d.handedTerm(Spot{d.f.fset, c.Pos(), Gets, 0}, number, from...)
}

// constructs reports whether f does nothing but make what it returns a pointer to. The
// compiler puts such a function into its callers, and then often what it makes on their
// stacks. With an event it would be too large for that, and the program would allocate.
func constructs(f *function) bool {
	if len(f.Blocks) != 1 {
		return false
	}
	rs := returnsOf(f)
	return len(rs) == 1 && slices.ContainsFunc(rs[0].Results, func(v ssa.Value) bool {
		_, own := v.(*ssa.Alloc)
		return own
	})
}

// wantGuarded looks at the results of calls that the program would fail with if they
// were others.
func (a *analysis) wantGuarded() {
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		c, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		if g := a.called(c); g != nil && !g.open {
			return
		}
		for _, r := range *c.Referrers() {
			if _, ok := a.guardAt(c, r); ok {
				a.term(f, r, c)
			}
		}
	})
}

// hand finds the formulas of all that is handed over.
func (a *analysis) hand() {
	h := &a.values.handing
	for p, r := 0, 0; p < len(h.params) || r < len(h.results); {
		if p < len(h.params) {
			for _, c := range a.callsOf(h.params[p]) {
				a.handArguments(c)
			}
			p++
			continue
		}
		a.handResults(h.results[r])
		r++
	}
}

// handArguments finds the formulas of the arguments of c.
func (a *analysis) handArguments(c call) {
	args := c.c.Call.Args
	for k := range args {
		a.handOver(c.f, c.c, args[len(args)-1-k], Spot{c.f.fset, c.c.Pos(), Calls, k})
	}
}

// handResults finds the formulas of the results of f.
func (a *analysis) handResults(f *function) {
	for _, r := range returnsOf(f) {
		for k, v := range r.Results {
			a.handOver(f, r, v, Spot{f.fset, r.Pos(), Returns, k})
		}
	}
}

// returnsOf returns the return statements of f.
func returnsOf(f *function) (all []*ssa.Return) {
	for _, b := range f.Blocks {
		if b == f.Recover || len(b.Instrs) == 0 {
			continue
		}
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			all = append(all, r)
		}
	}
	return all
}

// handOver finds the formula of v, which instr hands over at s.
func (a *analysis) handOver(f *function, instr ssa.Instruction, v ssa.Value, s Spot) {
	if m, ok := v.(*ssa.MakeInterface); ok && isAny(m.Type()) {
		if s, ok := sortOf(m.X.Type()); !ok || s != number && s != text {
			return
		}
		v = m.X // what it holds has one type there
	}
	if _, ok := a.values.formulas[s]; ok || !s.Pos.IsValid() || s.Number >= maxHanded {
		return
	}
	t := a.term(f, instr, v)
	if t == nil {
		return
	}
	a.values.formulas[s], a.values.reads[s] = t.Formula, t.reads
	for _, o := range t.operands {
		a.values.operands[o.Spot] = true
	}
}

// isAny reports whether t is an interface without methods.
func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0 && !isTypeParam(t)
}

// isTypeParam reports whether t is a type parameter.
func isTypeParam(t types.Type) bool {
	_, is := types.Unalias(t).(*types.TypeParam)
	return is
}

// handed lists all that is handed over, as stores to what argumentsOf and resultsOf name.
func (a *analysis) handed() (all []store) {
	h := &a.values.handing
	for _, f := range h.params {
		for _, c := range a.callsOf(f) {
			for k := range c.c.Call.Args {
				all = append(all, store{Spot{c.f.fset, c.c.Pos(), Calls, k}, argumentsOf{f}})
			}
		}
	}
	for _, f := range h.results {
		for _, r := range returnsOf(f) {
			for k := range r.Results {
				all = append(all, store{Spot{f.fset, r.Pos(), Returns, k}, resultsOf{f}})
			}
		}
	}
	return all
}

// place notes the events that tell of what is handed over, where an assertion follows
// from it.
func (a *analysis) place(from map[any]bool) {
	h := &a.values.handing
	places := a.values.handings
	for _, f := range h.params {
		s, ok := entry(f)
		if !ok || !from[argumentsOf{f}] {
			continue
		}
		places[s] = 1
		for _, c := range a.callsOf(f) {
			places[Spot{c.f.fset, c.c.Pos(), Calls, 0}] = len(c.c.Call.Args)
			for _, g := range a.targets(c.c) { // which may call f in turn
				if s, ok := entry(g); ok && !constructs(g) {
					places[s] = 1
				}
			}
		}
	}
	for _, f := range h.results {
		if !from[resultsOf{f}] {
			continue
		}
		for _, r := range returnsOf(f) {
			places[Spot{f.fset, r.Pos(), Returns, 0}] = len(r.Results)
		}
	}
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		c, ok := instr.(*ssa.Call)
		if !ok || !h.got[c] {
			return
		}
		for _, g := range a.targets(c) {
			if from[resultsOf{g}] {
				places[Spot{f.fset, c.Pos(), Gets, 0}] = c.Call.Signature().Results().Len()
			}
		}
	})
}

// trackHanded notes where the results of calls go.
func (a *analysis) trackHanded() {
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		c, ok := instr.(*ssa.Call)
		if !ok || !a.values.got[c] {
			return
		}
		s := Spot{f.fset, c.Pos(), Gets, 0}
		if _, tuple := c.Type().(*types.Tuple); !tuple {
			a.track(f, c, s)
			return
		}
		for _, r := range *c.Referrers() {
			if x, ok := r.(*ssa.Extract); ok {
				a.track(f, x, s)
			}
		}
	})
}

// handedBack reports whether the function f hands over its result v at r.
func (u *uses) handedBack(f *function, v ssa.Value, r *ssa.Return) bool {
	for k, x := range r.Results {
		if x != v {
			continue
		}
		s := Spot{f.fset, r.Pos(), Returns, k}
		if _, known := u.values.formulas[s]; !known {
			return false
		}
		u.spots = append(u.spots, s)
	}
	return true
}

// handedOver follows v, an argument of c in f, to the functions that c may lead to. ok is false
// if that is not to be followed so.
func (u *uses) handedOver(f *function, c *ssa.Call, v ssa.Value) (all, ok bool) {
	targets := u.targets(c)
	if len(targets) == 0 || u.depth == maxDepth {
		return false, false
	}
	if slices.ContainsFunc(targets, func(g *function) bool { return !u.values.wants[argumentsOf{g}] }) {
		return false, false
	}
	u.depth++
	defer func() { u.depth-- }()
	args := c.Call.Args
	if !slices.Contains(args, v) {
		return false, false
	}
	for k := range args {
		if args[len(args)-1-k] != v {
			continue
		}
		s := Spot{f.fset, c.Pos(), Calls, k}
		if _, known := u.values.formulas[s]; !known {
			return false, true
		}
		u.spots = append(u.spots, s)
		for _, g := range targets {
			if k >= len(g.Params) || !u.follow(g, g.Params[len(g.Params)-1-k], false) {
				return false, true
			}
		}
	}
	return u.follow(f, c, false), true
}
