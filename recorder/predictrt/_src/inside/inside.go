// Package inside is package predictrt for packages of the standard library and of other modules that
// work on memory of the program. It has the same hooks of accesses, which log the access at the site of the
// program's call, and none of anything else.
package inside

import (
	"predictrt"
	"unsafe"
)

// Load logs a read of *p and returns p.
func Load[T any](p *T, _ uint32) *T {
	if predictrt.Mode != 0 {
		predictrt.LogInside(predictrt.KindRead, 0, unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
	return p
}

// LoadOf is Load.
func LoadOf[T any](p *T, _ uint64) *T { return Load(p, 0) }

// LoadKept is Load.
func LoadKept[T any](p *T, _ uint64) *T { return Load(p, 0) }

// A Ref is a variable that is about to be stored to.
type Ref[T any] struct{ p *T }

// Store returns the reference of a store; Set does it.
func Store[T any](p *T, _ uint32) Ref[T] { return Ref[T]{p} }

// StoreOf is Store.
func StoreOf[T any](p *T, _ uint64) Ref[T] { return Ref[T]{p} }

// StoreKept is Store.
func StoreKept[T any](p *T, _ uint64) Ref[T] { return Ref[T]{p} }

// Set logs a write and stores v.
func (r Ref[T]) Set(v T) { *Write(r.p, 0) = v }

// Refs are two variables that one statement is about to store to.
type Refs[T, U any] struct {
	a Ref[T]
	b Ref[U]
}

// Both returns the references of two stores; Set does them.
func Both[T, U any](a Ref[T], b Ref[U]) Refs[T, U] { return Refs[T, U]{a, b} }

// Set does both stores.
func (r Refs[T, U]) Set(v T, w U) {
	r.a.Set(v)
	r.b.Set(w)
}

// Write logs a write of *p and returns p.
func Write[T any](p *T, _ uint32) *T {
	if predictrt.Mode != 0 {
		predictrt.LogInside(predictrt.KindWrite, 0, unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
	return p
}

// MapRead logs that the map m is read, and returns it.
func MapRead[M any](m M, _ uint32) M {
	if predictrt.Mode != 0 {
		predictrt.LogInside(predictrt.KindRead, predictrt.OfMap, *(*unsafe.Pointer)(unsafe.Pointer(&m)), 8)
	}
	return m
}

// MapWrite logs that the map m is changed, and returns it.
func MapWrite[M any](m M, _ uint32) M {
	if predictrt.Mode != 0 {
		predictrt.LogInside(predictrt.KindWrite, predictrt.OfMap, *(*unsafe.Pointer)(unsafe.Pointer(&m)), 8)
	}
	return m
}

// SliceRead logs a read of all elements of s, and returns it.
func SliceRead[E any, S ~[]E](s S, _ uint32) S {
	if predictrt.Mode != 0 {
		predictrt.LogInsideSpan(predictrt.KindRead, unsafe.Pointer(unsafe.SliceData(s)), len(s), unsafe.Sizeof(s[0]))
	}
	return s
}

// SliceWrite logs a write of all elements of s, and returns it.
func SliceWrite[E any, S ~[]E](s S, _ uint32) S {
	if predictrt.Mode != 0 {
		predictrt.LogInsideSpan(predictrt.KindWrite, unsafe.Pointer(unsafe.SliceData(s)), len(s), unsafe.Sizeof(s[0]))
	}
	return s
}

// Append logs what appending n elements to s does to its array.
func Append[E any, S ~[]E](s S, n int, _ uint32) S {
	if predictrt.Mode != 0 {
		predictrt.LogInsideAppend(unsafe.Pointer(&s), n, unsafe.Sizeof(s[0]))
	}
	return s
}
