// Package transfer moves money between accounts with a lock each, two of which a
// transfer holds: the banks with atomicity violations in Table 2 of Wang et al.
package transfer

import "sync"

// A Bank has accounts, and a counter that is free or not.
type Bank struct {
	Accounts [16]Account
	counter  counter
}

// An Account holds money.
type Account struct {
	mu    sync.Mutex
	money int // guarded by mu
}

// A counter is where one customer at a time is served.
type counter struct {
	mu   sync.Mutex
	free *sync.Cond
	busy bool // guarded by mu
}

// New returns a bank in which each account holds n.
func New(n int) *Bank {
	b := new(Bank)
	for k := range b.Accounts {
		b.Accounts[k].money = n
	}
	b.counter.free = sync.NewCond(&b.counter.mu)
	return b
}

// enter waits until the counter is free.
func (c *counter) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.busy {
		c.free.Wait()
	}
	c.busy = true
}

func (c *counter) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	c.free.Signal()
}

// locked calls f while it holds the locks of two accounts, that of the lower one
// first.
func (b *Bank) locked(i, j int, f func(x, y *Account)) {
	first, second := &b.Accounts[min(i, j)], &b.Accounts[max(i, j)]
	first.mu.Lock()
	second.mu.Lock()
	f(&b.Accounts[i], &b.Accounts[j])
	second.mu.Unlock()
	first.mu.Unlock()
}

// add reads what account i holds in one critical section, writes what it is to hold
// in the next, and returns what it holds then.
func (b *Bank) add(i, j, n int) (now int) {
	var was int
	b.locked(i, j, func(x, _ *Account) { was = x.money })
	b.locked(i, j, func(x, _ *Account) { x.money = was + n })
	b.locked(i, j, func(x, _ *Account) { now = x.money })
	return now
}

// Transfer moves n from account i to j: customers can come in between.
//
//gopredict:atomic
func (b *Bank) Transfer(i, j, n int) {
	b.add(i, j, -n)
	b.add(j, i, n)
}

// HalfTransfer keeps others away from the lower account.
func (b *Bank) HalfTransfer(i, j, n int) {
	b.counter.enter()
	b.half(min(i, j), max(i, j), n)
}

// half is a transfer that leaves the counter when it is done with account i.
//
//gopredict:atomic
func (b *Bank) half(i, j, n int) {
	b.add(i, j, -n)
	b.counter.leave()
	b.add(j, i, n)
}

// SafeTransfer keeps others away.
func (b *Bank) SafeTransfer(i, j, n int) {
	b.counter.enter()
	b.Transfer(i, j, n)
	b.counter.leave()
}

// Statement returns what two accounts hold.
func (b *Bank) Statement(i, j int) (sum int) {
	b.locked(i, j, func(x, y *Account) { sum = x.money + y.money })
	return sum
}
