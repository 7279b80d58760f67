// Package indexer has a hash table in which goroutines index words.
package indexer

import "sync/atomic"

// A Table has a slot for each remainder of a hash.
type Table struct {
	slots [128]atomic.Int64 // the word that is there, or 0
}

// Put takes the slot of a word, if that is free.
func (t *Table) Put(word int64) bool {
	slot := &t.slots[word%int64(len(t.slots))]
	if slot.Load() != 0 {
		return false
	}
	slot.Store(word)
	return true
}

// Find returns the word that has the slot of this one.
func (t *Table) Find(word int64) int64 {
	slot := &t.slots[word%int64(len(t.slots))]
	return slot.Load()
}

// Remove gives the slot of a word back.
func (t *Table) Remove(word int64) {
	slot := &t.slots[word%int64(len(t.slots))]
	slot.Store(0)
}
