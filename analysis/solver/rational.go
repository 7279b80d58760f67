package solver

import (
	"math/big"
	"math/bits"
)

// Nearly all numbers of a trace's formulas are small and whole, so that these cost as much
// as integers do; those that pivoting makes large are right all the same.

// A rational is n/d in lowest terms, d > 0, or wide if that does not fit. Nothing
// ever overflows.
type rational struct {
	n, d int64
	wide *big.Rat // nil if n/d is meant; never changed, as several values may share it
}

// whole is the number n.
func whole(n int64) rational { return rational{n: n, d: 1} }

var one = whole(1)

// narrow returns the short form of r, if there is one.
func narrow(r *big.Rat) rational {
	if r.Num().IsInt64() && r.Denom().IsInt64() && r.Num().Int64() != minInt64 {
		return rational{n: r.Num().Int64(), d: r.Denom().Int64()}
	}
	return rational{wide: r}
}

const minInt64 = -1 << 63

// big is a as a big.Rat, which must not be changed.
func (a rational) big() *big.Rat {
	if a.wide != nil {
		return a.wide
	}
	return big.NewRat(a.n, a.d)
}

func (a rational) sign() int {
	switch {
	case a.wide != nil:
		return a.wide.Sign()
	case a.n > 0:
		return 1
	case a.n < 0:
		return -1
	}
	return 0
}

func (a rational) isWhole() bool {
	if a.wide != nil {
		return a.wide.IsInt()
	}
	return a.d == 1
}

func (a rational) neg() rational {
	if a.wide == nil && a.n != minInt64 {
		return rational{n: -a.n, d: a.d}
	}
	return narrow(new(big.Rat).Neg(a.big()))
}

// plus adds: whole numbers if the sum shows no overflow, small fractions over a common
// denominator, and all else in full length. So does times.
func (a rational) plus(b rational) rational {
	if a.wide == nil && b.wide == nil {
		if a.d == 1 && b.d == 1 {
			if c := a.n + b.n; (c > a.n) == (b.n > 0) && c != minInt64 {
				return rational{n: c, d: 1}
			}
		} else if isSmall(a.n) && isSmall(a.d) && isSmall(b.n) && isSmall(b.d) {
			return inLowestTerms(a.n*b.d+b.n*a.d, a.d*b.d)
		}
	}
	return narrow(new(big.Rat).Add(a.big(), b.big()))
}

func (a rational) minus(b rational) rational { return a.plus(b.neg()) }

func (a rational) times(b rational) rational {
	if a.wide == nil && b.wide == nil {
		switch {
		case isSmall(a.n) && isSmall(a.d) && isSmall(b.n) && isSmall(b.d):
			return inLowestTerms(a.n*b.n, a.d*b.d)
		case a.d == 1 && b.d == 1:
			if hi, lo := bits.Mul64(magnitude(a.n), magnitude(b.n)); hi == 0 && lo < 1<<63 {
				return rational{n: a.n * b.n, d: 1}
			}
		}
	}
	return narrow(new(big.Rat).Mul(a.big(), b.big()))
}

// inverse is 1/a, for a that is not zero.
func (a rational) inverse() rational {
	switch {
	case a.wide != nil || a.n == minInt64:
		return narrow(new(big.Rat).Inv(a.big()))
	case a.n < 0:
		return rational{n: -a.d, d: -a.n}
	}
	return rational{n: a.d, d: a.n}
}

// compare returns -1, 0 or 1 for a < b, a = b, a > b.
func (a rational) compare(b rational) int {
	if a.wide == nil && b.wide == nil {
		if a.d == b.d {
			return sign(a.n, b.n)
		}
		if isSmall(a.n) && isSmall(a.d) && isSmall(b.n) && isSmall(b.d) {
			return sign(a.n*b.d, b.n*a.d)
		}
	}
	return a.big().Cmp(b.big())
}

// sign compares two numbers: -1, 0 or 1.
func sign(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// floor rounds down.
func (a rational) floor() rational {
	if a.wide == nil {
		q := a.n / a.d
		if a.n%a.d < 0 {
			q--
		}
		return whole(q)
	}
	q := new(big.Int).Div(a.wide.Num(), a.wide.Denom()) // the denominator is positive
	return narrow(new(big.Rat).SetInt(q))
}

// int64 returns a if it is a whole number in that range.
func (a rational) int64() (n int64, ok bool) {
	if a.wide != nil {
		return a.wide.Num().Int64(), a.wide.IsInt() && a.wide.Num().IsInt64()
	}
	return a.n, a.d == 1
}

// isSmall reports that the product of two such numbers, and the sum of two such
// products, fit an int64.
func isSmall(a int64) bool { return -1<<31 < a && a < 1<<31 }

// inLowestTerms returns n/d, for d > 0, divided by what the two have in common.
func inLowestTerms(n, d int64) rational {
	if d == 1 {
		return rational{n: n, d: 1}
	}
	g := gcd(n, d)
	return rational{n: n / g, d: d / g}
}

// gcd is the greatest common divisor, zero of two zeros.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
