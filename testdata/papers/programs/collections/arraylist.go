package collections

// An ArrayList keeps its numbers in an array.
type ArrayList struct {
	items []int
	size  int
}

func (l *ArrayList) Add(v int) {
	l.items = append(l.items[:l.size], v)
	l.size++
}

func (l *ArrayList) Clear() {
	l.items = nil
	l.size = 0
}

func (l *ArrayList) Len() int { return l.size }

func (l *ArrayList) Each(f func(v int)) {
	for k := 0; k < l.size; k++ {
		f(l.items[k])
	}
}
