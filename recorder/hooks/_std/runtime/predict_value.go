package runtime

import (
	"internal/abi"
	"unsafe"
)

// PredictReadable reports whether the n bytes at p, which are said to be a string, can be read:
// they are in one object of the heap, in the running goroutine's stack, or in the program's data.
// A string that several goroutines write may have the address of one and the length of another.
//
//go:nosplit
func PredictReadable(p, n uintptr) bool {
	if p < 4096 || p+n < p {
		return false
	}
	gp := getg()
	if gp.stack.lo <= p && p+n <= gp.stack.hi {
		return true
	}
	if s := spanOf(p); s != nil {
		if s.state.get() != mSpanInUse || p < s.base() || p >= s.limit {
			return false
		}
		return p+n <= s.base()+(s.objIndex(p)+1)*s.elemsize
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		if md.data <= p && p+n <= md.edata || md.noptrdata <= p && p+n <= md.enoptrdata {
			return true
		}
		// The end of read-only memory is not known here, but what lies in one page can be
		// read if its beginning can.
		const page = 4096
		if md.text <= p && p < md.end && p/page == (p+n-1)/page {
			return true
		}
		if md.rodata <= p && p < md.gofunc && p+n <= md.gofunc && md.rodata <= md.types && md.types < md.gofunc {
			return true
		}
	}
	return false
}

// PredictObject returns the address and size of the object of the heap that p points into, and
// whether it has no pointers (flat). The size is 0 if there is no object.
func PredictObject(p uintptr) (base, size uintptr, flat bool) {
	s := spanOfHeap(p)
	if s == nil || s.elemsize == 0 {
		return 0, 0, false
	}
	return s.base() + s.objIndex(p)*s.elemsize, s.elemsize, s.spanclass.noscan()
}

// PredictNewTinyBlock makes the next small object without pointers the first one of its block. So
// those of a test share blocks in the same way in all runs, whatever was allocated before.
func PredictNewTinyBlock() {
	mp := acquirem()
	if c := getMCache(mp); c != nil {
		c.tiny, c.tinyoffset = 0, 0
	}
	releasem(mp)
}

// A PredictDynamic is the value in an interface.
type PredictDynamic struct {
	Type unsafe.Pointer // nil if there is none
	Kind uint8          // as in package reflect
	// Data is the address of the value or, if Direct is set, the value itself, a pointer.
	Data       unsafe.Pointer
	Direct     bool
	Size       uintptr
	Comparable bool
}

// PredictInterface returns the value in the interface at p; methods says whether the interface has
// methods.
//
//go:nosplit
func PredictInterface(p unsafe.Pointer, methods bool) (d PredictDynamic) {
	words := *(*[2]unsafe.Pointer)(p)
	t := (*abi.Type)(words[0])
	if methods && words[0] != nil {
		t = (*abi.ITab)(words[0]).Type
	}
	if t == nil {
		return d
	}
	return PredictDynamic{unsafe.Pointer(t), uint8(t.Kind()), words[1], t.IsDirectIface(), t.Size_, t.Equal != nil}
}

// PredictTypeName returns the name of a type.
func PredictTypeName(typ unsafe.Pointer) string { return toRType((*abi.Type)(typ)).string() }
