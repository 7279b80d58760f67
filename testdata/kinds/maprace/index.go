// Package maprace is an index whose map is written without a lock; the lock
// of the counter beside it hides that.
package maprace

import "sync"

// An Index remembers on which page a word stands.
type Index struct {
	pages map[string]int

	mu    sync.Mutex
	words int // guarded by mu
}

// Put enters a word.
func (x *Index) Put(word string, page int) {
	x.pages[word] = page
	x.mu.Lock()
	x.words++
	x.mu.Unlock()
}

// Move enters a word that was on another page before.
func (x *Index) Move(word string, page int) {
	x.mu.Lock()
	x.words--
	x.mu.Unlock()
	delete(x.pages, word)
	x.Put(word, page)
}
