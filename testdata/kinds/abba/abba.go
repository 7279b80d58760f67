// Package abba moves money between accounts.
package abba

import "sync"

// An Account has a balance.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Transfer moves an amount, and calls between once the first account is locked.
func Transfer(from, to *Account, amount int, between func()) {
	from.mu.Lock()
	defer from.mu.Unlock()
	between()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance -= amount
	to.balance += amount
}
