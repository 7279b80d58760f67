// Package banking is a bank whose tellers move money between accounts. Each account has its
// lock, and whoever moves money has those of both; the count of what was done has none.
package banking

import (
	"errors"
	"sync"
)

// ErrFunds is the error of an account that has too little.
var ErrFunds = errors.New("expected more money in the account")

// An Account has money, and a history of it.
type Account struct {
	mu      sync.Mutex
	id      int
	balance int   // guarded by mu
	history []int // guarded by mu: what came, or went
}

// deposit adds money. The lock is held.
func (a *Account) deposit(n int) {
	a.balance += n
	a.history = append(a.history, n)
}

// withdraw takes money. The lock is held.
func (a *Account) withdraw(n int) error {
	if a.balance < n {
		return ErrFunds
	}
	a.balance -= n
	a.history = append(a.history, -n)
	return nil
}

// A Bank has accounts.
type Bank struct {
	accounts []*Account

	mu     sync.Mutex
	failed int // guarded by mu

	done int // how many transfers: guarded by nothing
}

// New returns a bank of n accounts that have some money each.
func New(n, money int) *Bank {
	b := new(Bank)
	for id := range n {
		b.accounts = append(b.accounts, &Account{id: id, balance: money})
	}
	return b
}

// both locks two accounts, that of the lower number first, and returns what unlocks them.
func (b *Bank) both(from, to *Account) (unlock func()) {
	first, second := from, to
	if from.id > to.id {
		first, second = to, from
	}
	first.mu.Lock()
	second.mu.Lock()
	return func() {
		second.mu.Unlock()
		first.mu.Unlock()
	}
}

// Transfer moves money from one account to another one.
func (b *Bank) Transfer(from, to, n int) error {
	err := b.move(b.accounts[from], b.accounts[to], n)
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.failed++
		return err
	}
	b.done++ // the bug
	return nil
}

func (b *Bank) move(from, to *Account, n int) error {
	defer b.both(from, to)()
	if err := from.withdraw(n); err != nil {
		return err
	}
	to.deposit(n)
	return nil
}

// Balance is the money of an account.
func (b *Bank) Balance(id int) int {
	a := b.accounts[id]
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

// Total is the money of all accounts, each looked at by itself.
func (b *Bank) Total() (sum int) {
	for id := range b.accounts {
		sum += b.Balance(id)
	}
	return sum
}

// Failed is how many transfers there was no money for.
func (b *Bank) Failed() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed
}

// A Teller moves money.
type Teller struct {
	bank *Bank
	id   int
}

// Work does some transfers, from one account to the next.
func (w Teller) Work(transfers int) {
	n := len(w.bank.accounts)
	for k := range transfers {
		from := (w.id + k) % n
		_ = w.bank.Transfer(from, (from+1)%n, 10+w.id)
	}
}
