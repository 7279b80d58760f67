// Package atomicity has operations that are meant to happen as a whole and lock
// each of their steps instead.
package atomicity

import (
	"fmt"
	"sync"
)

// A Tank reports its level.
type Tank struct {
	mu    sync.Mutex
	level int
}

func (t *Tank) Fill(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.level = n
}

// Report tells the level twice, for readers of two kinds.
//
//gopredict:atomic
func (t *Tank) Report() (liters, percent int) {
	t.mu.Lock()
	liters = t.level
	t.mu.Unlock()
	t.mu.Lock()
	percent = t.level
	t.mu.Unlock()
	return liters, percent
}

// An Account keeps its balance above zero.
type Account struct {
	withdrawals sync.Mutex // one at a time

	mu      sync.Mutex
	balance int
}

func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *Account) Deposit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

// Withdraw is atomic for other withdrawals, not for deposits.
func (a *Account) Withdraw(n int) {
	a.withdrawals.Lock()
	defer a.withdrawals.Unlock()
	left := a.Balance() - n
	a.mu.Lock()
	a.balance = left
	a.mu.Unlock()
}

// A Session belongs to a user.
type Session struct {
	mu   sync.Mutex
	user int
}

// Login returns who is greeted.
//
//gopredict:atomic
func (s *Session) Login(user int) (greeted int) {
	s.mu.Lock()
	s.user = user
	s.mu.Unlock()
	s.mu.Lock()
	greeted = s.user
	s.mu.Unlock()
	return greeted
}

// A Rate is what others divide by.
type Rate struct {
	mu sync.Mutex
	n  int
}

// Refresh forgets the rate until it has the new one.
//
//gopredict:atomic
func (r *Rate) Refresh(n int) {
	r.mu.Lock()
	r.n = 0
	r.mu.Unlock()
	r.mu.Lock()
	r.n = n
	r.mu.Unlock()
}

func (r *Rate) Divide(total int) string {
	r.mu.Lock()
	n := r.n
	r.mu.Unlock()
	return fmt.Sprint(total / n)
}

// A Job can be cancelled once it runs.
type Job struct {
	mu                 sync.Mutex
	running, cancelled bool
}

//gopredict:atomic
func (j *Job) Start() {
	j.mu.Lock()
	j.cancelled = false
	j.mu.Unlock()
	j.mu.Lock()
	j.running = true
	j.mu.Unlock()
	j.mu.Lock()
	j.cancelled = false
	j.mu.Unlock()
}

// Cancel reports whether the job runs, and will end.
func (j *Job) Cancel() bool {
	j.mu.Lock()
	running := j.running
	j.mu.Unlock()
	if !running {
		return false
	}
	j.mu.Lock()
	j.cancelled = true
	j.mu.Unlock()
	return true
}
