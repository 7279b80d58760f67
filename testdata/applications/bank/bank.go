// Package bank keeps accounts that many customers use at the same time.
package bank

import (
	"sync"

	"example.com/bank/money"
)

// An Account holds money. It may be overdrawn. Its methods may be called by
// several goroutines at once.
type Account struct {
	mu      sync.Mutex
	balance money.Cents // guarded by mu
}

// A Receipt says what a withdrawal did to the balance.
type Receipt struct {
	Before, After money.Cents
}

// Open opens an account that holds the given amount.
func Open(amount money.Cents) *Account {
	return &Account{balance: amount}
}

// Deposit pays amount in.
func (a *Account) Deposit(amount money.Cents) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += amount
}

// Withdraw takes amount out and returns the receipt.
func (a *Account) Withdraw(amount money.Cents) Receipt {
	a.mu.Lock()
	before := a.balance
	a.balance -= amount
	a.mu.Unlock()
	return Receipt{Before: before, After: a.balance}
}

// Balance returns what the account holds.
func (a *Account) Balance() money.Cents {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}
