package solver

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// question is a formula and what is asserted.
type question struct {
	f      *Formula
	assert []Bool
}

// pigeons says that n+1 pigeons sit in n holes, each alone.
func pigeons(n int) question {
	f := NewFormula()
	q := question{f: f}
	in := func(pigeon, hole int) Bool { return f.Bool(fmt.Sprint(pigeon, " in ", hole)) }
	for p := range n + 1 {
		var somewhere []Bool
		for h := range n {
			somewhere = append(somewhere, in(p, h))
			for other := range p {
				q.assert = append(q.assert, f.Not(f.And(in(p, h), in(other, h))))
			}
		}
		q.assert = append(q.assert, f.Or(somewhere...))
	}
	return q
}

func TestPigeons(t *testing.T) {
	q := pigeons(6)
	e := NewBuiltin(q.f)
	e.Assert(q.assert...)
	requireAnswer(t, Unsat, e)
	require.Empty(t, e.Core())
}

func requireAnswer(t *testing.T, want Answer, e Engine, assumptions ...Bool) {
	t.Helper()
	answer, err := e.Check(context.Background(), nil, assumptions...)
	require.NoError(t, err)
	require.Equal(t, want, answer)
}

// requireLimits checks that a hard question is left undecided at the limits, and
// that the engine is of use after that.
func requireLimits(t *testing.T, e Engine, q question) {
	hard := q.f.Bool("hard")
	for _, b := range q.assert {
		e.Assert(q.f.Implies(hard, b))
	}
	answer, err := e.Check(context.Background(), &Budget{Steps: Second / 50}, hard)
	require.NoError(t, err)
	require.Equal(t, Unknown, answer)
	require.Equal(t, "steps", e.Why())

	answer, err = e.Check(context.Background(), &Budget{Steps: 100 * Second, Memory: 1000}, hard)
	require.NoError(t, err)
	require.Equal(t, Unknown, answer)
	require.Equal(t, "memory", e.Why())

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = e.Check(ctx, nil, hard)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	requireAnswer(t, Sat, e, q.f.Not(hard))
}

func TestBuiltinStopsAtItsLimits(t *testing.T) {
	q := pigeons(11)
	requireLimits(t, NewBuiltin(q.f), q)
}

// A budget ends each search after the same work, and parts of it come out of it.
func TestBudgetCountsWork(t *testing.T) {
	left := func() int64 {
		whole := &Budget{Steps: Second}
		q := pigeons(11)
		e := NewBuiltin(q.f)
		e.Assert(q.assert...)
		answer, err := e.Check(context.Background(), whole.Part(Second/50))
		require.NoError(t, err)
		require.Equal(t, Unknown, answer)
		require.Less(t, whole.Steps, int64(Second-Second/50))
		answer, err = e.Check(context.Background(), whole.Share(2))
		require.NoError(t, err)
		require.Equal(t, Unknown, answer)
		return whole.Steps
	}
	require.Equal(t, left(), left())
	require.Greater(t, left(), int64(Second/2-Second/20))
}

func TestEndedContextIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	q := pigeons(3)
	e := NewBuiltin(q.f)
	e.Assert(q.assert...)
	_, err := e.Check(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// The core names the assumptions on the cycle and no other.
func TestCoreIsTheCycle(t *testing.T) {
	f := NewFormula()
	var events []Event
	for i := range 50 {
		events = append(events, f.Event(fmt.Sprint("e", i)))
	}
	e := NewBuiltin(f)
	for i := range events[:49] {
		if i%10 != 9 {
			e.Assert(f.Before(events[i], events[i+1]))
		}
	}
	b := f.Before
	cycle := []Bool{b(events[4], events[22]), b(events[29], events[45]), b(events[49], events[3])}
	others := []Bool{b(events[5], events[15]), b(events[31], events[11]), f.Bool("p")}
	requireAnswer(t, Unsat, e, others[0], cycle[0], others[1], cycle[1], others[2], cycle[2])
	require.Equal(t, cycle, e.Core())
	requireAnswer(t, Sat, e, append(others, cycle[:2]...)...)
}

// Answers, models and cores are the same each time.
func TestSameCallsSameAnswers(t *testing.T) {
	run := func() (text string) {
		s := newSpace(7, 30, 5, 3)
		e := NewBuiltin(s.f)
		for range 40 {
			e.Assert(s.f.Or(s.term(3), s.term(3), s.atom()))
			answer, err := e.Check(context.Background(), nil, s.term(2), s.term(2))
			text += fmt.Sprintln(answer, err, e.Core())
			if answer == Sat {
				text += fmt.Sprintln(e.Order(), e.IntValue(s.ints[0]), e.IntValue(s.ints[2]), e.Value(s.bools[1]))
			}
		}
		return text
	}
	require.Equal(t, run(), run())
}

// A lying engine says the opposite, or gives the model of other events.
type lying struct {
	Engine
	say Answer
}

func (l lying) Check(context.Context, *Budget, ...Bool) (Answer, error) { return l.say, nil }
func (l lying) Value(Bool) bool                                         { return false }
func (l lying) Core() []Bool                                            { return nil }

func TestBothFailOnADifference(t *testing.T) {
	f := NewFormula()
	p, q := f.Bool("p"), f.Bool("q")
	for _, c := range []struct {
		say     Answer
		asserts []Bool
		want    string
	}{
		{Unsat, []Bool{f.Or(p, q)}, "the built-in one says sat, Z3 says unsat"},
		{Sat, []Bool{p, f.Not(p)}, "the built-in one says unsat, Z3 says sat"},
		{Sat, []Bool{f.Or(p, q)}, "the model of the Z3 engine does not satisfy"},
	} {
		b := newComparingEngine(f, NewBuiltin(f), lying{NewBuiltin(f), c.say})
		b.Assert(c.asserts...)
		_, err := b.Check(context.Background(), nil)
		require.ErrorContains(t, err, c.want)
	}
	b := newComparingEngine(f, NewBuiltin(f), lying{NewBuiltin(f), Unsat})
	b.Assert(f.Not(p))
	_, err := b.Check(context.Background(), nil, p, q)
	require.ErrorContains(t, err, "engine 2 of 2 gave a core of 0 that can hold")
}
