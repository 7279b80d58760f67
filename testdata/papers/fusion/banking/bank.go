// Package banking moves money between accounts, of which the bank keeps a total:
// the bank of Farchi, Nir and Ur (Concurrent Bug Patterns and How to Test Them,
// 2003), as in Table 1 of Wang et al.
package banking

import "sync"

// A Bank has accounts, each with a lock.
type Bank struct {
	accounts [8]account
	mu       sync.Mutex
	total    int // what went in less what came out; guarded by mu
}

type account struct {
	mu    sync.Mutex
	money int // guarded by mu
}

// Service puts n on an account.
func (b *Bank) Service(id, n int) {
	a := &b.accounts[id]
	a.mu.Lock()
	a.money += n
	a.mu.Unlock()
	b.mu.Lock()
	b.total += n
	b.mu.Unlock()
}

// CarelessService does the same, but for the total it reads and writes in two
// critical sections.
func (b *Bank) CarelessService(id, n int) {
	a := &b.accounts[id]
	a.mu.Lock()
	a.money += n
	a.mu.Unlock()
	b.mu.Lock()
	total := b.total
	b.mu.Unlock()
	b.mu.Lock()
	b.total = total + n
	b.mu.Unlock()
}

// Sum is what all accounts hold.
func (b *Bank) Sum() int {
	a := &b.accounts
	return a[0].money + a[1].money + a[2].money + a[3].money + a[4].money + a[5].money + a[6].money + a[7].money
}
