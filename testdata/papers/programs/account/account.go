// Package account is the bank of the ConTest suite: a transfer locks the
// account that it takes from, and not the one that it adds to.
package account

import "sync"

// An Account holds money.
type Account struct {
	mu     sync.Mutex
	amount int // guarded by mu
}

// Deposit adds n.
func (a *Account) Deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.amount += n
}

// Withdraw takes n.
func (a *Account) Withdraw(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.amount -= n
}

// Transfer moves n to another account.
func (a *Account) Transfer(to *Account, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.amount -= n
	to.amount += n
}
