// Package numbering gives things numbers from 0 on, in the order in which they come: the locks, channels and
// memory that the events of a trace are about. What is known of them then is in slices, by number, or in a table.
package numbering

// A Key is what can have a number. The upper 32 bits of its Hash tell most keys apart, from their lowest bit on, as
// those of [Hash] do.
type Key interface {
	comparable
	Hash() uint64
}

// Hash spreads what tells a key from others over the upper bits (Knuth, The Art of Computer Programming, volume 3,
// 6.4: multiplicative hashing).
func Hash(word uint64) uint64 { return word * 0x9e3779b97f4a7c15 }

// HashMemory is [Hash] for memory of an address and a size, in one of its generations.
func HashMemory(addr uint64, size uint32, generation int32) uint64 {
	return Hash(addr ^ uint64(size)<<48 ^ uint64(generation)<<24)
}

// A Word is a key by its own value, as an address is.
type Word uint64

// Hash is that of a [Key].
func (w Word) Hash() uint64 { return Hash(uint64(w)) }

// Numbers are those of some keys. They are a hash table of their own, as each event asks it, and a map takes
// several times as long.
type Numbers[K Key] struct {
	keys  []K
	slots []int32 // one more than the number of a key, or 0; at most half of them are used
}

// Of returns the number of a key, which is Len before the call if it is a new one.
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

// Known returns the number of a key, if it has one.
func (n *Numbers[K]) Known(key K) (k int32, ok bool) {
	if len(n.slots) == 0 {
		return 0, false
	}
	k = *n.slot(key)
	return max(0, k-1), k > 0
}

// Len returns how many keys have numbers.
func (n *Numbers[K]) Len() int { return len(n.keys) }

// Keys returns the keys by their numbers. The caller must not change them.
func (n *Numbers[K]) Keys() []K { return n.keys }

// Clear forgets all keys, and keeps their room.
func (n *Numbers[K]) Clear() {
	n.keys = n.keys[:0]
	clear(n.slots)
}

// slot returns where the number of a key is, or is to be.
func (n *Numbers[K]) slot(key K) *int32 {
	for k := key.Hash() >> 32; ; k++ {
		at := &n.slots[k&uint64(len(n.slots)-1)]
		if *at == 0 || n.keys[*at-1] == key {
			return at
		}
	}
}

// A Table is what is known of some keys.
type Table[K Key, V any] struct {
	numbers Numbers[K]
	values  []*V
}

// Of returns what is known of a key: nothing yet, if it is a new one.
func (t *Table[K, V]) Of(key K) *V {
	k := t.numbers.Of(key)
	if int(k) == len(t.values) {
		t.values = append(t.values, new(V))
	}
	return t.values[k]
}

// Known returns what is known of a key, or nil if Of was not asked for it.
func (t *Table[K, V]) Known(key K) *V {
	if k, ok := t.numbers.Known(key); ok {
		return t.values[k]
	}
	return nil
}

// Values returns what is known of all keys, in the order in which they came. The caller must not change the slice.
func (t *Table[K, V]) Values() []*V { return t.values }
