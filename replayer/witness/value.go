package witness

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/gopredict/gopredict/recorder/trace"
)

// Value shows the value of a memory access of size bytes, at most eight; "" if it has several
// parts. An address is "ptr", as it differs between runs. Without a known type it guesses by the
// value.
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
	return guessValue(v, size, shift)
}

// wideValue shows the value of e, an access to a string, interface or slice; "" if t does not have
// it. wide is false for others.
func wideValue(t *trace.Trace, e *trace.Event) (text string, wide bool) {
	switch is := t.Sites[e.Site].Type; {
	case is == trace.TypeSlice:
		return "len " + strconv.FormatUint(e.Val, 10), true
	case is == trace.TypeText && e.Val == 0:
		return `""`, true
	case is == trace.TypeDynamic && e.Val == 0:
		return "nil", true
	case is == trace.TypeText || is == trace.TypeDynamic || e.Size > 8:
		return strings.ToValidUTF8(strings.Map(visible, t.ValueTexts[e.Val]), "�"), true
	}
	return "", false
}

// visible returns a dot for a character that would break a table.
func visible(r rune) rune {
	if unicode.IsPrint(r) || r == unicode.ReplacementChar {
		return r
	}
	return '·'
}

// guessValue shows a value of unknown type as a small number, also a negative one; an address; a
// floating-point number; or else a bit pattern.
func guessValue(v uint64, size, shift int) string {
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
