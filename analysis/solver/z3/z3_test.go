//go:build z3 && (linux || darwin) && (amd64 || arm64) && !noz3

package z3_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/solver/z3"
)

// newContext returns a context, closed when the test ends.
func newContext(t testing.TB) *z3.Context {
	config, err := z3.NewConfig()
	require.NoError(t, err)
	defer config.Close()
	ctx := z3.NewContext(config)
	t.Cleanup(ctx.Close)
	return ctx
}

func ints(ctx *z3.Context, names ...string) (all []z3.AST) {
	for _, name := range names {
		all = append(all, ctx.Const(ctx.Symbol(name), ctx.IntSort()))
	}
	return all
}

func bools(ctx *z3.Context, names ...string) (all []z3.AST) {
	for _, name := range names {
		all = append(all, ctx.Const(ctx.Symbol(name), ctx.BoolSort()))
	}
	return all
}

// Each operator has the value that it has in Go.
func TestOperators(t *testing.T) {
	ctx := newContext(t)
	s := ctx.NewSolver()
	require.Equal(t, z3.True, s.Check())
	m := s.Model()
	defer m.Close()
	constant := map[bool]z3.AST{true: ctx.True(), false: ctx.False()}
	lifted := map[bool]z3.LBool{true: z3.True, false: z3.False}
	for _, a := range []bool{false, true} {
		for _, b := range []bool{false, true} {
			p, q := constant[a], constant[b]
			for _, c := range []struct {
				name string
				term z3.AST
				want bool
			}{
				{"not", p.Not(), !a}, {"and", p.And(q), a && b}, {"or", p.Or(q), a || b}, {"xor", p.Xor(q), a != b},
				{"iff", p.Iff(q), a == b}, {"implies", p.Implies(q), !a || b}, {"eq", p.Eq(q), a == b},
				{"ite", p.Ite(q, q.Not()), a == b},
			} {
				require.Equal(t, lifted[c.want], m.Eval(c.term).Bool(), "%s %v %v", c.name, a, b)
			}
		}
	}
	number := func(n int64) z3.AST { return ctx.Int(n, ctx.IntSort()) }
	for _, x := range []int64{-3, 0, 5} {
		for _, y := range []int64{-3, 1, 5} {
			a, b := number(x), number(y)
			for _, c := range []struct {
				name string
				term z3.AST
				want bool
			}{
				{"lt", a.Lt(b), x < y}, {"le", a.Le(b), x <= y}, {"gt", a.Gt(b), x > y}, {"ge", a.Ge(b), x >= y},
				{"distinct", a.Distinct(b), x != y},
			} {
				require.Equal(t, lifted[c.want], m.Eval(c.term).Bool(), "%s %d %d", c.name, x, y)
			}
			for _, c := range []struct {
				name string
				term z3.AST
				want int64
			}{
				{"add", a.Add(b, b), x + y + y}, {"sub", a.Sub(b, a), x - y - x}, {"mul", a.Mul(b), x * y},
				{"ite", a.Lt(b).Ite(a, b), min(x, y)},
			} {
				n, ok := m.Eval(c.term).Int()
				require.True(t, ok)
				require.Equal(t, c.want, n, "%s %d %d", c.name, x, y)
			}
		}
	}
	require.NoError(t, ctx.Err())
}

// Equal terms are one; a name is one symbol; numbers have any size.
func TestTermsAreValues(t *testing.T) {
	ctx := newContext(t)
	x := ints(ctx, "x", "x", "y")
	require.True(t, x[0] == x[1])
	require.False(t, x[0] == x[2])
	require.True(t, x[0].Add(x[2]) == x[1].Add(x[2]))
	require.Equal(t, "(+ x y)", x[0].Add(x[2]).String())
	require.Equal(t, "a |b| \xff", ctx.Symbol("a |b| \xff").String())

	n, ok := ctx.Int(math.MinInt64, ctx.IntSort()).Int()
	require.True(t, ok)
	require.EqualValues(t, math.MinInt64, n)
	_, ok = x[0].Int()
	require.False(t, ok)
	require.Equal(t, z3.Undef, x[0].Bool())

	s := ctx.NewSolver()
	s.Assert(x[0].Eq(ctx.Int(math.MaxInt64, ctx.IntSort()).Add(ctx.Int(1, ctx.IntSort()))))
	require.Equal(t, z3.True, s.Check())
	m := s.Model()
	require.Equal(t, "9223372036854775808", m.Eval(x[0]).String())
	require.Contains(t, m.String(), "9223372036854775808")
	_, ok = m.Eval(x[0]).Int()
	require.False(t, ok, "no int64 holds it")
	require.NoError(t, ctx.Err())
}

func TestLevels(t *testing.T) {
	ctx := newContext(t)
	p := bools(ctx, "p", "q")
	s := ctx.NewSolver()
	s.Assert(p[0].Or(p[1]))
	s.Push()
	s.Assert(p[0].Not())
	s.Push()
	s.Assert(p[1].Not())
	require.Equal(t, z3.False, s.Check())
	require.Empty(t, s.UnsatCore())
	s.Pop(1)
	require.Equal(t, z3.True, s.Check())
	require.Equal(t, z3.False, s.Check(p[1].Not()))
	s.Pop(1)
	require.Equal(t, z3.True, s.Check(p[1].Not()))
	require.NoError(t, ctx.Err())
}

// A model stays when the solver goes on.
func TestModelStays(t *testing.T) {
	ctx := newContext(t)
	x := ints(ctx, "x")[0]
	s := ctx.NewSolver()
	var models []*z3.Model
	for n := range int64(3) {
		s.Push()
		s.Assert(x.Eq(ctx.Int(n, ctx.IntSort())))
		require.Equal(t, z3.True, s.Check())
		models = append(models, s.Model())
		s.Pop(1)
	}
	s.Close()
	for n, m := range models {
		found, ok := m.Eval(x).Int()
		require.True(t, ok)
		require.EqualValues(t, n, found)
		require.Equal(t, fmt.Sprint(n), m.Assignments()["x"].String())
		m.Close()
	}
	require.NoError(t, ctx.Err())
}

// The first mistake stays in its context, voids what follows, and ends nothing.
func TestFirstErrorStays(t *testing.T) {
	other := newContext(t)
	for _, c := range []struct {
		want string
		do   func(ctx *z3.Context, s *z3.Solver)
	}{
		{"sort", func(ctx *z3.Context, s *z3.Solver) { s.Assert(ctx.True().Add(ctx.True()).Lt(ctx.True())) }},
		{"", func(ctx *z3.Context, s *z3.Solver) { s.Assert(ints(ctx, "x")[0]) }},
		{"", func(ctx *z3.Context, s *z3.Solver) { s.Pop(1) }},
		{"", func(ctx *z3.Context, s *z3.Solver) { s.Model().Eval(ctx.True()) }},
		{"", func(ctx *z3.Context, s *z3.Solver) { ctx.EvalSMTLIB2String("(assert") }},
		{"expected a name without zero bytes", func(ctx *z3.Context, s *z3.Solver) { bools(ctx, "a\x00b") }},
		{"another one", func(ctx *z3.Context, s *z3.Solver) { s.Assert(other.True()) }},
		{"another one", func(ctx *z3.Context, s *z3.Solver) { s.Check(other.True()) }},
		{"another one", func(ctx *z3.Context, s *z3.Solver) { ctx.True().And(other.True()) }},
		{"another one", func(ctx *z3.Context, s *z3.Solver) { ctx.True().Iff(other.True()) }},
		{"another one", func(ctx *z3.Context, s *z3.Solver) { ctx.True().Ite(ctx.True(), other.True()) }},
		{"another one", func(ctx *z3.Context, s *z3.Solver) { ctx.Const(ctx.Symbol("x"), other.IntSort()) }},
		{"another one", func(ctx *z3.Context, s *z3.Solver) { ctx.Int(1, other.IntSort()) }},
	} {
		ctx := newContext(t)
		s := ctx.NewSolver()
		c.do(ctx, s)
		require.ErrorContains(t, ctx.Err(), "z3: ")
		require.ErrorContains(t, ctx.Err(), c.want)
		first := ctx.Err()

		s.Push()
		s.Assert(ctx.False().And(ctx.True()).Not())
		require.Equal(t, z3.Undef, s.Check())
		m := ctx.NewSolver().Model()
		require.Empty(t, m.Assignments())
		require.Empty(t, m.Eval(ctx.True()).String())
		m.Close()
		s.Close()
		require.Equal(t, first, ctx.Err())
		ctx.Close()
		require.Equal(t, first, ctx.Err())
	}
	require.NoError(t, other.Err())
}

// Closing twice and in any order is allowed, use after Close panics.
func TestUseAfterClose(t *testing.T) {
	config, err := z3.NewConfig()
	require.NoError(t, err)
	config.SetParamValue("model", "true")
	ctx := z3.NewContext(config)
	config.Close()
	config.Close()
	require.PanicsWithValue(t, "z3: use of a closed Config", func() { z3.NewContext(config) })
	require.PanicsWithValue(t, "z3: use of a closed Config", func() { config.SetParamValue("model", "true") })

	x, symbol := bools(ctx, "x")[0], ctx.Symbol("x")
	closed, s := ctx.NewSolver(), ctx.NewSolver()
	require.Equal(t, z3.True, s.Check(x))
	closedModel, m := s.Model(), s.Model()
	closed.Close()
	closed.Close()
	closedModel.Close()
	closedModel.Close()
	for _, use := range []func(){
		closed.Push, func() { closed.Pop(1) }, func() { closed.Assert(x) }, func() { closed.Check() }, func() { closed.Model() },
		func() { closed.UnsatCore() }, func() { closed.ReasonUnknown() }, func() { closed.SetResourceLimit(1) }, func() { closed.Resources() },
	} {
		require.PanicsWithValue(t, "z3: use of a closed Solver", use)
	}
	for _, use := range []func(){func() { closedModel.Eval(x) }, func() { closedModel.Assignments() }, func() { _ = closedModel.String() }} {
		require.PanicsWithValue(t, "z3: use of a closed Model", use)
	}
	require.Equal(t, z3.True, m.Eval(x).Bool())

	ctx.Close()
	ctx.Close()
	s.Close()
	m.Close()
	for _, use := range []func(){
		func() { ctx.NewSolver() }, func() { ctx.True() }, func() { ctx.False() }, func() { ctx.IntSort() }, func() { ctx.BoolSort() },
		func() { ctx.Symbol("y") }, func() { ctx.EvalSMTLIB2String("") }, func() { _ = symbol.String() },
		func() { s.Push() }, func() { m.Eval(x) }, func() { x.Not() }, func() { x.And(x) }, func() { x.Iff(x) }, func() { x.Ite(x, x) },
		func() { x.Int() }, func() { x.Bool() }, func() { _ = x.String() }, func() { z3.AST{}.Not() }, func() { z3.AST{}.And() },
	} {
		require.PanicsWithValue(t, "z3: use of a closed Context, or of something that no Context has made", use)
	}
}

// pigeons asserts that n+1 pigeons sit in n holes, each alone: what takes Z3 long to
// refute.
func pigeons(ctx *z3.Context, s *z3.Solver, n int) {
	sits := make([][]z3.AST, n+1)
	for p := range sits {
		for h := range n {
			sits[p] = append(sits[p], bools(ctx, fmt.Sprint(p, " in ", h))...)
			for other := range p {
				s.Assert(sits[p][h].And(sits[other][h]).Not())
			}
		}
		s.Assert(sits[p][0].Or(sits[p][1:]...))
	}
}

func TestLimitsAndInterrupts(t *testing.T) {
	ctx := newContext(t)
	s := ctx.NewSolver()
	pigeons(ctx, s, 11)
	s.SetResourceLimit(10_000)
	before := s.Resources()
	require.Equal(t, z3.Undef, s.Check())
	require.NotEmpty(t, s.ReasonUnknown())
	require.Less(t, s.Resources()-before, uint32(20_000))

	s.SetResourceLimit(0)
	answered, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-answered:
				return
			default:
				ctx.Interrupt()
			}
		}
	}()
	require.Equal(t, z3.Undef, s.Check())
	close(answered)
	<-stopped
	require.NoError(t, ctx.Err())
}

// Each goroutine has a context of its own, and gets its own answers.
func TestManyAtOnce(t *testing.T) {
	config, err := z3.NewConfig()
	require.NoError(t, err)
	defer config.Close()
	var all sync.WaitGroup
	for g := range int64(16) {
		all.Go(func() {
			for round := range int64(5) {
				ctx := z3.NewContext(config)
				s := ctx.NewSolver()
				x := ints(ctx, "x", "y")
				product := (g + 2) * (round + 3)
				s.Assert(x[0].Add(x[1]).Eq(ctx.Int(product, ctx.IntSort())), x[0].Sub(x[1]).Eq(ctx.Int(product%2, ctx.IntSort())))
				if s.Check() != z3.True {
					t.Errorf("goroutine %d: expected True: %v", g, ctx.Err())
				} else if n, _ := s.Model().Eval(x[0]).Int(); n != (product+1)/2 {
					t.Errorf("goroutine %d: expected %d, found %d", g, (product+1)/2, n)
				}
				s.Push()
				pigeons(ctx, s, 5)
				if answer := s.Check(); answer != z3.False {
					t.Errorf("goroutine %d: expected False, found %v: %v", g, answer, ctx.Err())
				}
				ctx.Close()
			}
		})
	}
	all.Wait()
}

// What a closed context held is there for the next one, and checks and models leave
// nothing behind but terms.
func TestMemoryIsFreed(t *testing.T) {
	allocated := newContext(t).Allocated
	held := func() int { return int(allocated()) } // it may be less than before, as other tests have left contexts
	use := func() (most int) {
		ctx := newContext(t)
		defer ctx.Close()
		s := ctx.NewSolver()
		pigeons(ctx, s, 3)
		for range 50 {
			s.Push()
			s.Assert(ints(ctx, "x")[0].Gt(ctx.Int(7, ctx.IntSort())))
			s.Check()
			s.UnsatCore()
			s.Pop(1)
		}
		fresh := ctx.NewSolver()
		for range 50 {
			fresh.Check()
			fresh.Model().Close()
		}
		return held()
	}
	start := held()
	first := use() - start
	for range 10 {
		most := use() - start
		require.Less(t, most, 2*first)
	}
	require.Less(t, held()-start, first/2)
}

func TestNamesOfAnswers(t *testing.T) {
	require.Equal(t, "False Undef True", fmt.Sprint(z3.False, z3.Undef, z3.True))
}
