package provenance

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file follows values where it cannot be said from the source which call hands
// them over: arguments of functions that are called in several places, and the results
// of calls by way of interfaces and closures, or of functions that unknown code calls,
// too. Formulas speak of what was handed over in the recorded call; see dataflow.Flow.
//
// Of
//
//	func check(t *testing.T, n int) { require.Positive(t, n) } // called at several places
//	check(t, a.balance)
//
// the assertion has the formula (< 0 $K.0), "what the call that this is handed over as its
// last argument", where K is the spot of check's brace. An event there (Enters), one at
// the call's parenthesis (Calls), which has the formula @a.balance for that number, and
// the two for results (Returns, Gets) let dataflow.Flow put the one in place of the other,
// call by call. That is what a context-sensitive analysis does with call strings, but
// for the calls of one run, of which the trace knows each.
//
// The work is done on demand: a term that speaks of arguments or results wants them, and
// only what is wanted, and in the end only what an assertion follows from, gets events
// (want, deriveHanded, placeHandedEvents).

// handedCalls is what is known of calls that have events.
type handedCalls struct {
	// wantedParams and results are the functions of which parameters and results are in
	// formulas, in the order in which they were found. They only grow, and hand goes
	// through them until it has seen all: to find the formula of one argument may make
	// the arguments of another function wanted.
	wantedParams, wantedResults []*function
	wantedKeys                  map[any]bool       // the argumentsOf and resultsOf that are wanted
	callsWithResults            map[*ssa.Call]bool // calls whose results formulas refer to

	// What calls may lead to that do not name a function, by the shape of signatures:
	// the class hierarchy analysis of Dean, Grove and Chambers, Optimization of
	// Object-Oriented Programs Using Static Class Hierarchy Analysis, ECOOP 1995, which
	// takes each function of the right type for one that may be called.
	callsByShape   map[string][]call      // calls of interface methods and of function values
	methodsByShape map[string][]*function // methods that a call by way of an interface may lead to, by name and signature
	valuesByShape  map[string][]*function // functions that a function value may be, by signature
}

// newHandedCalls returns one in which nothing is wanted.
func newHandedCalls() handedCalls {
	return handedCalls{wantedKeys: map[any]bool{}, callsWithResults: map[*ssa.Call]bool{}}
}

// argumentsOf and resultsOf name what is handed to and from a function, as [sharing.Program.Memory]
// does memory.
type (
	// argumentsOf stands for the arguments of all calls of f, as a variable to which each call
	// stores.
	argumentsOf struct{ f *function }
	// resultsOf stands for all that f returns.
	resultsOf struct{ f *function }
)

// signatureKey returns a key that is equal for functions of the same signature:
// "int,error,;bool,;" are the types of its parameters and results, by their names. Names and not
// types.Identical compare, as packages have their types from different loads (package sharing).
func signatureKey(s *types.Signature) string {
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

// indexCalls notes what calls may lead to that do not name a function. Only open functions,
// those whose value is used or whose type becomes an interface, can be called so; what the
// compiler makes up (Synthetic), such as the wrapper of an embedded method, has no place in
// the sources for an event.
func (a *analysis) indexCalls() {
	h := &a.found.handedCalls
	h.callsByShape, h.methodsByShape, h.valuesByShape = map[string][]call{}, map[string][]*function{}, map[string][]*function{}
	for _, f := range a.functions {
		if f.calledFromOutside && f.Synthetic == "" {
			s := signatureKey(f.Signature)
			h.valuesByShape[s] = append(h.valuesByShape[s], f)
			if f.Signature.Recv() != nil {
				h.methodsByShape[f.Name()+s] = append(h.methodsByShape[f.Name()+s], f)
			}
		}
	}
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		if c, ok := instr.(*ssa.Call); ok {
			for _, g := range a.callTargets(c) {
				if a.calledFunction(c) == nil {
					key := signatureKey(g.Signature)
					h.callsByShape[key] = append(h.callsByShape[key], call{f, c})
					break
				}
			}
		}
	})
}

// callTargets returns the functions of the program that c may call; none if these are too many,
// or only code that is not known. Of a call that names a function it is that one.
func (a *analysis) callTargets(c *ssa.Call) []*function {
	var found []*function
	switch {
	case c.Call.IsInvoke():
		found = a.found.methodsByShape[c.Call.Method.Name()+signatureKey(c.Call.Signature())]
	case isBuiltin(c):
	case c.Call.StaticCallee() == nil:
		found = a.found.handedCalls.valuesByShape[signatureKey(c.Call.Signature())]
	default:
		if g := a.calledFunction(c); g != nil && g.Synthetic == "" {
			return []*function{g}
		}
	}
	if len(found) > maxCallTargets {
		return nil
	}
	return found
}

// callsOf returns the calls that may lead to f: those that name it, and where its value
// goes anywhere those of its shape. There may be others, in code that is not known; then
// dataflow.Flow finds no event of a call before that of f's beginning, and no value.
func (a *analysis) callsOf(f *function) []call {
	all := slices.Clone(a.found.calls[f])
	if !f.calledFromOutside {
		return all
	}
	for _, c := range a.found.handedCalls.callsByShape[signatureKey(f.Signature)] {
		if slices.Contains(a.callTargets(c.instr), f) {
			all = append(all, c)
		}
	}
	return all
}

// wantFormulasOf notes that formulas refer to the arguments or results that key names, an
// argumentsOf or resultsOf. deriveHanded then finds formulas of these.
func (h *handedCalls) wantFormulasOf(key any) {
	if h.wantedKeys[key] {
		return
	}
	h.wantedKeys[key] = true
	switch key := key.(type) {
	case argumentsOf:
		h.wantedParams = append(h.wantedParams, key.f)
	case resultsOf:
		h.wantedResults = append(h.wantedResults, key.f)
	}
}

// entrySpot returns the place of the event that f has begun: the brace of its body. It is false if
// the body is not in Go.
func entrySpot(f *function) (Spot, bool) {
	switch n := f.Syntax().(type) {
	case *ast.FuncDecl:
		if n.Body != nil {
			return Spot{f.fset, n.Body.Lbrace, ReceivesArguments, 0}, true
		}
	case *ast.FuncLit:
		return Spot{f.fset, n.Body.Lbrace, ReceivesArguments, 0}, true
	}
	return Spot{}, false
}

// handedTerm is what the call at s, or function beginning there, gets as its value with
// a number. From says whose arguments or results these may be: they are wanted from now on,
// and an assertion that has the term follows from them.
func (d *deriver) handedTerm(s Spot, number int, from ...any) *term {
	if number >= maxHandedValues {
		return nil
	}
	t := &term{Formula: Formula{Op: dataflow.Handed, Read: dataflow.Reading{Key: d.found.readingKey(s), Back: uint8(number)}}}
	for _, key := range from {
		d.found.wantFormulasOf(key)
		t.reads = append(t.reads, &termRead{Spot: s, function: d.f, memory: key})
	}
	return t
}

// handedParameter is the term of a parameter of a function that is called in several places, if
// its value may depend on other goroutines. Any other is the same in each run, so that an operand
// serves for it (see operandTerm).
//
// The event at the function's brace is the goroutine's last one there, when d.use uses the
// parameter, only if nothing in between may call the function again: there is no term for
// n in
//
//	func walk(n *node) { walk(n.next); require.NotNil(t, n) }
func (d *deriver) handedParameter(p *ssa.Parameter) *term {
	s, ok := entrySpot(d.f)
	if !ok || !d.DependsOnOthers(p) && !isTypeParam(p.Type()) && !isAny(p.Type()) || d.params != nil || d.f.Synthetic != "" || onlyAllocates(d.f) {
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

// handedResult is the term of a result of the call c, of that number: of the second of
//
//	v, err := cache.load(key)
//
// it is $K.1, where K is the spot of the call's parenthesis, at which the event Gets
// stands. As with parameter, the call must be the last one there when d.use comes.
func (d *deriver) handedResult(c *ssa.Call, number int) *term {
	targets := d.callTargets(c)
	if len(targets) == 0 || c.Parent() != d.f.Function || slices.ContainsFunc(targets, onlyAllocates) {
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
	d.found.callsWithResults[c] = true
	return d.handedTerm(Spot{d.f.fset, c.Pos(), ReceivesResults, 0}, number, from...)
}

// onlyAllocates reports whether f does nothing but make what it returns a pointer to. The
// compiler puts such a function into its callers, and then often what it makes on their
// stacks. With an event it would be too large for that, and the program would allocate.
func onlyAllocates(f *function) bool {
	if len(f.Blocks) != 1 {
		return false
	}
	rs := returnsOf(f.Function)
	return len(rs) == 1 && slices.ContainsFunc(rs[0].Results, func(v ssa.Value) bool {
		_, own := v.(*ssa.Alloc)
		return own
	})
}

// wantGuarded looks at the results of calls that the program would fail with if they
// were others: a nil pointer that is followed in
//
//	cache.find(key).count++ // cache is an interface
//
// is no assertion of the source, but as good as one (guard.go). That a term is made of the
// result is enough to have it wanted.
func (a *analysis) wantGuarded() {
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		c, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		if g := a.calledFunction(c); g != nil && !g.calledFromOutside {
			return
		}
		for _, r := range *c.Referrers() {
			if _, ok := a.guardAt(c, r); ok {
				a.term(f, r, c)
			}
		}
	})
}

// deriveHanded finds the formulas of all that is handed over, for whatever is wanted meanwhile,
// too, until nothing new is.
func (a *analysis) deriveHanded() {
	h := &a.found.handedCalls
	for p, r := 0, 0; p < len(h.wantedParams) || r < len(h.wantedResults); {
		if p < len(h.wantedParams) {
			for _, c := range a.callsOf(h.wantedParams[p]) {
				a.deriveArguments(c)
			}
			p++
			continue
		}
		a.deriveResults(h.wantedResults[r])
		r++
	}
}

// deriveArguments finds the formulas of the arguments of c. They are counted from the last
// one, so that the receiver, which ssa has as the first argument of some calls and not of
// others, is the last of all.
func (a *analysis) deriveArguments(c call) {
	args := c.instr.Call.Args
	for k := range args {
		a.deriveHandedValue(c.caller, c.instr, args[len(args)-1-k], Spot{c.caller.fset, c.instr.Pos(), PassesArguments, k})
	}
}

// deriveResults finds the formulas of the results of f.
func (a *analysis) deriveResults(f *function) {
	for _, r := range returnsOf(f.Function) {
		for k, v := range r.Results {
			a.deriveHandedValue(f, r, v, Spot{f.fset, r.Pos(), ReturnsResults, k})
		}
	}
}

// returnsOf returns the return statements of f.
func returnsOf(f *ssa.Function) (all []*ssa.Return) {
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

// deriveHandedValue finds the formula of v, which instr hands over at s. An operand serves as well
// as a reading does: that nobody else can change a value is no reason not to tell it on.
func (a *analysis) deriveHandedValue(f *function, instr ssa.Instruction, v ssa.Value, s Spot) {
	if m, ok := v.(*ssa.MakeInterface); ok && isAny(m.Type()) {
		if !isSort(m.X.Type(), number, text) {
			return
		}
		v = m.X // what it holds has one type there
	}
	if _, ok := a.found.formulas[s]; ok || !s.Pos.IsValid() || s.Number >= maxHandedValues {
		return
	}
	t := a.term(f, instr, v)
	if t == nil {
		return
	}
	a.found.formulas[s], a.found.reads[s] = t.Formula, t.reads
	for _, o := range t.operands {
		a.found.operands[o.Spot] = true
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

// handedStores lists all that is handed over, as stores to what argumentsOf and resultsOf name:
// the slice in need.go goes through these as it goes through memory.
func (a *analysis) handedStores() (all []store) {
	h := &a.found.handedCalls
	for _, f := range h.wantedParams {
		for _, c := range a.callsOf(f) {
			for k := range c.instr.Call.Args {
				all = append(all, store{Spot{c.caller.fset, c.instr.Pos(), PassesArguments, k}, argumentsOf{f}})
			}
		}
	}
	for _, f := range h.wantedResults {
		for _, r := range returnsOf(f.Function) {
			for k := range r.Results {
				all = append(all, store{Spot{f.fset, r.Pos(), ReturnsResults, k}, resultsOf{f}})
			}
		}
	}
	return all
}

// placeHandedEvents notes the events that tell of what is handed over, where an assertion follows
// from it: from has what the slice of need.go came by. Each of them takes time in the
// program, and so the rest of what is wanted gets none.
//
// A function that may stand between a call and the one that is asked for has an event where
// it begins, too. It tells that an Enters further down is of another call: without it, what
// was handed to the outer function would pass for what the inner one has got.
func (a *analysis) placeHandedEvents(from map[any]bool) {
	h := &a.found.handedCalls
	places := a.found.handedCounts
	for _, f := range h.wantedParams {
		s, ok := entrySpot(f)
		if !ok || !from[argumentsOf{f}] {
			continue
		}
		places[s] = 1
		for _, c := range a.callsOf(f) {
			places[Spot{c.caller.fset, c.instr.Pos(), PassesArguments, 0}] = len(c.instr.Call.Args)
			for _, g := range a.callTargets(c.instr) { // which may call f in turn
				if s, ok := entrySpot(g); ok && !onlyAllocates(g) {
					places[s] = 1
				}
			}
		}
	}
	for _, f := range h.wantedResults {
		if !from[resultsOf{f}] {
			continue
		}
		for _, r := range returnsOf(f.Function) {
			places[Spot{f.fset, r.Pos(), ReturnsResults, 0}] = len(r.Results)
		}
	}
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		c, ok := instr.(*ssa.Call)
		if !ok || !h.callsWithResults[c] {
			return
		}
		for _, g := range a.callTargets(c) {
			if from[resultsOf{g}] {
				places[Spot{f.fset, c.Pos(), ReceivesResults, 0}] = c.Call.Signature().Results().Len()
			}
		}
	})
}

// trackHanded notes where the results of calls go: a result is a reading at the spot of
// Gets, and is tracked as a load is (track.go).
func (a *analysis) trackHanded() {
	a.eachInstruction(func(f *function, instr ssa.Instruction) {
		c, ok := instr.(*ssa.Call)
		if !ok || !a.found.callsWithResults[c] {
			return
		}
		s := Spot{f.fset, c.Pos(), ReceivesResults, 0}
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

// followHandedResult reports whether the result v of f at r has a formula. Where callers use the
// result, trackHanded follows it.
func (u *useTracker) followHandedResult(f *function, v ssa.Value, r *ssa.Return) bool {
	for k, x := range r.Results {
		if x != v {
			continue
		}
		s := Spot{f.fset, r.Pos(), ReturnsResults, k}
		if _, known := u.found.formulas[s]; !known {
			return false
		}
		u.spots = append(u.spots, s)
	}
	return true
}

// followHandedArgument follows v, an argument of c in f, to the functions that c may lead to: all
// reports whether all that they do with it is in formulas. ok is false if a function may be called
// whose arguments no formula wants; then c has to be followed as a call of one known function, or
// not at all.
func (u *useTracker) followHandedArgument(f *function, c *ssa.Call, v ssa.Value) (all, ok bool) {
	targets := u.callTargets(c)
	if len(targets) == 0 || u.callDepth == maxCallDepth {
		return false, false
	}
	if slices.ContainsFunc(targets, func(g *function) bool { return !u.found.wantedKeys[argumentsOf{g}] }) {
		return false, false
	}
	u.callDepth++
	defer func() { u.callDepth-- }()
	args := c.Call.Args
	if !slices.Contains(args, v) {
		return false, false
	}
	for k := range args {
		if args[len(args)-1-k] != v {
			continue
		}
		s := Spot{f.fset, c.Pos(), PassesArguments, k}
		if _, known := u.found.formulas[s]; !known {
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
