// Package numbering numbers keys from 0 on, in the order in which they first occur: for instance the
// locks, channels and memory that the events of a trace use. Data about them can then be kept in
// slices, by number, or in a [Table].
package numbering

// A Key is a value that can be numbered. The upper 32 bits of its Hash select a slot of the hash
// table, the lowest of these first, so they should differ between keys; those of [Hash] do.
type Key interface {
	comparable
	Hash() uint64
}

// Hash returns a hash of word in whose upper bits all bits of word have a say (Knuth, The Art of
// Computer Programming, volume 3, 6.4: multiplicative hashing).
func Hash(word uint64) uint64 { return word * 0x9e3779b97f4a7c15 }

// HashMemory returns a hash of the memory at addr with a size, in one of its generations.
func HashMemory(addr uint64, size uint32, generation int32) uint64 {
	return Hash(addr ^ uint64(size)<<48 ^ uint64(generation)<<24)
}

// A Word is a key that consists of one word, such as an address.
type Word uint64

// Hash implements [Key].
func (w Word) Hash() uint64 { return Hash(uint64(w)) }

// A Numbers assigns numbers to keys. It is a hash table of its own, as it is asked for each event of a
// trace, and a map takes several times as long.
type Numbers[K Key] struct {
	keys  []K
	slots []int32 // the number of a key plus one, or 0; at most half of the slots are used
}

// Of returns the number of a key. A new key gets the number that Len returned before the call.
func (n *Numbers[K]) Of(key K) int32 {
	if 2*len(n.keys) >= len(n.slots) {
		n.slots = make([]int32, max(8, 4*len(n.slots)))
		for k, key := range n.keys {
			*n.slot(key) = int32(k) + 1
		}
	}
	at := n.slot(key)
	if *at == 0 {
		n.keys = append(n.keys, key)
		*at = int32(len(n.keys))
	}
	return *at - 1
}

// Known returns the number of a key; ok is false if it has none.
func (n *Numbers[K]) Known(key K) (k int32, ok bool) {
	if len(n.slots) == 0 {
		return 0, false
	}
	k = *n.slot(key)
	return max(0, k-1), k > 0
}

// Len returns the number of keys.
func (n *Numbers[K]) Len() int { return len(n.keys) }

// Keys returns the keys, in the order of their numbers. The caller must not change them.
func (n *Numbers[K]) Keys() []K { return n.keys }

// Clear removes all keys, and keeps the allocated memory.
func (n *Numbers[K]) Clear() {
	n.keys = n.keys[:0]
	clear(n.slots)
}

// slot returns the slot of a key, or the free slot where it belongs.
func (n *Numbers[K]) slot(key K) *int32 {
	for k := key.Hash() >> 32; ; k++ {
		at := &n.slots[k&uint64(len(n.slots)-1)]
		if *at == 0 || n.keys[*at-1] == key {
			return at
		}
	}
}

// A Table maps keys to values of type V.
type Table[K Key, V any] struct {
	numbers Numbers[K]
	values  []*V
}

// Of returns the value of a key. A new key gets a zero value.
func (t *Table[K, V]) Of(key K) *V {
	k := t.numbers.Of(key)
	if int(k) == len(t.values) {
		t.values = append(t.values, new(V))
	}
	return t.values[k]
}

// Known returns the value of a key, or nil if the table does not have the key.
func (t *Table[K, V]) Known(key K) *V {
	if k, ok := t.numbers.Known(key); ok {
		return t.values[k]
	}
	return nil
}

// Values returns the values, in the order in which their keys were added. The caller must not change
// the slice.
func (t *Table[K, V]) Values() []*V { return t.values }
