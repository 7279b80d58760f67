package indexer

import (
	"sync"
	"testing"
)

func TestIndex(t *testing.T) {
	var table Table
	var indexers sync.WaitGroup
	for _, words := range [][]int64{{7, 13}, {7 + 128, 15}} {
		indexers.Go(func() {
			for _, word := range words {
				if !table.Put(word) {
					continue
				}
				if found := table.Find(word); found != word {
					t.Errorf("%d collides with %d", word, found)
				}
				table.Remove(word)
			}
		})
	}
	indexers.Wait()
}
