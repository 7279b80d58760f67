package startup

import (
	"testing"
	"time"
)

func TestPrice(t *testing.T) {
	shop := Open()
	time.Sleep(5 * time.Millisecond) // the rates are there by now
	if got, want := shop.Price(10, "EUR"), 1080; got != want {
		t.Errorf("10 EUR are %d cents, want %d", got, want)
	}
}
