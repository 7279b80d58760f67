package bank

import (
	"sync"
	"testing"
	"time"

	"example.com/bank/money"
	"github.com/gopredict/gopredict/gotestplugin"
)

func TestMain(m *testing.M) { gotestplugin.Main(m) }

func TestBalance(t *testing.T) {
	account := Open(100)
	var customers sync.WaitGroup
	for range 4 {
		customers.Go(func() {
			account.Deposit(10)
		})
	}
	customers.Wait()
	if got, want := account.Balance(), money.Cents(140); got != want {
		t.Errorf("the balance is %v, want %v", got, want)
	}
}

func TestReceipt(t *testing.T) {
	account := Open(100)
	var receipt Receipt
	var customers sync.WaitGroup
	customers.Go(func() {
		account.Deposit(50)
	})
	customers.Go(func() {
		time.Sleep(5 * time.Millisecond) // to type the PIN
		receipt = account.Withdraw(30)
	})
	customers.Wait()
	if receipt.Before-30 != receipt.After {
		t.Errorf("the receipt does not add up: %v - %v = %v", receipt.Before, money.Cents(30), receipt.After)
	}
}
