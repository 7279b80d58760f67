package dataflow

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFormula(t *testing.T) {
	for _, text := range []string{
		"0", "-12", "_", "@80000012i8", "@ffu1^3", "(+ @80000012i8 1)",
		"(and (not (= @1u8 0)) (<= (* 3 @2i4) (- _ -7)))", "(if (= _ 0) 5 _)",
		"(hand ? $80000012.0 (+ $12.63 1))",
	} {
		f, err := ParseFormula(text)
		require.NoError(t, err)
		assert.Equal(t, text, f.String())
	}
}

func TestFormulaErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":             "found the end",
		"(":            "expected an operation",
		"(+ 1":         "expected )",
		"(+)":          "operands of +, found 0",
		"(= 1 2 3)":    "expected 2 to 2 operands of =",
		"(foo 1)":      `found "foo"`,
		"1 2":          "expected the formula's end",
		"@12i3":        "expected @KEYi8",
		"@i8":          "expected @KEYi8",
		"@12":          "expected @KEYi8",
		"@12i8^999":    "expected @KEYi8",
		"x":            "expected a number",
		"$12":          "expected $KEY.0",
		"$12.64":       "expected $KEY.0",
		"$x.1":         "expected $KEY.0",
		")":            "expected a number",
		"(not (not ))": "operands of not, found 0",
	} {
		_, err := ParseFormula(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestReadingNumber(t *testing.T) {
	assert.Equal(t, int64(-1), Reading{Signed: true, Size: 4}.Number(0xffffffff))
	assert.Equal(t, int64(0xffffffff), Reading{Size: 4}.Number(0xffffffff))
	assert.Equal(t, int64(1), Reading{Size: 1}.Number(0xff01))
}

func FuzzFormula(f *testing.F) {
	f.Add("(and (not (= @1u8 0)) (<= (* 3 @2i4^2) (- _ -7)))")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseFormula(text)
		if err != nil {
			return
		}
		b, err := ParseFormula(a.String())
		require.NoError(t, err)
		assert.Equal(t, a, b)
	})
}
