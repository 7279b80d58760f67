//go:build z3 && (linux || darwin) && (amd64 || arm64) && !noz3

package z3_test

import (
	"fmt"
	"log"

	"github.com/gopredict/gopredict/analysis/solver/z3"
)

// Three legs of a journey take 13 hours together; the second one is twice as long
// as the first, and no two take the same time.
func Example() {
	config, err := z3.NewConfig()
	if err != nil {
		log.Fatal(err) // it says what to install
	}
	ctx := z3.NewContext(config)
	config.Close()
	defer ctx.Close()

	s := ctx.NewSolver()
	defer s.Close()

	hours := func(n int64) z3.AST { return ctx.Int(n, ctx.IntSort()) }
	first := ctx.Const(ctx.Symbol("first"), ctx.IntSort())
	second := ctx.Const(ctx.Symbol("second"), ctx.IntSort())
	third := ctx.Const(ctx.Symbol("third"), ctx.IntSort())

	s.Assert(first.Add(second, third).Eq(hours(13)))
	s.Assert(second.Eq(hours(2).Mul(first)))
	s.Assert(first.Distinct(second, third))
	s.Assert(first.Gt(hours(0)), third.Gt(hours(0)), third.Lt(first))

	if s.Check() != z3.True {
		log.Fatal("no such journey: ", ctx.Err())
	}
	m := s.Model()
	defer m.Close()
	values := m.Assignments()
	for _, leg := range []string{"first", "second", "third"} {
		fmt.Println(leg, values[leg])
	}

	// Output:
	// first 4
	// second 8
	// third 1
}

// What holds in every case is what cannot fail: its negation contradicts itself.
func ExampleSolver_Check() {
	config, err := z3.NewConfig()
	if err != nil {
		log.Fatal(err)
	}
	defer config.Close()
	ctx := z3.NewContext(config)
	defer ctx.Close()

	var at []z3.AST // when three events happen
	for _, name := range []string{"send", "receive", "close"} {
		at = append(at, ctx.Const(ctx.Symbol(name), ctx.IntSort()))
	}
	transitive := at[0].Lt(at[1]).And(at[1].Lt(at[2])).Implies(at[0].Lt(at[2]))

	s := ctx.NewSolver()
	s.Assert(transitive.Not())
	fmt.Println(s.Check())

	// Output:
	// False
}

// One solver answers many questions: what is assumed is so for one check, and what
// is asserted on a level goes with it.
func ExampleSolver_UnsatCore() {
	config, err := z3.NewConfig()
	if err != nil {
		log.Fatal(err)
	}
	defer config.Close()
	ctx := z3.NewContext(config)
	defer ctx.Close()

	toss := func(name string) z3.AST { return ctx.Const(ctx.Symbol(name), ctx.BoolSort()) }
	rain, umbrella, wet := toss("rain"), toss("umbrella"), toss("wet")

	s := ctx.NewSolver()
	s.Assert(rain.And(umbrella.Not()).Implies(wet))

	s.Push()
	s.Assert(umbrella.Not())
	fmt.Println(s.Check(rain, wet.Not()), s.UnsatCore())
	s.Pop(1)
	fmt.Println(s.Check(rain, wet.Not()))

	// Output:
	// False [rain (not wet)]
	// True
}
