package provenance

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/sharing"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// This file finds what a value follows from: expressions over what the goroutine
// has read, for stores, conditions and assertions (the symbolic events of Wang,
// Kundu, Limaye, Ganai, Gupta, Symbolic Predictive Analysis for Concurrent
// Programs, 2011, section 3.1, and the renaming of local variables in 4.1, which
// the SSA form has done). Of
//
//	n := a.balance - fee // fee is no other goroutine's
//	a.balance = n
//
// the store has the formula (- @x @y): x is the load of a.balance, which has an event for
// others can change it, and y the name fee in that expression, which gets an event of its
// own, an operand, only since this formula needs it.
//
// Terms are made from the use back to the reads, as a backward slice is, but for one
// value and within maxTermInstructions instructions. A φ-function ends it: which way was gone is a
// matter of conditions, and not of this value. There is no term then, which is always
// right, for the value keeps what it was in the recorded run.

// derivation collects formulas, and what is known of the program to find them. Spots and not
// instructions are the keys, as the rewriter inserts events at places of the source; a
// place with several formulas gets none.
type derivation struct {
	Facts
	handedCalls
	readingKeys map[Spot]uint64      // keys of readings: indices into spots, plus one
	reads       map[Spot][]*termRead // what each formula reads; findNeeded follows these
	// ambiguous has spots of which several formulas were found, where the SSA form has several
	// instructions of one place: which of them an event is of is not known then.
	ambiguous map[Spot]bool
	// usedElsewhere has readings with values that go elsewhere, too. One such use is enough,
	// whatever else is found of the same spot.
	usedElsewhere map[Spot]bool

	calls        map[*function][]call // calls of each function by its name, without go and defer statements
	nilVariables map[any]bool         // variables to which the program assigns nil
	// reassignedMemory is the memory to which something is assigned after the program's
	// start; analysed are the packages of which that is known.
	reassignedMemory map[any]bool
	analysedPackages map[string]bool
	spawnedFunctions map[*function]bool               // functions that go or defer statements call
	callees          map[*function]map[*function]bool // transitive callees of each function, computed on demand
	conditionLeaves  map[ast.Expr]bool                // parts of conditions of ifs, fors and switches, without &&, || and !
	choices          map[ast.Expr]*choice             // the if or switch clause that a part of a condition belongs to
	// assignedNames are names to which a value is assigned there: x in x = y. Nothing can be
	// read at these, so that they are no operands.
	assignedNames map[position]bool
}

// newDerivation returns an empty collection.
func newDerivation() *derivation {
	return &derivation{
		Facts:       Facts{nil, map[Spot]Formula{}, map[Spot]trace.Outcome{}, map[Spot]bool{}, map[Spot]bool{}, map[Spot]bool{}, map[Spot][]Spot{}, map[Spot]int{}, map[Spot]trace.Scope{}},
		handedCalls: newHandedCalls(),
		reads:       map[Spot][]*termRead{},
		readingKeys: map[Spot]uint64{}, ambiguous: map[Spot]bool{}, usedElsewhere: map[Spot]bool{}, calls: map[*function][]call{}, spawnedFunctions: map[*function]bool{}, nilVariables: map[any]bool{}, reassignedMemory: map[any]bool{}, analysedPackages: map[string]bool{},
		callees: map[*function]map[*function]bool{}, conditionLeaves: map[ast.Expr]bool{}, choices: map[ast.Expr]*choice{}, assignedNames: map[position]bool{},
	}
}

// certainFacts returns what is certain: of two formulas for one place none is, and a value that
// goes anywhere but into formulas must stay as recorded.
func (v *derivation) certainFacts() *Facts {
	for s := range v.ambiguous {
		delete(v.formulas, s)
		delete(v.scopes, s)
	}
	for s := range v.usedElsewhere {
		delete(v.tracked, s)
	}
	facts := v.Facts
	return &facts
}

// readSyntax notes what the values of the expressions in a file's node n are for. The SSA
// form does not tell it any more: there a condition of an if and one that is assigned to a
// variable are the same jump.
func (v *derivation) readSyntax(fset *token.FileSet, n ast.Node) {
	assigned := func(xs ...ast.Expr) {
		for _, x := range xs {
			if x != nil {
				v.assignedNames[position{fset, x.Pos()}] = true
			}
		}
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		v.noteConditions(n.Cond, choiceOf(n))
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, clause := range n.Body.List {
				of := choiceIn(n, clause.(*ast.CaseClause))
				for _, x := range clause.(*ast.CaseClause).List {
					v.noteConditions(x, of)
				}
			}
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			v.noteConditions(n.Cond, nil)
		}
	case *ast.AssignStmt:
		assigned(n.Lhs...)
	case *ast.ValueSpec:
		for _, id := range n.Names {
			assigned(id)
		}
	case *ast.RangeStmt:
		assigned(n.Key, n.Value)
	}
}

// readingKey returns the key of the readings at s: its index in spots, plus one. The rewriter
// puts the key of the site in its place that s gets.
func (v *derivation) readingKey(s Spot) uint64 {
	n, ok := v.readingKeys[s]
	if !ok {
		v.spots = append(v.spots, s)
		n = uint64(len(v.spots))
		v.readingKeys[s] = n
	}
	return n
}

// A term is a formula in the making. Nil stands for a value of which no formula can
// speak: whatever is made of nil is nil, so that callers need not look.
type term struct {
	Formula
	sort sort // of a value of the program; number for what is computed
	// The values that the formula refers to. A term without reads has the same value in each run.
	reads    []*termRead
	operands []*termRead
}

// A termRead is a value that a term reads: a reading, which has an event in any case, or an
// operand, the value of a name, which gets an event only if a formula needs it.
type termRead struct {
	Spot
	function *function
	// executedOnce says that each call of in that returns comes by exactly once: then it can be
	// counted how many events came after it (countRepeatedCalls).
	executedOnce bool
	variable     any // the declared variable that is read, as variableOf names it; nil if unknown
	memory       any // the memory that is read, as sharing.Program.MemoryName names it
}

// A sort is what a number in a formula stands for. Two values can be compared if they are
// of one sort: a digest says nothing beside a length.
type sort uint8

// The sorts.
const (
	number    sort = iota // an integer, or a boolean as 0 or 1
	reference             // a pointer, map or channel, by its address
	text                  // a string, by a hash of its contents
	dynamic               // an interface, by a hash of what it holds
	length                // a slice, by its length
)

// sortOf returns the sort of values of type t; ok is false if formulas have none: floating
// point numbers, structs and arrays, and type parameters of which each instance may be
// another.
func sortOf(t types.Type) (s sort, ok bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsUntyped != 0:
		case info&types.IsString != 0:
			return text, true
		case info&(types.IsInteger|types.IsBoolean) != 0:
			return number, true
		}
	case *types.Pointer, *types.Map, *types.Chan:
		return reference, true
	case *types.Slice:
		return length, true
	case *types.Interface:
		_, generic := types.Unalias(t).(*types.TypeParam)
		return dynamic, !generic
	}
	return 0, false
}

// isSort reports whether formulas have values of type t, as one of the sorts.
func isSort(t types.Type, sorts ...sort) bool {
	s, ok := sortOf(t)
	return ok && slices.Contains(sorts, s)
}

// isWord reports whether values of sort s fit a word, so that events hold them as they are. For
// others events hold a digest or length, where a formula needs that (need.go).
func (s sort) isWord() bool { return s == number || s == reference }

// numberTerm is what a number of the source is.
func numberTerm(n int64) *term { return &term{Formula: Formula{Op: dataflow.Number, Constant: n}} }

// zeroTerm is what nil, false, 0 and "" are.
func zeroTerm(s sort) *term { return &term{sort: s, Formula: Formula{Op: dataflow.Number}} }

// join makes the term of an operation on others, nil if one of them is nil. It is a number
// or a boolean, whatever the sorts of these were.
func join(op dataflow.Op, args ...*term) *term {
	t := &term{Formula: Formula{Op: op}}
	for _, arg := range args {
		if arg == nil {
			return nil
		}
		t.Args = append(t.Args, arg.Formula)
		t.reads = append(t.reads, arg.reads...)
		t.operands = append(t.operands, arg.operands...)
	}
	return t
}

// A deriver makes the term of a value where a function uses it. Each call that the term follows
// has a deriver of its own, which counts down the same instructionsLeft.
type deriver struct {
	*analysis
	f *function
	// use is the instruction of f that is about to use the value. The term must hold
	// there: a reading that it has is the goroutine's last one at its place.
	use ssa.Instruction
	// params holds the terms of the arguments, where the term follows a call of f (see
	// inlinedResult); nil in the function that the term began in.
	params           map[*ssa.Parameter]*term
	instructionsLeft *int // of maxTermInstructions, for the whole term
	callDepth        int  // of such calls
}

// term returns what v follows from where use, an instruction of f, uses it; nil
// if that cannot be said.
func (a *analysis) term(f *function, use ssa.Instruction, v ssa.Value) *term {
	left := maxTermInstructions
	d := &deriver{analysis: a, f: f, use: use, instructionsLeft: &left}
	return d.term(v)
}

// term returns what v follows from, where d.use uses it.
func (d *deriver) term(v ssa.Value) *term {
	if *d.instructionsLeft--; *d.instructionsLeft < 0 {
		return nil
	}
	if c, ok := v.(*ssa.Const); ok {
		return constantTerm(c)
	}
	if p, ok := v.(*ssa.Parameter); ok && isTypeParam(p.Type()) {
		return d.handedParameter(p)
	}
	size, signed, ok := d.wordOf(v.Type())
	if !ok {
		return nil
	}
	t := d.valueTerm(v, size, signed)
	if t != nil {
		t.sort, _ = sortOf(v.Type())
	}
	return t
}

// valueTerm is term for a v of which formulas can speak: a reading, if an event reads v; else
// what it is computed from; else an operand. An operand is preferred to a computation
// without any reading: i+1 of a loop's variable is one event, not a formula of one.
func (d *deriver) valueTerm(v ssa.Value, size uint8, signed bool) *term {
	if d.isSentinel(v) {
		return d.operandTerm(v, size, signed)
	}
	if s, ok := d.readAt(d.f, v); ok {
		if s.Role == Atomics && !signed && size == 1 { // of an atomic.Bool, which is a number
			size = atomicBool
		}
		return d.readingTerm(v.(ssa.Instruction), s, size, signed)
	}
	t := d.computedTerm(v, size, signed)
	if t == nil || len(t.reads) == 0 && len(t.operands) > 0 {
		if whole := d.operandTerm(v, size, signed); whole != nil {
			return whole
		}
	}
	return t
}

// computedTerm is the term of a v that follows from others. What is not named here has none:
// to say nothing is always right, as the value then stays as it was recorded.
func (d *deriver) computedTerm(v ssa.Value, size uint8, signed bool) *term {
	switch x := v.(type) {
	case *ssa.Parameter:
		if t, ok := d.params[x]; ok {
			return t
		}
		if t := d.onlyCallArgument(x); t != nil {
			return t
		}
		return d.handedParameter(x)
	case *ssa.BinOp:
		return d.operationTerm(x)
	case *ssa.UnOp:
		switch x.Op {
		case token.NOT:
			return join(dataflow.Not, d.term(x.X))
		case token.SUB:
			return join(dataflow.Minus, numberTerm(0), d.term(x.X))
		case token.MUL:
			if s := lastStoreInBlock(x); s != nil {
				return d.term(s)
			}
		}
	case *ssa.Convert:
		// Only what keeps the number: no narrower type, and no unsigned one of a number
		// that may be negative.
		if from, fromSigned, ok := d.wordOf(x.X.Type()); ok && from <= size && size <= 8 && !isSort(x.Type(), text) && (signed || !fromSigned) {
			return d.term(x.X)
		}
	case *ssa.ChangeType:
		return d.term(x.X)
	case *ssa.ChangeInterface:
		return d.term(x.X)
	case *ssa.Slice:
		return d.sliceLengthTerm(x)
	case *ssa.MakeSlice:
		return d.term(x.Len)
	case *ssa.Call:
		if of := lengthOf(x); of != nil {
			return d.lengthTerm(of)
		}
		if base, more := appended(x); base != nil {
			return join(dataflow.Plus, d.term(base), d.lengthTerm(more))
		}
		if t, ok := d.comparisonTerm(x); ok {
			return t
		}
		// Of functions that unknown code calls, too, or that the source does not name, it is
		// what was handed over; of others rather what the body says, as that takes no events.
		if g := d.calledFunction(x); g == nil || g.calledFromOutside {
			if t := d.handedResult(x, 0); t != nil {
				return t
			}
		}
		if t := d.inlinedResult(x); t != nil {
			return t
		}
		return d.handedResult(x, 0)
	case *ssa.Extract:
		if c, ok := x.Tuple.(*ssa.Call); ok {
			return d.handedResult(c, x.Index)
		}
	}
	return nil
}

// comparingFunctions are functions of which it is known when they find two values equal: calls of
// them in conditions are as good as ==, where the values are numbers or strings, or are
// each time of one type.
var comparingFunctions = map[string]bool{
	"reflect.DeepEqual": true, "errors.Is": true,
	"github.com/google/go-cmp/cmp.Equal": true, "github.com/google/go-cmp/cmp.Diff": true,
}

// comparingFunction returns the name of what c calls if that is one of comparers, else "".
func comparingFunction(c *ssa.Call) string {
	if fn := c.Call.StaticCallee(); fn != nil && comparingFunctions[sharing.NameOf(fn)] {
		return sharing.NameOf(fn)
	}
	return ""
}

// comparisonTerm is the term of c, a call of one of comparers; ok is false if it is none. Where
// the operands have contents, a nil term says that nothing is known: reflect.DeepEqual of
// two pointers is about what they point to.
func (d *deriver) comparisonTerm(c *ssa.Call) (t *term, ok bool) {
	name := comparingFunction(c)
	if name == "" {
		return nil, false
	}
	var terms []*term
	handed := true
	for _, arg := range c.Call.Args[:2] {
		if m, ok := arg.(*ssa.MakeInterface); ok {
			arg = m.X
		}
		t := d.term(arg)
		terms = append(terms, t)
		handed = handed && t != nil && t.Op == dataflow.Handed && isAny(arg.Type())
	}
	switch {
	case name == "errors.Is":
		return sameInterface(terms), true
	case handed: // operands that were passed as values of one type each time
		t = join(dataflow.Equal, terms...)
	case terms[0] != nil && (terms[0].sort == number || terms[0].sort == text):
		t = equalValues(terms)
	}
	// It returns "" for what is equal, and else a text of which only that it is none matters.
	if strings.HasSuffix(name, ".Diff") {
		t = join(dataflow.If, t, zeroTerm(text), numberTerm(1))
	}
	return t, true
}

// lengthTerm is the term of the length of the slice v; nil if it is no slice.
func (d *deriver) lengthTerm(v ssa.Value) *term {
	if !isSort(v.Type(), length) {
		return nil
	}
	return d.term(v)
}

// sliceLengthTerm is the term of the length of x[low:high], high - low. Of strings there is none: a
// part's digest does not follow from that of the whole.
func (d *deriver) sliceLengthTerm(x *ssa.Slice) *term {
	var high *term
	switch t := x.X.Type().Underlying().(type) {
	case *types.Pointer:
		high = numberTerm(t.Elem().Underlying().(*types.Array).Len())
	case *types.Slice:
		if x.High == nil {
			high = d.term(x.X)
		}
	default:
		return nil // of a string
	}
	if x.High != nil {
		high = d.term(x.High)
	}
	if x.Low == nil {
		return high
	}
	return join(dataflow.Minus, high, d.term(x.Low))
}

// appended returns the operands of the call c if it is append(base, more...).
func appended(c *ssa.Call) (base, more ssa.Value) {
	if isBuiltin(c) && c.Call.Value.Name() == "append" && len(c.Call.Args) == 2 {
		return c.Call.Args[0], c.Call.Args[1]
	}
	return nil, nil
}

// wordOf returns the size in bytes of values of type t and whether they are signed
// numbers; false if formulas have no numbers for them. Sizes of more than 8 stand for
// values that have digests.
func (d *deriver) wordOf(t types.Type) (size uint8, signed, ok bool) {
	if _, ok := sortOf(t); !ok {
		return 0, false, false
	}
	u := t.Underlying()
	basic, _ := u.(*types.Basic)
	signed = basic != nil && basic.Info()&types.IsInteger != 0 && basic.Info()&types.IsUnsigned == 0
	return uint8(d.sizes.Sizeof(u)), signed, true
}

// constantTerm is the term of a constant; nil if no formula has such values: an integer
// beyond int64, a floating point number, or a string longer than digests are made of.
func constantTerm(c *ssa.Const) *term {
	if c.Value == nil {
		if s, ok := sortOf(c.Type()); ok {
			return zeroTerm(s) // nil
		}
		return nil
	}
	switch c.Value.Kind() {
	case constant.String:
		if s := constant.StringVal(c.Value); len(s) <= trace.MaxDigested {
			return &term{sort: text, Formula: Formula{Op: dataflow.Number, Constant: int64(trace.Digest(s))}}
		}
	case constant.Bool:
		if constant.BoolVal(c.Value) {
			return numberTerm(1)
		}
		return numberTerm(0)
	case constant.Int:
		if n, exact := constant.Int64Val(c.Value); exact {
			return numberTerm(n)
		}
	}
	return nil
}

// operators are the operations that formulas have by the same name. Others are made of
// these, with operands the other way round or a not, or have no term: a shift or a
// remainder is not linear.
var operators = map[token.Token]dataflow.Op{
	token.ADD: dataflow.Plus, token.SUB: dataflow.Minus, token.MUL: dataflow.Times,
	token.EQL: dataflow.Equal, token.LSS: dataflow.Less, token.LEQ: dataflow.LessEqual,
}

// operationTerm is the term of b. Only numbers and pointers have an order or can be added;
// strings and interfaces are equal or not, and the length of a slice does not say whether it
// is nil.
func (d *deriver) operationTerm(b *ssa.BinOp) *term {
	if t := d.emptyStringTerm(b); t != nil {
		return t
	}
	equality := b.Op == token.EQL || b.Op == token.NEQ
	if s, ok := sortOf(b.X.Type()); !equality && (!ok || !s.isWord()) || ok && s == length || !ok && !isTypeParam(b.X.Type()) {
		return nil
	}
	x, y := d.term(b.X), d.term(b.Y)
	if isNil(b.X) && fromAny(y, b.Y) || isNil(b.Y) && fromAny(x, b.X) {
		return nil
	}
	switch b.Op {
	case token.NEQ:
		return join(dataflow.Not, join(dataflow.Equal, x, y))
	case token.GTR:
		return join(dataflow.Less, y, x)
	case token.GEQ:
		return join(dataflow.LessEqual, y, x)
	case token.MUL:
		if x != nil && y != nil && len(x.reads) > 0 && len(y.reads) > 0 && !d.isInt64(b.Type()) {
			return nil // it may wrap around otherwise than formulas do
		}
	}
	op, ok := operators[b.Op]
	if !ok {
		return nil
	}
	return join(op, x, y)
}

// isInt64 reports whether t's values are signed numbers of 64 bits.
func (d *deriver) isInt64(t types.Type) bool {
	if isTypeParam(t) {
		return false
	}
	size, signed, ok := d.wordOf(t)
	return ok && signed && size == 8
}

// isNil reports whether v is the constant nil.
func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// fromAny reports whether t, of v, may be the number that an interface holds: one that was
// handed over is told without its type, so that 0 is not nil there.
func fromAny(t *term, v ssa.Value) bool {
	return t != nil && t.Op == dataflow.Handed && isAny(v.Type())
}

// emptyStringTerm is the term of a comparison of a string's length with 0: len(s) == 0 is the same
// as s == "", which digests tell. Of any other length they tell nothing.
func (d *deriver) emptyStringTerm(b *ssa.BinOp) *term {
	of, zero, op := lengthOf(b.X), b.Y, b.Op
	if of == nil {
		of, zero = lengthOf(b.Y), b.X
		op = map[token.Token]token.Token{token.EQL: op, token.NEQ: op, token.LSS: token.GTR}[op]
	}
	if c, ok := zero.(*ssa.Const); of == nil || !isSort(of.Type(), text) || !ok || c.Int64() != 0 {
		return nil
	}
	switch is := join(dataflow.Equal, d.term(of), numberTerm(0)); op {
	case token.EQL:
		return is
	case token.NEQ, token.GTR:
		return join(dataflow.Not, is)
	}
	return nil
}

// lengthOf returns the x of v if that is len(x), else nil.
func lengthOf(v ssa.Value) ssa.Value {
	if c, ok := v.(*ssa.Call); ok && isBuiltin(c) && c.Call.Value.Name() == "len" {
		return c.Call.Args[0]
	}
	return nil
}

// readingTerm is the term of instr, the value of which is read by the event at s, if that is
// still the goroutine's last one there at d.use.
func (d *deriver) readingTerm(instr ssa.Instruction, s Spot, size uint8, signed bool) *term {
	for _, other := range between(instr, d.use) {
		if d.mayCall(other, d.f) {
			return nil // another frame may come by there
		}
	}
	r := dataflow.Reading{Key: d.found.readingKey(s), Size: size, Signed: signed}
	return &term{Formula: Formula{Op: dataflow.Value, Read: r}, reads: []*termRead{{s, d.f, executesOnce(instr), readFrom(instr), d.readMemory(instr)}}}
}

// atomicBool is the size in bytes of what an atomic.Bool holds: a uint32, whatever the size
// of the boolean that its methods return.
const atomicBool = 4

// readAt returns where the event that reads v comes to be: at a load that others may see
// (package sharing's question), or an atomic operation that returns a number.
func (a *analysis) readAt(f *function, v ssa.Value) (Spot, bool) {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL || a.NeedsNoEvents(v.X) {
			return Spot{}, false
		}
		if pos := loadPos(v); pos.IsValid() {
			return Spot{f.fset, pos, Reads, 0}, true
		}
	case *ssa.Call:
		if op := atomicOp(v.Common()); op == "Load" || op == "Add" {
			return Spot{f.fset, v.Pos(), Atomics, 0}, true
		}
	}
	return Spot{}, false
}

// readFrom names the variable that instr, a load or atomic operation, reads.
func readFrom(instr ssa.Instruction) any {
	switch x := instr.(type) {
	case *ssa.UnOp:
		return variableOf(x.X)
	case *ssa.Call:
		return variableOf(x.Call.Args[0])
	}
	return nil
}

// loadPos returns the position of what v loads: its name, bracket or star, which is where
// the rewriter has the access. A load of a plain variable has no position in the SSA form;
// the debug reference to it has.
func loadPos(v *ssa.UnOp) token.Pos {
	switch x := v.X.(type) {
	case *ssa.FieldAddr:
		return x.Pos()
	case *ssa.IndexAddr:
		return x.Pos()
	}
	if v.Pos().IsValid() {
		return v.Pos()
	}
	for _, r := range *v.Referrers() {
		if ref, ok := r.(*ssa.DebugRef); ok && !ref.IsAddr {
			if id, ok := ref.Expr.(*ast.Ident); ok && ref.Block() == v.Block() {
				return id.Pos()
			}
		}
	}
	return token.NoPos
}

// lastStoreInBlock returns the value that a load of a variable, of which the address goes
// nowhere, finds: that of a store before it in its block. Results of functions
// with deferred calls are such variables, as recover may read and change them, which keeps
// the SSA form from lifting them into values.
func lastStoreInBlock(load *ssa.UnOp) ssa.Value {
	alloc, ok := load.X.(*ssa.Alloc)
	if !ok || alloc.Heap {
		return nil
	}
	var val ssa.Value
	for _, instr := range load.Block().Instrs {
		if instr == ssa.Instruction(load) {
			return val
		}
		if s, ok := instr.(*ssa.Store); ok && s.Addr == ssa.Value(alloc) {
			val = s.Val
		}
	}
	return nil
}

// operandTerm is the term of a value v of which only the trace can tell what it was,
// while no other goroutine has a say in it: its name, or the like, in the expression
// that uses it. A value that others can change (Unsure) must not become one: it would be as
// recorded in each schedule, and assertions would hold that fail.
func (d *deriver) operandTerm(v ssa.Value, size uint8, signed bool) *term {
	if d.DependsOnOthers(v) && !d.isSentinel(v) {
		return nil
	}
	pos := d.placeInUse(v)
	if c, ok := v.(*ssa.Call); !pos.IsValid() || ok && !isBuiltin(c) {
		return nil
	}
	s := Spot{d.f.fset, pos, Evaluates, 0}
	r := dataflow.Reading{Key: d.found.readingKey(s), Size: size, Signed: signed}
	return &term{Formula: Formula{Op: dataflow.Value, Read: r}, operands: []*termRead{{s, d.f, executesOnce(d.use), nil, nil}}}
}

// placeInUse returns where v stands in the expression that d.use uses: at the last
// place in the instructions before, by its name, operator or parenthesis. NoPos stands for
// a value that has no such place, as one that the compiler makes up for range.
func (d *deriver) placeInUse(v ssa.Value) token.Pos {
	var e ast.Expr
	for _, instr := range d.use.Block().Instrs {
		if instr == d.use {
			break
		}
		if ref, ok := instr.(*ssa.DebugRef); ok && ref.X == v && !ref.IsAddr {
			e = ref.Expr
		}
	}
	switch x := e.(type) {
	case *ast.Ident:
		if d.found.assignedNames[position{d.f.fset, x.Pos()}] {
			return token.NoPos
		}
	case *ast.SelectorExpr, *ast.CallExpr, *ast.BinaryExpr:
	default:
		return token.NoPos
	}
	return ValuePos(e)
}

// ValuePos returns where package ssa has accesses to x, and where events of its value come to
// be: at the name, bracket, parenthesis, operator or star.
func ValuePos(x ast.Expr) token.Pos {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		return x.Sel.Pos()
	case *ast.IndexExpr:
		return x.Lbrack
	case *ast.CallExpr:
		return x.Lparen
	case *ast.BinaryExpr:
		return x.OpPos
	default:
		return x.Pos()
	}
}

// isSentinel reports whether v is what a package variable such as io.EOF holds, an
// interface to which nothing is assigned but where it is declared. Of packages that
// are not analysed it is taken to be so.
func (a *analysis) isSentinel(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || !types.IsInterface(v.Type()) {
		return false
	}
	g, ok := load.X.(*ssa.Global)
	return ok && (!a.found.analysedPackages[g.Pkg.Pkg.Path()] || a.NeedsNoEvents(g) && !a.found.reassignedMemory[a.MemoryName(g)])
}

// atomicOp returns the name of the operation of package sync/atomic that c is, on
// a number or pointer: "Load", "Store", "Add" and so on; "" if it is none.
func atomicOp(c *ssa.CallCommon) string {
	fn := c.StaticCallee()
	if fn == nil {
		return ""
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || obj.Pkg().Path() != "sync/atomic" {
		return ""
	}
	recv := obj.Signature().Recv()
	if recv == nil {
		for _, op := range []string{"Load", "Store", "Add"} {
			if strings.HasPrefix(obj.Name(), op) {
				return op
			}
		}
		return ""
	}
	if ptr, ok := recv.Type().(*types.Pointer); ok {
		if named, ok := ptr.Elem().(*types.Named); ok && named.Obj().Name() != "Value" {
			return obj.Name()
		}
	}
	return ""
}

// isBuiltin reports whether c calls len, append or another function of the language.
func isBuiltin(c *ssa.Call) bool {
	_, ok := c.Call.Value.(*ssa.Builtin)
	return ok
}
