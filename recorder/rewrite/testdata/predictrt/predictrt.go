// Package predictrt stands in for the run-time library in the tests of package
// rewrite. It keeps the library's contract with rewritten code and, if the
// environment variable EVENTS names a file, writes the number of each event's
// site to it at exit of Flush.
package predictrt

import (
	"os"
	"strconv"
	"sync"
	"unsafe"
)

var (
	mu     sync.Mutex
	events []byte
	on     = os.Getenv("EVENTS") != ""
)

func event(site uint32, extra string) {
	if !on {
		return
	}
	mu.Lock()
	events = strconv.AppendUint(events, uint64(site), 10)
	events = append(events, extra...)
	events = append(events, '\n')
	mu.Unlock()
	os.WriteFile(os.Getenv("EVENTS"), events, 0o666)
}

func Load[T any](p *T, site uint32) *T {
	if unsafe.Sizeof(*p) > 0 {
		_ = *(*byte)(unsafe.Pointer(p))
		event(site, "")
	}
	return p
}

type Ref[T any] struct {
	p    *T
	site uint32
}

func Store[T any](p *T, site uint32) Ref[T] { return Ref[T]{p, site} }

func (r Ref[T]) Set(v T) {
	event(r.site, "")
	*r.p = v
}

func Write[T any](p *T, site uint32) *T {
	event(site, "")
	return p
}

func MapRead[M any](m M, site uint32) M {
	event(site, "")
	return m
}

func MapWrite[M any](m M, site uint32) M {
	event(site, "")
	return m
}

func SliceRead[E any, S ~[]E](s S, site uint32) S {
	event(site, " "+strconv.Itoa(len(s)))
	return s
}

func SliceWrite[E any, S ~[]E](s S, site uint32) S {
	event(site, " "+strconv.Itoa(len(s)))
	return s
}

func Append[E any, S ~[]E](s S, n int, site uint32) S {
	if len(s)+n <= cap(s) {
		event(site, " "+strconv.Itoa(n))
	}
	return s
}

func Branch[B ~bool](c B, site uint32) B {
	event(site, " "+strconv.FormatBool(bool(c)))
	return c
}

func Case(n uint64, site uint32) { event(site, " "+strconv.FormatUint(n, 10)) }
