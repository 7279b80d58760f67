package account

import (
	"sync"
	"testing"
	"time"
)

func TestAccounts(t *testing.T) {
	accounts := [2]Account{{amount: 100}, {amount: 100}}
	var managers sync.WaitGroup
	for n := range accounts {
		mine, other := &accounts[n], &accounts[1-n]
		managers.Go(func() {
			time.Sleep(time.Duration(3*n) * time.Millisecond)
			mine.Deposit(300)
			mine.Withdraw(100)
			mine.Transfer(other, 99)
		})
	}
	managers.Wait()
	for n := range accounts {
		if got := accounts[n].amount; got != 300 {
			t.Errorf("account %d holds %d, want 300", n, got)
		}
	}
}
