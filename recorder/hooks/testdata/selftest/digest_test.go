package selftest

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"predictrt"
)

// What values are, as the rewriter tells hooks.
const (
	aString = 1 + iota
	aSlice  // its value is its length
	anEmpty // interface without methods
	anInterface
)

var errKnown = errors.New("known")

type named string

var unwanted string

// keep logs what a store of v and a load make of it.
func keep[T any](v T, what uint64) {
	p := new(T)
	shared = p
	keepIn(p, v, what)
}

// shared makes what it points to known to other goroutines.
var shared any

func keepIn[T any](p *T, v T, what uint64) {
	predictrt.StoreKept(p, siteWrite<<32|what<<13).Set(v)
	_ = *predictrt.LoadKept(p, siteRead<<32|what<<13)
}

// TestDigests logs values of several words in the order in which
// TestDigests of package hooks expects them.
func TestDigests(t *testing.T) {
	for _, s := range []string{"", "x", "done", strings.Repeat("ab", 20), strings.Repeat("y", 256)} {
		keep(s, aString)
		keep(strings.Clone(s), aString)
	}
	keep(named("done"), aString)
	for _, err := range []error{nil, errKnown, errors.New("known")} {
		keep(err, anInterface)
		keep(any(err), anEmpty)
	}
	one := 1
	for _, x := range []any{1, 2, int8(1), "done", named("done"), true, &one, 1} {
		keep(x, anEmpty)
	}
	keep([]int{1, 2, 3}, aSlice)
	predictrt.OperandOf("done", siteAtom<<32|aString<<13)
}

// TestNoDigests logs values of which the trace must not have one: some are too
// large, some cannot be read.
func TestNoDigests(t *testing.T) {
	shared = &unwanted
	predictrt.StoreOf(&unwanted, siteWrite<<32|aString<<13).Set("unwanted")
	_ = *predictrt.LoadOf(&unwanted, siteRead<<32|aString<<13)
	keep(strings.Repeat("y", 257), aString)
	keep(any(1.5), anEmpty)
	keep(any([]int(nil)), anEmpty)
	keep(any([2]string{}), anEmpty)

	// Halves of two strings that were stored at once.
	small := new([8]byte)
	keep(unsafe.String(&small[0], 200), aString)
	page := unreadable(t)
	keep(unsafe.String(&page[0], 5), aString)
	var boxed any = "text"
	(*[2]unsafe.Pointer)(unsafe.Pointer(&boxed))[1] = unsafe.Pointer(&page[0])
	keep(boxed, anEmpty)
}
