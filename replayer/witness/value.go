package witness

import (
	"math"
	"strconv"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Value shows the value of a memory access of size bytes, at most eight; "" if it
// has several parts. An address is "ptr", as it differs from run to run. Where the
// type is not known it goes by what the value looks like.
func Value(v uint64, size int, t trace.Type) string {
	shift := 64 - 8*min(max(size, 1), 8)
	switch t {
	case trace.TypeBool:
		return strconv.FormatBool(v&1 != 0)
	case trace.TypeInt:
		return strconv.FormatInt(int64(v<<shift)>>shift, 10)
	case trace.TypeUint:
		return strconv.FormatUint(v, 10)
	case trace.TypeFloat:
		if size == 4 {
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', 6, 32)
		}
		return strconv.FormatFloat(math.Float64frombits(v), 'g', 6, 64)
	case trace.TypePointer:
		if v == 0 {
			return "nil"
		}
		return "ptr"
	case trace.TypeParts:
		return ""
	}
	return looksLike(v, size, shift)
}

// looksLike takes a value of unknown type for a small number, also a negative
// one; an address; a floating-point number; or else a bit pattern.
func looksLike(v uint64, size, shift int) string {
	const small, address = 1 << 31, 1 << 47
	if v < small {
		return strconv.FormatUint(v, 10)
	}
	if signed := int64(v<<shift) >> shift; signed < 0 && signed >= -small/2 {
		return strconv.FormatInt(signed, 10)
	}
	if exponent := v >> 52 & 0x7ff; size == 8 && v >= address && exponent >= 0x3c0 && exponent < 0x440 {
		return strconv.FormatFloat(math.Float64frombits(v), 'g', 6, 64)
	}
	if size == 8 && v < address {
		return "ptr"
	}
	return "0x" + strconv.FormatUint(v, 16)
}
