package cart

import (
	"fmt"
	"testing"
)

// A bill has the price of each thing on it.
func TestBill(t *testing.T) {
	for _, cents := range []int{100, 250} {
		t.Run(fmt.Sprint(cents), func(t *testing.T) {
			t.Parallel()
			c := new(Cart)
			done := make(chan struct{})
			go func() {
				defer close(done)
				c.Add("Go", cents)
			}()
			if items, sum := c.Bill(); sum != items*cents {
				t.Errorf("%d things for %d cents", items, sum)
			}
			<-done
		})
	}
}
