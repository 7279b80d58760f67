package predictrt

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The operations proper. They are nosplit, so that no other goroutine can
// come between them and the preparation that precedes.

//go:nosplit
func p32[W word](p *W) *uint32 { return (*uint32)(unsafe.Pointer(p)) }

//go:nosplit
func p64[W word](p *W) *uint64 { return (*uint64)(unsafe.Pointer(p)) }

//go:nosplit
func doLoad[W word](p *W) W {
	if unsafe.Sizeof(*p) == 4 {
		return W(atomic.Load(p32(p)))
	}
	return W(atomic.Load64(p64(p)))
}

//go:nosplit
func doSwap[W word](p *W, v W) W {
	if unsafe.Sizeof(*p) == 4 {
		return W(atomic.Xchg(p32(p), uint32(v)))
	}
	return W(atomic.Xchg64(p64(p), uint64(v)))
}

//go:nosplit
func doCompareAndSwap[W word](p *W, old, new W) bool {
	if unsafe.Sizeof(*p) == 4 {
		return atomic.Cas(p32(p), uint32(old), uint32(new))
	}
	return atomic.Cas64(p64(p), uint64(old), uint64(new))
}

//go:nosplit
func doAdd[W word](p *W, delta W) W {
	if unsafe.Sizeof(*p) == 4 {
		return W(atomic.Xadd(p32(p), int32(delta)))
	}
	return W(atomic.Xadd64(p64(p), int64(delta)))
}

//go:nosplit
func doAnd[W word](p *W, mask W) W {
	if unsafe.Sizeof(*p) == 4 {
		return W(atomic.And32(p32(p), uint32(mask)))
	}
	return W(atomic.And64(p64(p), uint64(mask)))
}

//go:nosplit
func doOr[W word](p *W, mask W) W {
	if unsafe.Sizeof(*p) == 4 {
		return W(atomic.Or32(p32(p), uint32(mask)))
	}
	return W(atomic.Or64(p64(p), uint64(mask)))
}
