package predictrt

import "unsafe"

// The functions here are the hooks of what is done with fields that properties name. The object
// begins offset bytes before its field, method stands for what is done, and the site is that of the
// field.

// Field is what the address of a field becomes with which something is about to be done.
func Field[T any](p *T, offset uintptr, method uint64, site uint32) *T {
	if Mode != 0 {
		fieldOf(unsafe.Pointer(p), offset, method, site)
	}
	return p
}

//go:noinline
func fieldOf(p unsafe.Pointer, offset uintptr, method uint64, site uint32) {
	object := unsafe.Add(p, -int(offset))
	if g := callee(object); g != nil {
		g.called(object, method, site)
	}
}

// A FieldRef is a field that is about to be stored to.
type FieldRef[T any, R interface{ Set(T) }] struct {
	ref    R
	p      unsafe.Pointer
	offset uintptr
	method uint64
	site   uint32
}

// Set logs what [Field] does, and then does what it does without a property.
func (f FieldRef[T, R]) Set(v T) {
	if Mode != 0 {
		fieldOf(f.p, f.offset, f.method, f.site)
	}
	f.ref.Set(v)
}

// Field is [Field] of what is stored to.
func (r Ref[T]) Field(offset uintptr, method uint64, site uint32) FieldRef[T, Ref[T]] {
	return FieldRef[T, Ref[T]]{r, unsafe.Pointer(r.p), offset, method, site}
}

// Field is [Field] of what is stored to.
func (r RefKept[T]) Field(offset uintptr, method uint64, site uint32) FieldRef[T, RefKept[T]] {
	return FieldRef[T, RefKept[T]]{r, unsafe.Pointer(r.p), offset, method, site}
}

// Guarded is a lock that is a field.
type Guarded[T any, L locker[T]] struct {
	lock   L
	offset uintptr
	method uint64
	site   uint32
}

type locker[T any] interface {
	*T
	Lock()
	Unlock()
	TryLock() bool
}

// Guard is what a lock becomes of which a method is called.
func Guard[T any, L locker[T]](lock L, offset uintptr, method uint64, site uint32) Guarded[T, L] {
	return Guarded[T, L]{lock, offset, method, site}
}

// Lock logs that the lock is acquired once it is.
func (l Guarded[T, L]) Lock() {
	l.lock.Lock()
	Field((*T)(l.lock), l.offset, l.method, l.site)
}

// TryLock is Lock if it succeeds.
func (l Guarded[T, L]) TryLock() bool {
	ok := l.lock.TryLock()
	if ok {
		Field((*T)(l.lock), l.offset, l.method, l.site)
	}
	return ok
}

// Unlock logs that the lock is released while it is held.
func (l Guarded[T, L]) Unlock() {
	Field((*T)(l.lock), l.offset, l.method, l.site)
	l.lock.Unlock()
}

// ReceiveFrom receives from a channel that is a field.
func ReceiveFrom[T any, C interface{ ~chan T | ~<-chan T }](ch *C, offset uintptr, method uint64, site uint32) T {
	v := <-*ch
	Field(ch, offset, method, site)
	return v
}

// ReceiveFromOK is ReceiveFrom that tells whether v was sent.
func ReceiveFromOK[T any, C interface{ ~chan T | ~<-chan T }](ch *C, offset uintptr, method uint64, site uint32) (v T, ok bool) {
	v, ok = <-*ch
	Field(ch, offset, method, site)
	return v, ok
}

// A ClosingRef is a channel that was a field when that was looked at, and is to be closed.
type ClosingRef[T any, C interface{ ~chan T | ~chan<- T }] struct {
	ch     C
	field  *C
	offset uintptr
	method uint64
	site   uint32
}

// Closing is what the operand of close becomes.
func Closing[T any, C interface{ ~chan T | ~chan<- T }](ch *C, offset uintptr, method uint64, site uint32) ClosingRef[T, C] {
	return ClosingRef[T, C]{*ch, ch, offset, method, site}
}

// Close closes the channel.
func (c ClosingRef[T, C]) Close() {
	Field(c.field, c.offset, c.method, c.site)
	close(c.ch)
}
