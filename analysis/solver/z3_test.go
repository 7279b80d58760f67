//go:build z3 && (linux || darwin) && (amd64 || arm64) && !noz3

package solver

import (
	"bytes"
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/solver/z3"
)

func TestZ3AgreesWithAllModels(t *testing.T) {
	for seed := range uint64(40) {
		s := newSpace(seed, 2+int(seed%3), int(seed%3), int(seed%3))
		z, err := NewZ3(s.f)
		require.NoError(t, err)
		agree(t, s, z, 10)
		z.Close()
	}
}

// The engines are compared on formulas too large for counting off all models.
func TestEnginesAgree(t *testing.T) {
	for seed := range uint64(40) {
		s := newSpace(seed, 4+int(seed%30), int(seed%6), int(seed%5))
		b, err := NewBoth(s.f)
		require.NoError(t, err)
		for range 12 {
			switch n := s.rand.IntN(8); {
			case n < 3:
				b.Assert(s.f.Or(s.term(3), s.term(2), s.atom()))
			default:
				answer, err := b.Check(context.Background(), &Budget{Steps: 2 * Second}, s.term(2), s.term(3))
				require.NoError(t, err, "seed %d", seed)
				if answer == Sat {
					requireOrder(t, s.f, b)
				}
			}
		}
		b.Close()
	}
}

func TestZ3StopsAtItsLimits(t *testing.T) {
	q := pigeons(11)
	z, err := NewZ3(q.f)
	require.NoError(t, err)
	defer z.Close()
	requireLimits(t, z, q)
}

// Z3 reads every text, and gives the answer of the built-in engine.
func TestZ3ReadsWhatIsWritten(t *testing.T) {
	for seed := range uint64(40) {
		s := newSpace(seed, 2+int(seed%9), int(seed%4), int(seed%3))
		s.bools = append(s.bools, s.f.Bool("|a\\b% \xff")) // a name that needs care
		var text bytes.Buffer
		e := NewWritten(s.f, NewBuiltin(s.f), func() (io.WriteCloser, error) { return closer{&text}, nil })
		e.Assert(s.ranges(), s.term(4))
		e.Assert(s.term(4), s.term(3))
		answer, err := e.Check(context.Background(), nil, s.term(2), s.term(3))
		require.NoError(t, err)
		require.Equal(t, answer.String(), read(t, text.String()), text.String())
	}
}

// A closer makes a writer one that can be closed.
type closer struct{ io.Writer }

func (closer) Close() error { return nil }

// read lets Z3 do the commands of a text, as its own command would.
func read(t *testing.T, text string) string {
	ctx, err := z3.NewContext()
	require.NoError(t, err)
	defer ctx.Close()
	answer, _, _ := strings.Cut(ctx.EvalSMTLIB2String(text), "\n")
	require.NoError(t, ctx.Err(), text)
	return answer
}

// Near the ends of the range of integers the engines agree too.
func TestEnginesAgreeOnLargeNumbers(t *testing.T) {
	for seed := range uint64(40) {
		s := newSpace(seed, 2, 1, 1+int(seed%3))
		number := func() Int {
			end := pick(s, []int64{math.MinInt64, math.MinInt64 / 3, -1, 0, 1 << 31, 1 << 62, math.MaxInt64})
			return s.f.Const(end + s.rand.Int64N(3)*s.rand.Int64N(2))
		}
		var all []Bool
		for len(all) < 6 {
			compare := pick(s, []func(a, b Int) Bool{s.f.Le, s.f.Lt, s.f.Eq})
			left := s.f.Mul(1+s.rand.Int64N(3), pick(s, s.ints))
			if s.rand.IntN(3) == 0 {
				left = s.f.Add(left, s.f.Mul(-2-s.rand.Int64N(5), pick(s, s.ints)))
			}
			all = append(all, s.f.Or(compare(left, number()), s.f.Not(compare(left, number()))), compare(left, number()))
		}
		if s.f.Err() != nil {
			continue // too large
		}
		b, err := NewBoth(s.f)
		require.NoError(t, err)
		b.Assert(all[:4]...)
		_, err = b.Check(context.Background(), &Budget{Steps: 2 * Second}, all[4:]...)
		require.NoError(t, err, "seed %d", seed)
		b.Close()
	}
}

// After checks that ended at a limit, its answers are right.
func TestZ3GoesOnAfterItsLimits(t *testing.T) {
	p := newProgram(1, 8, 400, 400, 10, 5)
	b, err := NewBoth(p.f)
	require.NoError(t, err)
	defer b.Close()
	b.Assert(p.facts...)
	stopped := 0
	for k, q := range p.questions(60) {
		b.Assert(p.free[k*len(p.free)/60 : (k+1)*len(p.free)/60]...)
		answer, err := b.(*comparingEngine).second.Check(context.Background(), &Budget{Steps: Second / 500}, q...)
		require.NoError(t, err)
		if answer == Unknown {
			stopped++
		}
		_, err = b.Check(context.Background(), &Budget{Steps: 5 * Second}, q...)
		require.NoError(t, err)
	}
	require.Positive(t, stopped)
}
