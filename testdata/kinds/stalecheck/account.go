// Package account keeps an account that many may use at the same time.
package account

import "sync"

// An Account holds money.
type Account struct {
	mu      sync.Mutex
	balance int // guarded by mu
}

// Balance is what the account holds.
func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *Account) set(balance int) {
	a.mu.Lock()
	a.balance = balance
	a.mu.Unlock()
}

// Withdraw takes n out if there is so much, and reports whether there was.
func (a *Account) Withdraw(n int) bool {
	b := a.Balance()
	if b < n {
		return false
	}
	a.set(b - n)
	return true
}
