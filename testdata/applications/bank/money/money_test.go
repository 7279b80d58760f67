package money

import "testing"

func TestString(t *testing.T) {
	for amount, want := range map[Cents]string{
		0:    "0.00 EUR",
		1230: "12.30 EUR",
		-105: "-1.05 EUR",
	} {
		if got := amount.String(); got != want {
			t.Errorf("Cents(%d) is %q, want %q", int64(amount), got, want)
		}
	}
}
