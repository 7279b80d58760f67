package order

// A Numbering gives objects, as channels and locks, numbers from 0 on, in the order in which they come. It is
// a hash table of its own, as each operation asks it, and a map takes several times as long.
type Numbering struct {
	objects []uint64
	slots   []int32 // one more than the number of an object, or 0; at most half of them are used
}

// Of returns the number of an object, which is Len before the call if it is a new one.
func (n *Numbering) Of(obj uint64) int32 {
	if 2*len(n.objects) >= len(n.slots) {
		n.slots = make([]int32, max(64, 4*len(n.slots)))
		for k, obj := range n.objects {
			*n.slot(obj) = int32(k) + 1
		}
	}
	at := n.slot(obj)
	if *at == 0 {
		n.objects = append(n.objects, obj)
		*at = int32(len(n.objects))
	}
	return *at - 1
}

// Known returns the number of an object, if it has one.
func (n *Numbering) Known(obj uint64) (k int32, ok bool) {
	if len(n.slots) == 0 {
		return 0, false
	}
	k = *n.slot(obj)
	return max(0, k-1), k > 0
}

// Len returns how many objects have numbers.
func (n *Numbering) Len() int { return len(n.objects) }

// slot returns where the number of an object is, or is to be.
func (n *Numbering) slot(obj uint64) *int32 {
	for k := obj * 0x9e3779b97f4a7c15 >> 32; ; k++ {
		at := &n.slots[k&uint64(len(n.slots)-1)]
		if *at == 0 || n.objects[*at-1] == obj {
			return at
		}
	}
}
