// Package predictrt stands in for the run-time library in the tests of package
// rewrite. It keeps the library's contract with rewritten code and, if the
// environment variable EVENTS names a file, appends a line for each event to
// it: the number of the site, and what else is known.
package predictrt

import (
	"fmt"
	"os"
	"unsafe"
)

var log = open(os.Getenv("EVENTS"))

func open(name string) *os.File {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		panic(err)
	}
	return f
}

// event logs an event; it costs nothing that a program could notice if there
// is no log.
func event(site uint32, extra ...any) {
	if log == nil {
		return
	}
	line := []any{site}
	for _, x := range extra {
		line = append(line, fmt.Sprint(x))
	}
	fmt.Fprintln(log, line...)
}

func Load[T any](p *T, site uint32) *T {
	if unsafe.Sizeof(*p) > 0 {
		_ = *(*byte)(unsafe.Pointer(p))
		event(site)
	}
	return p
}

type Ref[T any] struct {
	p    *T
	site uint32
}

func Store[T any](p *T, site uint32) Ref[T] { return Ref[T]{p, site} }

func (r Ref[T]) Set(v T) {
	event(r.site)
	*r.p = v
}

type Refs[T, U any] struct {
	a Ref[T]
	b Ref[U]
}

func Both[T, U any](a Ref[T], b Ref[U]) Refs[T, U] { return Refs[T, U]{a, b} }

func (r Refs[T, U]) Set(v T, w U) {
	r.a.Set(v)
	r.b.Set(w)
}

func LoadOf[T any](p *T, head uint64) *T { return Load(p, uint32(head>>32)) }

func StoreOf[T any](p *T, head uint64) Ref[T] { return Store(p, uint32(head>>32)) }

func LoadKept[T any](p *T, head uint64) *T { return Load(p, uint32(head>>32)) }

type RefKept[T any] struct{ ref Ref[T] }

func StoreKept[T any](p *T, head uint64) RefKept[T] { return RefKept[T]{Store(p, uint32(head>>32))} }

func (r RefKept[T]) Set(v T) { r.ref.Set(v) }

func OperandOf[T any](v T, head uint64) T { return Operand(v, uint32(head>>32)) }

func Write[T any](p *T, site uint32) *T {
	event(site)
	return p
}

func MapRead[M any](m M, site uint32) M {
	event(site)
	return m
}

func MapWrite[M any](m M, site uint32) M {
	event(site)
	return m
}

func SliceRead[E any, S ~[]E](s S, site uint32) S {
	event(site, len(s))
	return s
}

func SliceWrite[E any, S ~[]E](s S, site uint32) S {
	event(site, len(s))
	return s
}

func Append[E any, S ~[]E](s S, n int, site uint32) S {
	if len(s)+n <= cap(s) {
		event(site, n)
	}
	return s
}

func Branch[B ~bool](c B, site uint32) B {
	event(site, bool(c))
	return c
}

func Assert[T any](v T, site uint32) T {
	event(site)
	return v
}

func Mark(site uint32) { event(site) }

func Marked[T any](v T, site uint32) T {
	event(site)
	return v
}

func Operand[T any](v T, site uint32) T {
	event(site, v)
	return v
}

func Case(n uint64, site uint32) { event(site, n) }

type Section uint32

func Region(site uint32) Section {
	event(site)
	return Section(site)
}

func (s Section) End() { event(uint32(s)) }
