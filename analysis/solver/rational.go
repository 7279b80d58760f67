package solver

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
)

// A rational is the whole number n, or fraction if that is set. Nearly all numbers of a trace's
// formulas are small and whole, and cost as much as integers do. Nothing ever overflows.
type rational struct {
	n        int64
	fraction *big.Rat // never changed, as several values may share it
}

// integer returns the number n.
func integer(n int64) rational { return rational{n: n} }

var one = integer(1)

// narrow returns r, without a fraction if it is an int64.
func narrow(r *big.Rat) rational {
	if r.IsInt() && r.Num().IsInt64() {
		return integer(r.Num().Int64())
	}
	return rational{fraction: r}
}

// big returns a as a big.Rat, which must not be changed.
func (a rational) big() *big.Rat {
	if a.fraction != nil {
		return a.fraction
	}
	return new(big.Rat).SetInt64(a.n)
}

func (a rational) sign() int { return a.compare(integer(0)) }

func (a rational) isWhole() bool { return a.fraction == nil || a.fraction.IsInt() }

func (a rational) neg() rational { return integer(-1).times(a) }

func (a rational) plus(b rational) rational {
	if c := a.n + b.n; a.fraction == nil && b.fraction == nil && (c > a.n) == (b.n > 0) {
		return integer(c)
	}
	return narrow(new(big.Rat).Add(a.big(), b.big()))
}

func (a rational) minus(b rational) rational { return a.plus(b.neg()) }

func (a rational) times(b rational) rational {
	if a.fraction == nil && b.fraction == nil {
		if hi, lo := bits.Mul64(magnitude(a.n), magnitude(b.n)); hi == 0 && lo <= math.MaxInt64 {
			return integer(a.n * b.n)
		}
	}
	return narrow(new(big.Rat).Mul(a.big(), b.big()))
}

// inverse returns 1/a, for a that is not zero.
func (a rational) inverse() rational {
	if a == one || a == integer(-1) {
		return a
	}
	return narrow(new(big.Rat).Inv(a.big()))
}

// compare returns -1, 0 or 1 for a < b, a = b, a > b.
func (a rational) compare(b rational) int {
	if a.fraction == nil && b.fraction == nil {
		return cmp.Compare(a.n, b.n)
	}
	return a.big().Cmp(b.big())
}

// floor rounds down.
func (a rational) floor() rational {
	if a.fraction == nil {
		return a
	}
	down := new(big.Int).Div(a.fraction.Num(), a.fraction.Denom()) // the denominator is positive
	return narrow(new(big.Rat).SetInt(down))
}

// int64 returns a if it is a whole number in that range.
func (a rational) int64() (n int64, ok bool) { return a.n, a.fraction == nil }

// gcd returns the greatest common divisor, zero of two zeros.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
