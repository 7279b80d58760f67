package abba

import (
	"sync"
	"testing"
)

func TestTransfers(t *testing.T) {
	a, b := &Account{balance: 10}, &Account{balance: 10}
	there, back := make(chan bool, 1), make(chan bool, 1)
	var transfers sync.WaitGroup
	transfers.Go(func() {
		Transfer(a, b, 3, func() { there <- true; <-back })
	})
	transfers.Go(func() {
		Transfer(b, a, 5, func() { back <- true; <-there })
	})
	transfers.Wait()
	if a.balance+b.balance != 20 {
		t.Errorf("there are %d, want 20", a.balance+b.balance)
	}
}
