// Package tsp is the travelling salesman of ETH: workers take beginnings of
// tours from a queue, and read the length of the shortest tour so far without
// the lock under which it is written.
package tsp

import "sync"

// A Solver looks for the shortest tour.
type Solver struct {
	dist [][]int // between cities

	mu    sync.Mutex
	queue [][]int // guarded by mu; tours that are not complete
	min   int     // length of the shortest tour; written under mu
	best  []int   // guarded by mu
}

// New returns a solver for cities with the given distances.
func New(dist [][]int) *Solver {
	s := &Solver{dist: dist, min: 1 << 30}
	for k := 1; k < len(dist); k++ {
		s.queue = append(s.queue, []int{0, k})
	}
	return s
}

// Work takes tours from the queue until there are none.
func (s *Solver) Work() {
	for tour := s.take(); tour != nil; tour = s.take() {
		s.search(tour, s.length(tour))
	}
}

func (s *Solver) take() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil
	}
	tour := s.queue[len(s.queue)-1]
	s.queue = s.queue[:len(s.queue)-1]
	return tour
}

func (s *Solver) length(tour []int) int {
	sum := 0
	for k := 1; k < len(tour); k++ {
		sum += s.dist[tour[k-1]][tour[k]]
	}
	return sum
}

func (s *Solver) search(tour []int, length int) {
	if length >= s.min {
		return
	}
	if len(tour) == len(s.dist) {
		s.offer(tour, length+s.dist[tour[len(tour)-1]][0])
		return
	}
	here := tour[len(tour)-1]
	for next := range s.dist {
		if !visited(tour, next) {
			s.search(append(tour[:len(tour):len(tour)], next), length+s.dist[here][next])
		}
	}
}

func visited(tour []int, city int) bool {
	for _, c := range tour {
		if c == city {
			return true
		}
	}
	return false
}

func (s *Solver) offer(tour []int, length int) {
	if length >= s.min {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if length < s.min {
		s.min, s.best = length, tour
	}
}
