package sharing

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gopredict/gopredict/recorder/trace"
)

// assertions are the functions of testify's packages assert and require of which
// it is known when they hold: by how many operands, and what about them.
var assertions = map[string]struct {
	operands int
	holds    func(x []*term) *term
}{
	"Equal":          {2, func(x []*term) *term { return join(trace.Equal, x[0], x[1]) }},
	"EqualValues":    {2, func(x []*term) *term { return join(trace.Equal, x[0], x[1]) }},
	"Exactly":        {2, func(x []*term) *term { return join(trace.Equal, x[0], x[1]) }},
	"NotEqual":       {2, func(x []*term) *term { return join(trace.Not, join(trace.Equal, x[0], x[1])) }},
	"Greater":        {2, func(x []*term) *term { return join(trace.Less, x[1], x[0]) }},
	"GreaterOrEqual": {2, func(x []*term) *term { return join(trace.LessEqual, x[1], x[0]) }},
	"Less":           {2, func(x []*term) *term { return join(trace.Less, x[0], x[1]) }},
	"LessOrEqual":    {2, func(x []*term) *term { return join(trace.LessEqual, x[0], x[1]) }},
	"True":           {1, func(x []*term) *term { return x[0] }},
	"False":          {1, func(x []*term) *term { return join(trace.Not, x[0]) }},
	"Nil":            {1, func(x []*term) *term { return join(trace.Equal, x[0], numberTerm(0)) }},
	"NotNil":         {1, func(x []*term) *term { return join(trace.Not, join(trace.Equal, x[0], numberTerm(0))) }},
	"Zero":           {1, func(x []*term) *term { return join(trace.Equal, x[0], numberTerm(0)) }},
	"NotZero":        {1, func(x []*term) *term { return join(trace.Not, join(trace.Equal, x[0], numberTerm(0))) }},
	"Positive":       {1, func(x []*term) *term { return join(trace.Less, numberTerm(0), x[0]) }},
	"Negative":       {1, func(x []*term) *term { return join(trace.Less, x[0], numberTerm(0)) }},
}

// Assertion says which operands an assertion of testify is about: those from
// first on, n of them. ok is false if fn is no assertion that is known.
func Assertion(fn *types.Func) (first, n int, ok bool) {
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

// assertion returns the condition that the call c asserts, and its operands as
// the callee gets them; nil if it is none.
func (a *analysis) assertion(f *function, c *ssa.Call) (*term, []ssa.Value) {
	args := asserted(c)
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
		if m, ok := arg.(*ssa.MakeInterface); ok {
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

// hasContents reports whether v is a pointer or map of which an assertion compares,
// with another one, what is in it: that they are two says nothing. Nil has none.
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

// asserted returns the operands of the assertion c, nil if it is none.
func asserted(c *ssa.Call) []ssa.Value {
	fn := c.Call.StaticCallee()
	if fn == nil {
		return nil
	}
	obj, _ := fn.Object().(*types.Func)
	first, n, ok := Assertion(obj)
	if !ok {
		return nil
	}
	if obj.Signature().Recv() != nil {
		first++ // ssa counts the receiver
	}
	return c.Call.Args[first : first+n]
}

// failing reports whether b makes the test fail, or panics, whatever it does
// otherwise.
func failing(b *ssa.BasicBlock) bool {
	for _, instr := range b.Instrs {
		switch instr := instr.(type) {
		case *ssa.Panic:
			return true
		case *ssa.Call:
			if failsTest(&instr.Call) {
				return true
			}
		}
	}
	return false
}

// failsTest reports whether c makes the test fail.
func failsTest(c *ssa.CallCommon) bool {
	obj := c.Method
	if fn := c.StaticCallee(); fn != nil {
		obj, _ = fn.Object().(*types.Func)
	}
	if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != "testing" {
		return false
	}
	switch obj.Name() {
	case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
		return true
	}
	return false
}
