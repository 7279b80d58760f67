package selftest

import (
	"sync/atomic"
	"testing"
)

var value atomic.Value

func TestSyncAtomicValueLoad(t *testing.T)           { value.Load() }
func TestSyncAtomicValueStore(t *testing.T)          { value.Store(1) }
func TestSyncAtomicValueSwap(t *testing.T)           { value.Swap(1) }
func TestSyncAtomicValueCompareAndSwap(t *testing.T) { value.CompareAndSwap(1, 2) }

// integer is what the integer types of sync/atomic have in common.
type integer[T any] interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(old, new T) bool
	Add(T) T
	And(T) T
	Or(T) T
}

func each[T any](x integer[T], one, two T) {
	x.Store(one)
	x.Load()
	x.Swap(two)
	x.CompareAndSwap(two, one)
	x.Add(two)
	x.And(two)
	x.Or(one)
}

var (
	i32 atomic.Int32
	i64 atomic.Int64
	u32 atomic.Uint32
	u64 atomic.Uint64
	ptr atomic.Uintptr
	b   atomic.Bool
	p   atomic.Pointer[int]
)

// TestSyncAtomicTypes does 43 operations.
func TestSyncAtomicTypes(t *testing.T) {
	each(&i32, 1, 2)
	each(&i64, 1, 2)
	each(&u32, 1, 2)
	each(&u64, 1, 2)
	each(&ptr, 1, 2)
	b.Store(true)
	b.Load()
	b.Swap(false)
	b.CompareAndSwap(false, true)
	p.Store(new(int))
	p.Load()
	p.Swap(nil)
	p.CompareAndSwap(nil, new(int))
}
