package selftest

import (
	"runtime"
	"testing"

	"predictrt"
)

var (
	number       = 42
	small        = int8(-1)
	name         = "before"
	unread       = "before"
	cleared      struct{ a, b int }
	word         = uint32(7)
	swapped      = int64(3)
	failed       = int64(4)
	pair         = [2]int{5, 6}
	manyTimes    [1 << 15]int32
	afterManyOne = 1
)

// TestHeld writes variables of which TestHeld of package hooks knows what they held.
func TestHeld(t *testing.T) {
	for i := range 2 {
		predictrt.Store(&number, siteWrite).Set(i)
		predictrt.Store(&small, siteWrite).Set(int8(i))
		predictrt.StoreKept(&name, siteWrite<<32|aString<<13).Set("after")
		predictrt.StoreOf(&unread, siteWrite<<32|aString<<13).Set("after")
		*predictrt.Write(&cleared.b, siteWrite) += 2
		predictrt.Store(&pair, siteWrite).Set([2]int{})
		predictrt.Store(&pair[1], siteWrite).Set(i)
		predictrt.StoreUint32(&word, 8, siteAtom)
		predictrt.CompareAndSwapInt64(&swapped, 3, 4, siteAtom)
		predictrt.CompareAndSwapInt64(&failed, 3, 4, siteAtom)
	}
}

// TestHeldAgain writes what lies where something else was.
func TestHeldAgain(t *testing.T) {
	for range 3 {
		x := new(int)
		shared = x
		*x = 9
		predictrt.Store(x, siteWrite).Set(1)
		x, shared = nil, nil
		runtime.GC()
	}
}

// TestHeldMany writes more variables than there is room for.
func TestHeldMany(t *testing.T) {
	for range 2 {
		for i := range manyTimes {
			predictrt.Store(&manyTimes[i], siteWrite).Set(1)
		}
	}
	predictrt.Store(&afterManyOne, siteWrite).Set(2)
}

// TestHeldAnew is the next test, which has room of its own.
func TestHeldAnew(t *testing.T) {
	predictrt.Store(&afterManyOne, siteWrite).Set(3)
}
