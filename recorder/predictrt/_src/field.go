package predictrt

import "unsafe"

// This file has the hooks of fields that properties name. The object begins offset bytes before
// the field; method is the number of the name that the property has for what is done with the
// field.

// Field logs what is about to be done with the field at p, and returns p.
func Field[T any](p *T, offset uintptr, method uint64, site uint32) *T {
	if Mode != 0 {
		fieldOf(unsafe.Pointer(p), offset, method, site)
	}
	return p
}

// fieldOf logs it as a call on the object of the field.
//
//go:noinline
func fieldOf(p unsafe.Pointer, offset uintptr, method uint64, site uint32) {
	object := unsafe.Add(p, -int(offset))
	if g := callee(object); g != nil {
		g.called(object, method, site)
	}
}

// A FieldRef is a field that is about to be stored to, by ref.
type FieldRef[T any, R interface{ Set(T) }] struct {
	ref    R
	p      unsafe.Pointer
	offset uintptr
	method uint64
	site   uint32
}

// Set logs the call of [Field], and stores v.
func (f FieldRef[T, R]) Set(v T) {
	if Mode != 0 {
		fieldOf(f.p, f.offset, f.method, f.site)
	}
	f.ref.Set(v)
}

// Field returns the reference with the call of [Field].
func (r Ref[T]) Field(offset uintptr, method uint64, site uint32) FieldRef[T, Ref[T]] {
	return FieldRef[T, Ref[T]]{r, unsafe.Pointer(r.p), offset, method, site}
}

// Field returns the reference with the call of [Field].
func (r RefKept[T]) Field(offset uintptr, method uint64, site uint32) FieldRef[T, RefKept[T]] {
	return FieldRef[T, RefKept[T]]{r, unsafe.Pointer(r.p), offset, method, site}
}

// A Guarded is a lock in a field.
type Guarded[T any, L locker[T]] struct {
	lock   L
	offset uintptr
	method uint64
	site   uint32
}

// A locker is a pointer to a lock. Mutex and RWMutex of package sync are locks.
type locker[T any] interface {
	*T
	Lock()
	Unlock()
	TryLock() bool
}

// Guard returns a lock in a field, of which a method is about to be called.
func Guard[T any, L locker[T]](lock L, offset uintptr, method uint64, site uint32) Guarded[T, L] {
	return Guarded[T, L]{lock, offset, method, site}
}

// Lock logs the call once the lock is acquired.
func (l Guarded[T, L]) Lock() {
	l.lock.Lock()
	Field((*T)(l.lock), l.offset, l.method, l.site)
}

// TryLock logs the call if the lock is acquired.
func (l Guarded[T, L]) TryLock() bool {
	ok := l.lock.TryLock()
	if ok {
		Field((*T)(l.lock), l.offset, l.method, l.site)
	}
	return ok
}

// Unlock logs the call while the lock is still held.
func (l Guarded[T, L]) Unlock() {
	Field((*T)(l.lock), l.offset, l.method, l.site)
	l.lock.Unlock()
}

// ReceiveFrom receives from a channel in a field, and then logs that.
func ReceiveFrom[T any, C interface{ ~chan T | ~<-chan T }](ch *C, offset uintptr, method uint64, site uint32) T {
	v, _ := ReceiveFromOK[T](ch, offset, method, site)
	return v
}

// ReceiveFromOK is ReceiveFrom that also reports whether v was sent.
func ReceiveFromOK[T any, C interface{ ~chan T | ~<-chan T }](ch *C, offset uintptr, method uint64, site uint32) (v T, ok bool) {
	v, ok = <-*ch
	Field(ch, offset, method, site)
	return v, ok
}

// A ClosingRef is a channel that is to be closed, with the field that it was read from.
type ClosingRef[T any, C interface{ ~chan T | ~chan<- T }] struct {
	ch     C
	field  *C
	offset uintptr
	method uint64
	site   uint32
}

// Closing reads the channel in a field that is the operand of close.
func Closing[T any, C interface{ ~chan T | ~chan<- T }](ch *C, offset uintptr, method uint64, site uint32) ClosingRef[T, C] {
	return ClosingRef[T, C]{*ch, ch, offset, method, site}
}

// Close logs the call, and closes the channel.
func (c ClosingRef[T, C]) Close() {
	Field(c.field, c.offset, c.method, c.site)
	close(c.ch)
}
