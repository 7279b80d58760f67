package collections

// A LinkedList keeps its numbers in nodes, the last one first.
type LinkedList struct {
	first *node
	size  int
}

type node struct {
	value int
	next  *node
}

func (l *LinkedList) Add(v int) {
	l.first = &node{v, l.first}
	l.size++
}

func (l *LinkedList) Clear() {
	l.first = nil
	l.size = 0
}

func (l *LinkedList) Len() int { return l.size }

func (l *LinkedList) Each(f func(v int)) {
	n := l.first
	for range l.size {
		f(n.value)
		n = n.next
	}
}
