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
	ctx, err := z3.NewContext()
	require.NoError(t, err)
	t.Cleanup(ctx.Close)
	return ctx
}

// Each operator has the value that it has in Go.
func TestOperators(t *testing.T) {
	ctx := newContext(t)
	s := ctx.NewSolver()
	require.Equal(t, z3.True, s.Check())
	m := s.Model()
	defer m.Close()
	for _, a := range []bool{false, true} {
		for _, b := range []bool{false, true} {
			constant := map[bool]z3.AST{true: ctx.True(), false: ctx.True().Not()}
			p, q := constant[a], constant[b]
			for _, c := range []struct {
				name string
				term z3.AST
				want bool
			}{
				{"not", p.Not(), !a}, {"and", p.And(q), a && b}, {"iff", p.Iff(q), a == b}, {"implies", p.Implies(q), !a || b}, {"eq", p.Eq(q), a == b},
			} {
				require.Equal(t, c.want, m.Bool(c.term), "%s %v %v", c.name, a, b)
			}
		}
	}
	for _, x := range []int64{-3, 0, 5} {
		for _, y := range []int64{-3, 1, 5} {
			a, b := ctx.Number(x), ctx.Number(y)
			require.Equal(t, x <= y, m.Bool(a.Le(b)), "le %d %d", x, y)
			for _, c := range []struct {
				name string
				term z3.AST
				want int64
			}{{"add", a.Add(b, b), x + y + y}, {"mul", a.Mul(b), x * y}} {
				n, ok := m.Int(c.term)
				require.True(t, ok)
				require.Equal(t, c.want, n, "%s %d %d", c.name, x, y)
			}
		}
	}
	require.NoError(t, ctx.Err())
}

// Equal terms are one; numbers have any size.
func TestTermsAreValues(t *testing.T) {
	ctx := newContext(t)
	x, y := ctx.Int("x"), ctx.Int("y")
	require.True(t, x == ctx.Int("x"))
	require.False(t, x == y)
	require.True(t, x.Add(y) == ctx.Int("x").Add(y))
	require.Equal(t, "(+ x y)", x.Add(y).String())

	s := ctx.NewSolver()
	s.Assert(x.Eq(ctx.Number(math.MinInt64)), y.Eq(ctx.Number(math.MaxInt64).Add(ctx.Number(1))))
	require.Equal(t, z3.True, s.Check())
	m := s.Model()
	n, ok := m.Int(x)
	require.True(t, ok)
	require.EqualValues(t, math.MinInt64, n)
	_, ok = m.Int(y)
	require.False(t, ok, "no int64 holds it")
	require.NoError(t, ctx.Err())
}

// A model stays when the solver goes on.
func TestModelStays(t *testing.T) {
	ctx := newContext(t)
	x := ctx.Int("x")
	s := ctx.NewSolver()
	var models []*z3.Model
	for n := range int64(3) {
		s.Assert(ctx.Number(n).Le(x), ctx.Bool(fmt.Sprint(n)).Implies(x.Le(ctx.Number(n))))
		require.Equal(t, z3.True, s.Check(ctx.Bool(fmt.Sprint(n))))
		models = append(models, s.Model())
	}
	s.Close()
	for n, m := range models {
		found, ok := m.Int(x)
		require.True(t, ok)
		require.EqualValues(t, n, found)
		m.Close()
	}
	require.NoError(t, ctx.Err())
}

// The first mistake stays in its context, voids what follows, and ends nothing.
func TestFirstErrorStays(t *testing.T) {
	for _, c := range []struct {
		want string
		do   func(ctx *z3.Context, s *z3.Solver)
	}{
		{"sort", func(ctx *z3.Context, s *z3.Solver) { s.Assert(ctx.True().Add(ctx.True()).Le(ctx.True())) }},
		{"", func(ctx *z3.Context, s *z3.Solver) { s.Assert(ctx.Int("x")) }},
		{"", func(ctx *z3.Context, s *z3.Solver) { s.Model().Bool(ctx.True()) }},
		{"", func(ctx *z3.Context, s *z3.Solver) { ctx.EvalSMTLIB2String("(assert") }},
	} {
		ctx := newContext(t)
		s := ctx.NewSolver()
		c.do(ctx, s)
		require.ErrorContains(t, ctx.Err(), "z3: ")
		require.ErrorContains(t, ctx.Err(), c.want)
		first := ctx.Err()

		s.Assert(ctx.True().And(ctx.True()).Not())
		require.Equal(t, z3.Undef, s.Check())
		m := ctx.NewSolver().Model()
		require.False(t, m.Bool(ctx.True()))
		m.Close()
		s.Close()
		require.Equal(t, first, ctx.Err())
		ctx.Close()
		require.Equal(t, first, ctx.Err())
	}
}

// Closing twice and in any order is allowed, use after Close panics.
func TestUseAfterClose(t *testing.T) {
	ctx := newContext(t)
	x := ctx.Bool("x")
	closed, s := ctx.NewSolver(), ctx.NewSolver()
	require.Equal(t, z3.True, s.Check(x))
	closedModel, m := s.Model(), s.Model()
	closed.Close()
	closed.Close()
	closedModel.Close()
	closedModel.Close()
	for _, use := range []func(){
		func() { closed.Assert(x) }, func() { closed.Check() }, func() { closed.Model() },
		func() { closed.UnsatCore() }, func() { closed.ReasonUnknown() }, func() { closed.SetResourceLimit(1) }, func() { closed.Resources() },
	} {
		require.PanicsWithValue(t, "z3: use of a closed Solver", use)
	}
	for _, use := range []func(){func() { closedModel.Bool(x) }, func() { closedModel.Int(x) }} {
		require.PanicsWithValue(t, "z3: use of a closed Model", use)
	}
	require.True(t, m.Bool(x))

	ctx.Close()
	ctx.Close()
	s.Close()
	m.Close()
	for _, use := range []func(){
		func() { ctx.NewSolver() }, func() { ctx.True() }, func() { ctx.Int("y") }, func() { ctx.Bool("y") }, func() { ctx.EvalSMTLIB2String("") },
		func() { s.Assert(x) }, func() { m.Bool(x) }, func() { x.Not() }, func() { x.And(x) }, func() { x.Iff(x) }, func() { _ = x.String() },
	} {
		require.PanicsWithValue(t, "z3: use of a closed Context", use)
	}
}

// pigeons asserts that n+1 pigeons sit in n holes, each alone: what takes Z3 long to
// refute.
func pigeons(ctx *z3.Context, s *z3.Solver, n int) {
	sits := make([][]z3.AST, n+1)
	for p := range sits {
		for h := range n {
			sits[p] = append(sits[p], ctx.Bool(fmt.Sprint(p, " in ", h)))
			for other := range p {
				s.Assert(sits[p][h].And(sits[other][h]).Not())
			}
		}
		empty := make([]z3.AST, n)
		for h, here := range sits[p] {
			empty[h] = here.Not()
		}
		s.Assert(empty[0].And(empty[1:]...).Not())
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
	var all sync.WaitGroup
	for g := range int64(16) {
		all.Go(func() {
			for round := range int64(5) {
				ctx, err := z3.NewContext()
				if err != nil {
					t.Errorf("goroutine %d: %v", g, err)
					return
				}
				s := ctx.NewSolver()
				x, y := ctx.Int("x"), ctx.Int("y")
				product := (g + 2) * (round + 3)
				s.Assert(x.Add(y).Eq(ctx.Number(product)), x.Eq(y.Add(ctx.Number(product%2))))
				if s.Check() != z3.True {
					t.Errorf("goroutine %d: expected True: %v", g, ctx.Err())
				} else if n, _ := s.Model().Int(x); n != (product+1)/2 {
					t.Errorf("goroutine %d: expected %d, found %d", g, (product+1)/2, n)
				}
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
			s.Check(ctx.Bool("x"))
			s.UnsatCore()
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
