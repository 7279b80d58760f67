package collections

// A HashSet keeps its numbers by the rest of their division.
type HashSet struct {
	buckets [4][]int
	size    int
	changes int
}

func (s *HashSet) Add(v int) {
	b := &s.buckets[v%len(s.buckets)]
	*b = append(*b, v)
	s.size++
	s.changes++
}

func (s *HashSet) Clear() {
	for k := range s.buckets {
		s.buckets[k] = nil
	}
	s.size = 0
	s.changes++
}

func (s *HashSet) Len() int { return s.size }

func (s *HashSet) Each(f func(v int)) {
	changes := s.changes
	for k := range s.buckets {
		for _, v := range s.buckets[k] {
			f(v)
			if s.changes != changes {
				panic("collections: the set has changed")
			}
		}
	}
}
