// Package banking moves money between accounts.
package banking

import "sync"

// An Account holds money.
type Account struct {
	mu    sync.Mutex
	money int // guarded by mu
}

// Money is what the account holds.
func (a *Account) Money() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.money
}

// put puts n in.
func (a *Account) put(n int) {
	a.mu.Lock()
	money := a.money
	a.mu.Unlock()
	a.mu.Lock()
	a.money = money + n
	a.mu.Unlock()
}

// take takes n out.
func (a *Account) take(n int) {
	a.mu.Lock()
	a.money -= n
	a.mu.Unlock()
}

// A Bank has three accounts.
type Bank struct{ savings, current, joint Account }

// Transfer moves n.
func Transfer(from, to *Account, n int) {
	from.take(n)
	to.put(n)
}

// Total is what all accounts hold.
func (b *Bank) Total() int {
	return b.savings.Money() + b.current.Money() + b.joint.Money()
}
