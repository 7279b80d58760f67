// Package mergesort is the parallel sort of the ConTest suite: it asks whether
// a goroutine more may run, and then counts it, in two critical sections, and
// what ends is counted in none.
package mergesort

import "sync"

// A Sorter sorts with some goroutines at most.
type Sorter struct {
	mu      sync.Mutex
	running int // guarded by mu
	Limit   int
	Most    int // how many ran at once
}

// Sort sorts a.
func (s *Sorter) Sort(a []int) {
	if len(a) < 2 {
		return
	}
	left, right := a[:len(a)/2], a[len(a)/2:]
	var half sync.WaitGroup
	if s.available() {
		s.begin()
		half.Go(func() {
			s.Sort(left)
			s.end()
		})
	} else {
		s.Sort(left)
	}
	s.Sort(right)
	half.Wait()
	merge(a, left, right)
}

func (s *Sorter) available() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running < s.Limit
}

func (s *Sorter) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
	s.Most = max(s.Most, s.running)
}

func (s *Sorter) end() {
	s.running--
}

func merge(a, left, right []int) {
	out := make([]int, 0, len(a))
	for len(left) > 0 && len(right) > 0 {
		if left[0] <= right[0] {
			out, left = append(out, left[0]), left[1:]
		} else {
			out, right = append(out, right[0]), right[1:]
		}
	}
	copy(a, append(append(out, left...), right...))
}
