package pointers

import (
	"testing"
	"unsafe"
)

func use(int) {}

type viaUnsafe struct{ n, other int }

func TestUnsafe(t *testing.T) {
	p := &viaUnsafe{}
	q := (*viaUnsafe)(unsafe.Pointer(p))
	go func() { q.n = 1 }() // loud: q.n
	use(p.n)                // loud: p.n
	use(p.other)            // loud: p.other
}

type viaHeader struct{ n int }

func TestElementsFromPointer(t *testing.T) {
	p := &viaHeader{}
	s := unsafe.Slice(&p.n, 1)
	go func() { s[0] = 1 }() // loud: s[0]
	use(p.n)                 // loud: p.n
}

type viaAddress struct{ a, b int }

var address uintptr

func TestAddress(t *testing.T) {
	p := &viaAddress{}
	address = uintptr(unsafe.Pointer(p))
	go func() {
		*(*int)(unsafe.Pointer(address + 8)) = 1 // loud: *(*int)(unsafe.Pointer(address + 8))
	}()
	use(p.b) // loud: p.b
}
