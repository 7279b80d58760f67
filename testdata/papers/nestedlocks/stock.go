// Package nestedlocks moves goods between two stores. A store's report reads
// after it has released the locks that it took.
package nestedlocks

import "sync"

// A Store holds goods.
type Store struct {
	mu    sync.Mutex
	goods int // guarded by mu
	moves int // guarded by mu
}

// Move moves n goods from one store to another. Stores are always locked in
// the order in which they are given.
func Move(from, to *Store, n int) {
	from.mu.Lock()
	from.moves++
	to.mu.Lock()
	to.moves++
	from.goods -= n
	to.goods += n
	to.mu.Unlock()
	from.mu.Unlock()
}

// Count counts the visit of an inspector at both stores and returns how many
// goods there are together.
func Count(a, b *Store) int {
	a.mu.Lock()
	a.moves++
	b.mu.Lock()
	b.moves++
	goods := a.goods
	b.mu.Unlock()
	a.mu.Unlock()
	return goods + b.goods
}
