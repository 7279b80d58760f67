package barrierbench

import (
	"sync"
	"testing"
)

// bench lets n goroutines add to each other's sums, in rounds.
func bench(t *testing.T, b Barrier, n int) {
	const rounds = 3
	sums := make([]int, n)
	var workers sync.WaitGroup
	for id := range n {
		workers.Go(func() {
			for r := range rounds {
				sums[(id+r)%n]++
				b.Await(id)
			}
		})
	}
	workers.Wait()
	for k, sum := range sums {
		if sum != rounds {
			t.Errorf("sum %d is %d, want %d", k, sum, rounds)
		}
	}
}

func TestSimple(t *testing.T) { bench(t, NewSimple(9), 9) }

func TestTournament(t *testing.T) { bench(t, NewTournament(9), 9) }
