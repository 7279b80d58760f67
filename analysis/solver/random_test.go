package solver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A space is a small formula whose models can be counted off: few events, few
// booleans, and integers from 0 to 3.
type space struct {
	f      *Formula
	rand   *rand.Rand
	events []Event
	bools  []Bool
	ints   []Int
}

func newSpace(seed uint64, events, bools, ints int) *space {
	s := &space{f: NewFormula(), rand: rand.New(rand.NewPCG(seed, 1))}
	for i := range events {
		s.events = append(s.events, s.f.Event(fmt.Sprint("e", i)))
	}
	for i := range bools {
		s.bools = append(s.bools, s.f.Bool(fmt.Sprint("b", i)))
	}
	for i := range ints {
		s.ints = append(s.ints, s.f.Int(fmt.Sprint("x", i)))
	}
	return s
}

const smallest, largest = 0, 3 // integers

// ranges says that all integers are small.
func (s *space) ranges() Bool {
	all := s.f.True()
	for _, x := range s.ints {
		all = s.f.And(all, s.f.Le(s.f.Const(smallest), x), s.f.Le(x, s.f.Const(largest)))
	}
	return all
}

func pick[T any](s *space, from []T) T { return from[s.rand.IntN(len(from))] }

func (s *space) atom() Bool {
	switch n := s.rand.IntN(10); {
	case n < 2 && len(s.bools) > 0:
		return pick(s, s.bools)
	case n < 6 && len(s.ints) > 0:
		return s.comparison()
	default:
		return s.f.Before(pick(s, s.events), pick(s, s.events))
	}
}

func (s *space) comparison() Bool {
	compare := pick(s, []func(a, b Int) Bool{s.f.Le, s.f.Lt, s.f.Eq})
	return compare(s.sum(), s.sum())
}

func (s *space) sum() Int {
	total := s.f.Const(s.rand.Int64N(9) - 4)
	for range s.rand.IntN(3) {
		total = s.f.Add(total, s.f.Mul(s.rand.Int64N(7)-3, pick(s, s.ints)))
	}
	return total
}

func (s *space) term(depth int) Bool {
	if depth == 0 || s.rand.IntN(5) == 0 {
		return s.atom()
	}
	some := make([]Bool, 1+s.rand.IntN(3))
	for i := range some {
		some[i] = s.term(depth - 1)
	}
	switch s.rand.IntN(5) {
	case 0:
		return s.f.Not(some[0])
	case 1:
		return s.f.Iff(some[0], s.term(depth-1))
	case 2:
		return s.f.And(some...)
	case 3:
		return s.f.Implies(some[0], s.term(depth-1))
	default:
		return s.f.Or(some...)
	}
}

// models calls yield with every model until it returns false.
func (s *space) models(yield func(*model) bool) {
	var orders [][]Event
	permute(s.events, 0, func(p []Event) { orders = append(orders, append([]Event(nil), p...)) })
	values := 1
	for range s.ints {
		values *= largest - smallest + 1
	}
	for _, order := range orders {
		for bools := range 1 << len(s.bools) {
			for ints := range values {
				if !yield(s.model(order, bools, ints)) {
					return
				}
			}
		}
	}
}

func (s *space) model(order []Event, bools, ints int) *model {
	m := newModel(s.f, order)
	for i, b := range s.bools {
		m.bools[int32(b>>1)] = bools>>i&1 == 1
	}
	for range s.ints {
		m.ints = append(m.ints, int64(smallest+ints%(largest-smallest+1)))
		ints /= largest - smallest + 1
	}
	return m
}

func permute(events []Event, from int, yield func([]Event)) {
	if from == len(events) {
		yield(events)
	}
	for i := from; i < len(events); i++ {
		events[from], events[i] = events[i], events[from]
		permute(events, from+1, yield)
		events[from], events[i] = events[i], events[from]
	}
}

// satisfiable counts off all models.
func (s *space) satisfiable(bs []Bool) bool {
	all := s.f.And(bs...)
	found := false
	s.models(func(m *model) bool {
		found = m.value(all)
		return !found
	})
	return found
}

// agree walks through a random sequence of assertions and checks
// and compares each answer with what counting off all models says.
func agree(t *testing.T, s *space, e Engine, steps int) {
	asserted := []Bool{s.ranges()}
	e.Assert(s.ranges())
	for range steps {
		if s.rand.IntN(10) < 3 {
			b := s.term(3)
			e.Assert(b)
			asserted = append(asserted, b)
			continue
		}
		assumptions := make([]Bool, s.rand.IntN(4))
		for i := range assumptions {
			assumptions[i] = s.term(s.rand.IntN(3))
		}
		compare(t, s, e, asserted, assumptions)
	}
}

func compare(t *testing.T, s *space, e Engine, asserted, assumptions []Bool) {
	answer, err := e.Check(context.Background(), nil, assumptions...)
	require.NoError(t, err)
	all := append(append([]Bool(nil), asserted...), assumptions...)
	if answer == Sat {
		for _, b := range all {
			require.True(t, e.Value(b), "a model in which %v is false", b)
		}
		requireOrder(t, s.f, e)
		return
	}
	require.Equal(t, Unsat, answer)
	require.False(t, s.satisfiable(all), "unsat, but there is a model")
	require.Subset(t, assumptions, e.Core())
	require.False(t, s.satisfiable(append(append([]Bool(nil), asserted...), e.Core()...)), "core %v", e.Core())
}

// requireOrder checks that the order agrees with the values of its atoms.
func requireOrder(t *testing.T, f *Formula, e Engine) {
	order := e.Order()
	for i, a := range order {
		for _, b := range order[:i] {
			require.True(t, e.Value(f.Before(b, a)))
		}
	}
}

func TestBuiltinAgreesWithAllModels(t *testing.T) {
	for seed := range uint64(1500) {
		s := newSpace(seed, 2+int(seed%4), int(seed%3), 0)
		agree(t, s, NewBuiltin(s.f), 12)
	}
}

func TestBuiltinAgreesWithAllModelsOfIntegers(t *testing.T) {
	for seed := range uint64(400) {
		s := newSpace(seed, 2+int(seed%2), int(seed%2), 1+int(seed%4))
		agree(t, s, NewBuiltin(s.f), 12)
	}
}
