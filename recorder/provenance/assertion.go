package provenance

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// assertions are the functions of testify's packages assert and require of which
// it is known when they hold: by how many operands, and what about them. The condition is
// written over the operands' terms, for require.Less(t, n, 10) as (< @n 10). Where testify
// compares something that formulas have not, or converts before it does, holds returns nil,
// and the assertion is one of which no formula tells. Names with f at the end, such as
// Equalf, are the same.
var assertions = map[string]struct {
	operands int
	holds    func(x []*term) *term
}{
	"Equal":          {2, equalValues},
	"EqualValues":    {2, equalValues},
	"Exactly":        {2, equalValues},
	"NotEqual":       {2, negated(equalValues)},
	"Greater":        {2, func(x []*term) *term { return join(dataflow.Less, withSort(x[1], number), withSort(x[0], number)) }},
	"GreaterOrEqual": {2, func(x []*term) *term { return join(dataflow.LessEqual, withSort(x[1], number), withSort(x[0], number)) }},
	"Less":           {2, func(x []*term) *term { return join(dataflow.Less, withSort(x[0], number), withSort(x[1], number)) }},
	"LessOrEqual":    {2, func(x []*term) *term { return join(dataflow.LessEqual, withSort(x[0], number), withSort(x[1], number)) }},
	"True":           {1, func(x []*term) *term { return withSort(x[0], number) }},
	"False":          {1, func(x []*term) *term { return join(dataflow.Not, withSort(x[0], number)) }},
	"Nil":            {1, isZero(number, reference, dynamic)},
	"NotNil":         {1, negated(isZero(number, reference, dynamic))},
	"Zero":           {1, isZero(number, reference, text)},
	"NotZero":        {1, negated(isZero(number, reference, text))},
	"Empty":          {1, isZero(number, text, length)},
	"NotEmpty":       {1, negated(isZero(number, text, length))},
	"Len":            {2, func(x []*term) *term { return join(dataflow.Equal, withSort(x[0], length), withSort(x[1], number)) }},
	"NoError":        {1, isZero(dynamic)},
	"Error":          {1, negated(isZero(dynamic))},
	"ErrorIs":        {2, sameInterface},
	"NotErrorIs":     {2, negated(sameInterface)},
	"Positive":       {1, func(x []*term) *term { return join(dataflow.Less, numberTerm(0), withSort(x[0], number)) }},
	"Negative":       {1, func(x []*term) *term { return join(dataflow.Less, withSort(x[0], number), numberTerm(0)) }},
}

// withSort returns t if it is of one of the sorts, else nil.
func withSort(t *term, sorts ...sort) *term {
	if t == nil || !slices.Contains(sorts, t.sort) {
		return nil
	}
	return t
}

// equalValues is whether two values of one sort are the same. Of interfaces one must be
// nil: of others the contents are compared.
func equalValues(x []*term) *term {
	switch {
	case x[0] == nil || withSort(x[1], x[0].sort) == nil || x[0].sort == length:
		return nil
	case x[0].sort == dynamic && x[0].Op != dataflow.Number && x[1].Op != dataflow.Number:
		return nil
	}
	return join(dataflow.Equal, x[0], x[1])
}

// sameInterface is equal for interfaces. An error may also be another one that is wrapped
// around it: a run in which it is turns out to have no failure when it is replayed.
func sameInterface(x []*term) *term {
	return join(dataflow.Equal, withSort(x[0], dynamic), withSort(x[1], dynamic))
}

// isZero is whether a value of one of the sorts is nil, false, 0, "" or of length 0.
func isZero(sorts ...sort) func(x []*term) *term {
	return func(x []*term) *term { return join(dataflow.Equal, withSort(x[0], sorts...), numberTerm(0)) }
}

// negated is the opposite of what holds says; nil where that says nothing.
func negated(holds func(x []*term) *term) func(x []*term) *term {
	return func(x []*term) *term { return join(dataflow.Not, holds(x)) }
}

// AssertedOperands says which operands an assertion of testify is about: those from
// first on, n of them. ok is false if fn is no assertion that is known.
func AssertedOperands(fn *types.Func) (first, n int, ok bool) {
	if fn == nil || fn.Pkg() == nil {
		return 0, 0, false
	}
	path, name := fn.Pkg().Path(), fn.Name()
	if path != testifyPath+"assert" && path != testifyPath+"require" {
		return 0, 0, false
	}
	a, known := assertions[name]
	if !known {
		a, known = assertions[strings.TrimSuffix(name, "f")]
	}
	if !known {
		return 0, 0, false
	}
	if fn.Signature().Recv() == nil {
		first = 1 // after the test
	}
	return first, a.operands, true
}

// assertionTerm returns the condition that the call c asserts, and its operands as
// the callee gets them; nil if it is none. The operands are interfaces there: the term is
// that of what was put into them.
func (a *analysis) assertionTerm(f *function, c *ssa.Call) (*term, []ssa.Value) {
	args := assertedValues(c)
	if args == nil {
		return nil, nil
	}
	name := c.Call.StaticCallee().Name()
	info, ok := assertions[name]
	if !ok {
		info = assertions[strings.TrimSuffix(name, "f")]
	}
	var terms []*term
	deep := len(args) == 2
	for _, arg := range args {
		switch m := arg.(type) {
		case *ssa.MakeInterface:
			arg = m.X
		case *ssa.ChangeInterface:
			arg = m.X
		}
		deep = deep && hasContents(arg)
		terms = append(terms, a.term(f, c, arg))
	}
	if deep {
		return nil, args
	}
	return info.holds(terms), args
}

// hasContents reports whether v is a pointer or map. Of two of them assertions compare
// what is in them: that they are not the same one says nothing. Nil has none.
func hasContents(v ssa.Value) bool {
	if c, ok := v.(*ssa.Const); ok && c.IsNil() {
		return false
	}
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Map:
		return true
	}
	return false
}

// assertedValues returns the operands of the assertion c, nil if it is none.
func assertedValues(c *ssa.Call) []ssa.Value {
	fn := c.Call.StaticCallee()
	if fn == nil {
		return nil
	}
	obj, _ := fn.Object().(*types.Func)
	first, n, ok := AssertedOperands(obj)
	if !ok {
		return nil
	}
	if obj.Signature().Recv() != nil {
		first++ // ssa counts the receiver
	}
	return c.Call.Args[first : first+n]
}

// failsTest reports whether b panics or makes the test fail, by t.Error or the like.
func failsTest(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool { return failingMethod(instr) != "" })
}

// stopsGoroutine reports whether b, which makes the test fail, ends the goroutine: a predicted
// run has no events of it behind that. After t.Error it goes on.
func stopsGoroutine(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
		return slices.Contains([]string{"panic", "Fatal", "Fatalf", "FailNow"}, failingMethod(instr))
	})
}

// EndsGoroutine reports whether a failure of the assertion fn of testify ends the goroutine.
func EndsGoroutine(fn *types.Func) bool { return fn.Pkg().Path() == testifyPath+"require" }

// failingMethod returns by which method of package testing instr makes the test fail, "panic"
// for a panic, and "" if it does neither.
func failingMethod(instr ssa.Instruction) string {
	c, ok := instr.(*ssa.Call)
	if !ok {
		if _, panics := instr.(*ssa.Panic); panics {
			return "panic"
		}
		return ""
	}
	obj := c.Call.Method
	if fn := c.Call.StaticCallee(); fn != nil {
		obj, _ = fn.Object().(*types.Func)
	}
	if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != "testing" {
		return ""
	}
	switch obj.Name() {
	case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
		return obj.Name()
	}
	return ""
}
