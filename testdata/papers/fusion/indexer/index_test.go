package indexer

import (
	"sync"
	"testing"
)

// index has goroutines put and remove their words, and checks that the first word of
// goroutine g never loses its slot to another one.
func index(t *testing.T, indexers, g int64) {
	const times = 16
	var table Table
	var all sync.WaitGroup
	for i := range indexers {
		if i == g {
			words := Words(i, 1, times)
			all.Go(func() {
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
			continue
		}
		words := Words(i, 4, times)
		all.Go(func() {
			for _, word := range words {
				if table.Put(word) {
					table.Remove(word)
				}
			}
		})
	}
	all.Wait()
}

func TestIndexer10(t *testing.T)  { index(t, 10, 8) }
func TestIndexer15(t *testing.T)  { index(t, 15, 8) }
func TestIndexer15a(t *testing.T) { index(t, 15, 12) }
func TestIndexer20(t *testing.T)  { index(t, 20, 8) }
func TestIndexer20a(t *testing.T) { index(t, 20, 12) }
func TestIndexer25(t *testing.T)  { index(t, 25, 8) }
func TestIndexer25a(t *testing.T) { index(t, 25, 12) }
