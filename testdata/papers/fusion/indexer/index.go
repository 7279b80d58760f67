// Package indexer has a hash table in which goroutines index words: the indexer of
// Flanagan and Godefroid (Dynamic Partial-Order Reduction for Model Checking
// Software, POPL 2005), as in Table 1 of Wang et al. Of up to 11 goroutines all
// words have slots of their own.
package indexer

import "sync/atomic"

// A Table has a slot for each hash.
type Table struct {
	slots [128]atomic.Int64 // the word that is there, or 0
}

// Words returns the first n words of a goroutine, several times.
func Words(goroutine, n int64, times int) (words []int64) {
	for range times {
		for k := range n {
			words = append(words, 11*(k+1)+goroutine)
		}
	}
	return words
}

func (t *Table) slot(word int64) *atomic.Int64 { return &t.slots[7*word%int64(len(t.slots))] }

// Put takes the slot of a word, if that is free, in two steps.
func (t *Table) Put(word int64) bool {
	slot := t.slot(word)
	if slot.Load() != 0 {
		return false
	}
	slot.Store(word)
	return true
}

// Find returns the word that has the slot of this one.
func (t *Table) Find(word int64) int64 {
	slot := t.slot(word)
	return slot.Load()
}

// Remove gives the slot of a word back.
func (t *Table) Remove(word int64) {
	slot := t.slot(word)
	slot.Store(0)
}
