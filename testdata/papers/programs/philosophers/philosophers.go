// Package philosophers is the table of the dining philosophers: the table has a
// lock and a condition, and forks are taken two at once. It has no bug.
package philosophers

import "sync"

// A Table has a fork between each two of its seats.
type Table struct {
	mu    sync.Mutex
	put   sync.Cond
	taken []bool // guarded by mu
	meals []int  // each by the one who sits there
}

// New returns a table with n seats.
func New(n int) *Table {
	t := &Table{taken: make([]bool, n), meals: make([]int, n)}
	t.put.L = &t.mu
	return t
}

// Dine lets the philosopher at a seat eat some times.
func (t *Table) Dine(seat, times int) {
	left, right := seat, (seat+1)%len(t.taken)
	for range times {
		t.take(left, right)
		t.meals[seat]++
		t.give(left, right)
	}
}

func (t *Table) take(left, right int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.taken[left] || t.taken[right] {
		t.put.Wait()
	}
	t.taken[left], t.taken[right] = true, true
}

func (t *Table) give(left, right int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken[left], t.taken[right] = false, false
	t.put.Broadcast()
}
