package predictrt

import "unsafe"

// The functions of package sync/atomic, with the site of the call.

func LoadInt32(addr *int32, site uint32) int32 {
	return int32(load((*uint32)(unsafe.Pointer(addr)), site))
}

func StoreInt32(addr *int32, val int32, site uint32) {
	store((*uint32)(unsafe.Pointer(addr)), uint32(val), site)
}

func SwapInt32(addr *int32, new int32, site uint32) (old int32) {
	return int32(swap((*uint32)(unsafe.Pointer(addr)), uint32(new), site))
}

func CompareAndSwapInt32(addr *int32, old, new int32, site uint32) (swapped bool) {
	return compareAndSwap((*uint32)(unsafe.Pointer(addr)), uint32(old), uint32(new), site)
}

func AddInt32(addr *int32, delta int32, site uint32) (new int32) {
	return int32(add((*uint32)(unsafe.Pointer(addr)), uint32(delta), site))
}

func AndInt32(addr *int32, mask int32, site uint32) (old int32) {
	return int32(and((*uint32)(unsafe.Pointer(addr)), uint32(mask), site))
}

func OrInt32(addr *int32, mask int32, site uint32) (old int32) {
	return int32(or((*uint32)(unsafe.Pointer(addr)), uint32(mask), site))
}

func LoadUint32(addr *uint32, site uint32) uint32 {
	return load(addr, site)
}

func StoreUint32(addr *uint32, val uint32, site uint32) {
	store(addr, val, site)
}

func SwapUint32(addr *uint32, new uint32, site uint32) (old uint32) {
	return swap(addr, new, site)
}

func CompareAndSwapUint32(addr *uint32, old, new uint32, site uint32) (swapped bool) {
	return compareAndSwap(addr, old, new, site)
}

func AddUint32(addr *uint32, delta uint32, site uint32) (new uint32) {
	return add(addr, delta, site)
}

func AndUint32(addr *uint32, mask uint32, site uint32) (old uint32) {
	return and(addr, mask, site)
}

func OrUint32(addr *uint32, mask uint32, site uint32) (old uint32) {
	return or(addr, mask, site)
}

func LoadInt64(addr *int64, site uint32) int64 {
	return int64(load((*uint64)(unsafe.Pointer(addr)), site))
}

func StoreInt64(addr *int64, val int64, site uint32) {
	store((*uint64)(unsafe.Pointer(addr)), uint64(val), site)
}

func SwapInt64(addr *int64, new int64, site uint32) (old int64) {
	return int64(swap((*uint64)(unsafe.Pointer(addr)), uint64(new), site))
}

func CompareAndSwapInt64(addr *int64, old, new int64, site uint32) (swapped bool) {
	return compareAndSwap((*uint64)(unsafe.Pointer(addr)), uint64(old), uint64(new), site)
}

func AddInt64(addr *int64, delta int64, site uint32) (new int64) {
	return int64(add((*uint64)(unsafe.Pointer(addr)), uint64(delta), site))
}

func AndInt64(addr *int64, mask int64, site uint32) (old int64) {
	return int64(and((*uint64)(unsafe.Pointer(addr)), uint64(mask), site))
}

func OrInt64(addr *int64, mask int64, site uint32) (old int64) {
	return int64(or((*uint64)(unsafe.Pointer(addr)), uint64(mask), site))
}

func LoadUint64(addr *uint64, site uint32) uint64 {
	return load(addr, site)
}

func StoreUint64(addr *uint64, val uint64, site uint32) {
	store(addr, val, site)
}

func SwapUint64(addr *uint64, new uint64, site uint32) (old uint64) {
	return swap(addr, new, site)
}

func CompareAndSwapUint64(addr *uint64, old, new uint64, site uint32) (swapped bool) {
	return compareAndSwap(addr, old, new, site)
}

func AddUint64(addr *uint64, delta uint64, site uint32) (new uint64) {
	return add(addr, delta, site)
}

func AndUint64(addr *uint64, mask uint64, site uint32) (old uint64) {
	return and(addr, mask, site)
}

func OrUint64(addr *uint64, mask uint64, site uint32) (old uint64) {
	return or(addr, mask, site)
}

func LoadUintptr(addr *uintptr, site uint32) uintptr {
	return load(addr, site)
}

func StoreUintptr(addr *uintptr, val uintptr, site uint32) {
	store(addr, val, site)
}

func SwapUintptr(addr *uintptr, new uintptr, site uint32) (old uintptr) {
	return swap(addr, new, site)
}

func CompareAndSwapUintptr(addr *uintptr, old, new uintptr, site uint32) (swapped bool) {
	return compareAndSwap(addr, old, new, site)
}

func AddUintptr(addr *uintptr, delta uintptr, site uint32) (new uintptr) {
	return add(addr, delta, site)
}

func AndUintptr(addr *uintptr, mask uintptr, site uint32) (old uintptr) {
	return and(addr, mask, site)
}

func OrUintptr(addr *uintptr, mask uintptr, site uint32) (old uintptr) {
	return or(addr, mask, site)
}
