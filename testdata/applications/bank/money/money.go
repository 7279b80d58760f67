// Package money knows amounts of money.
package money

import "fmt"

// Cents is an amount of money.
type Cents int64

// String writes c as euros: "-1.05 EUR".
func (c Cents) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s%d.%02d EUR", sign, c/100, c%100)
}
