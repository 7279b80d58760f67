package collections

// A TreeSet keeps its numbers in a search tree.
type TreeSet struct {
	root *branch
	size int
}

type branch struct {
	value int
	kids  [2]*branch // with smaller values, and others
}

func (s *TreeSet) Add(v int) {
	at := &s.root
	for *at != nil {
		side := 0
		if v >= (*at).value {
			side = 1
		}
		at = &(*at).kids[side]
	}
	*at = &branch{value: v}
	s.size++
}

func (s *TreeSet) Clear() {
	s.root = nil
	s.size = 0
}

func (s *TreeSet) Len() int { return s.size }

func (s *TreeSet) Each(f func(v int)) {
	seen := s.root.each(f)
	if seen != s.size {
		panic("collections: the tree has changed")
	}
}

func (b *branch) each(f func(v int)) int {
	if b == nil {
		return 0
	}
	n := b.kids[0].each(f)
	f(b.value)
	return n + 1 + b.kids[1].each(f)
}
