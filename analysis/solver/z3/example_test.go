//go:build z3 && (linux || darwin) && (amd64 || arm64) && !noz3

package z3_test

import (
	"fmt"
	"log"

	"github.com/gopredict/gopredict/analysis/solver/z3"
)

// Two legs of a journey take 13 hours together; the second one is at least twice as long as the
// first, which takes 4 hours or more.
func Example() {
	ctx, err := z3.NewContext()
	if err != nil {
		log.Fatal(err) // it says what to install
	}
	defer ctx.Close()

	s := ctx.NewSolver()
	defer s.Close()

	first, second := ctx.Int("first"), ctx.Int("second")
	s.Assert(first.Add(second).Eq(ctx.Number(13)))
	s.Assert(ctx.Number(2).Mul(first).Le(second), ctx.Number(4).Le(first))

	if s.Check() != z3.True {
		log.Fatal("no such journey: ", ctx.Err())
	}
	m := s.Model()
	defer m.Close()
	for _, leg := range []z3.AST{first, second} {
		hours, _ := m.Int(leg)
		fmt.Println(leg, hours)
	}

	// Output:
	// first 4
	// second 9
}

// One solver answers many questions: what is assumed is so for one check.
func ExampleSolver_UnsatCore() {
	ctx, err := z3.NewContext()
	if err != nil {
		log.Fatal(err)
	}
	defer ctx.Close()

	rain, umbrella, wet := ctx.Bool("rain"), ctx.Bool("umbrella"), ctx.Bool("wet")

	s := ctx.NewSolver()
	s.Assert(rain.And(umbrella.Not()).Implies(wet))
	fmt.Println(s.Check(rain, umbrella.Not(), wet.Not()) == z3.False, s.UnsatCore())
	fmt.Println(s.Check(rain, wet.Not()) == z3.True)

	// Output:
	// true [rain (not umbrella) (not wet)]
	// true
}
