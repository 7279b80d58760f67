// Package strconv stands in for internal/strconv.
package strconv

import "strconv"

func AppendUint(dst []byte, i uint64, base int) []byte { return strconv.AppendUint(dst, i, base) }
func FormatUint(i uint64, base int) string             { return strconv.FormatUint(i, base) }
func ParseUint(s string, base, bitSize int) (uint64, error) {
	return strconv.ParseUint(s, base, bitSize)
}
