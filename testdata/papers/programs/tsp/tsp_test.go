package tsp

import (
	"sync"
	"testing"
)

func TestTour(t *testing.T) {
	const cities, workers = 7, 3
	dist := make([][]int, cities)
	for a := range dist {
		dist[a] = make([]int, cities)
		for b := range dist[a] {
			dist[a][b] = (a*a+b*b)*7%31 + abs(a-b)
		}
	}
	s := New(dist)
	var all sync.WaitGroup
	for range workers {
		all.Go(s.Work)
	}
	all.Wait()
	if got := s.length(s.best) + dist[s.best[cities-1]][0]; got != s.min {
		t.Errorf("the best tour has length %d, and not %d", got, s.min)
	}
}

func abs(n int) int { return max(n, -n) }
