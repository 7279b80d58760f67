// Package sys stands in for internal/runtime/sys.
package sys

import "math/bits"

func Len64(x uint64) int           { return bits.Len64(x) }
func TrailingZeros64(x uint64) int { return bits.TrailingZeros64(x) }
