package predictrt

import "unsafe"

// The functions of package sync/atomic, with the site of the call.

// LoadInt32 loads *addr.
func LoadInt32(addr *int32, site uint32) int32 {
	return int32(load((*uint32)(unsafe.Pointer(addr)), site))
}

// StoreInt32 stores val.
func StoreInt32(addr *int32, val int32, site uint32) {
	store((*uint32)(unsafe.Pointer(addr)), uint32(val), site)
}

// SwapInt32 stores new and returns the old value.
func SwapInt32(addr *int32, new int32, site uint32) (old int32) {
	return int32(swap((*uint32)(unsafe.Pointer(addr)), uint32(new), site))
}

// CompareAndSwapInt32 stores new if *addr is old.
func CompareAndSwapInt32(addr *int32, old, new int32, site uint32) (swapped bool) {
	return compareAndSwap((*uint32)(unsafe.Pointer(addr)), uint32(old), uint32(new), site)
}

// AddInt32 adds delta and returns the sum.
func AddInt32(addr *int32, delta int32, site uint32) (new int32) {
	return int32(add((*uint32)(unsafe.Pointer(addr)), uint32(delta), site))
}

// AndInt32 keeps the bits of mask and returns the old value.
func AndInt32(addr *int32, mask int32, site uint32) (old int32) {
	return int32(and((*uint32)(unsafe.Pointer(addr)), uint32(mask), site))
}

// OrInt32 sets the bits of mask and returns the old value.
func OrInt32(addr *int32, mask int32, site uint32) (old int32) {
	return int32(or((*uint32)(unsafe.Pointer(addr)), uint32(mask), site))
}

// LoadUint32 loads *addr.
func LoadUint32(addr *uint32, site uint32) uint32 {
	return load(addr, site)
}

// StoreUint32 stores val.
func StoreUint32(addr *uint32, val uint32, site uint32) {
	store(addr, val, site)
}

// SwapUint32 stores new and returns the old value.
func SwapUint32(addr *uint32, new uint32, site uint32) (old uint32) {
	return swap(addr, new, site)
}

// CompareAndSwapUint32 stores new if *addr is old.
func CompareAndSwapUint32(addr *uint32, old, new uint32, site uint32) (swapped bool) {
	return compareAndSwap(addr, old, new, site)
}

// AddUint32 adds delta and returns the sum.
func AddUint32(addr *uint32, delta uint32, site uint32) (new uint32) {
	return add(addr, delta, site)
}

// AndUint32 keeps the bits of mask and returns the old value.
func AndUint32(addr *uint32, mask uint32, site uint32) (old uint32) {
	return and(addr, mask, site)
}

// OrUint32 sets the bits of mask and returns the old value.
func OrUint32(addr *uint32, mask uint32, site uint32) (old uint32) {
	return or(addr, mask, site)
}

// LoadInt64 loads *addr.
func LoadInt64(addr *int64, site uint32) int64 {
	return int64(load((*uint64)(unsafe.Pointer(addr)), site))
}

// StoreInt64 stores val.
func StoreInt64(addr *int64, val int64, site uint32) {
	store((*uint64)(unsafe.Pointer(addr)), uint64(val), site)
}

// SwapInt64 stores new and returns the old value.
func SwapInt64(addr *int64, new int64, site uint32) (old int64) {
	return int64(swap((*uint64)(unsafe.Pointer(addr)), uint64(new), site))
}

// CompareAndSwapInt64 stores new if *addr is old.
func CompareAndSwapInt64(addr *int64, old, new int64, site uint32) (swapped bool) {
	return compareAndSwap((*uint64)(unsafe.Pointer(addr)), uint64(old), uint64(new), site)
}

// AddInt64 adds delta and returns the sum.
func AddInt64(addr *int64, delta int64, site uint32) (new int64) {
	return int64(add((*uint64)(unsafe.Pointer(addr)), uint64(delta), site))
}

// AndInt64 keeps the bits of mask and returns the old value.
func AndInt64(addr *int64, mask int64, site uint32) (old int64) {
	return int64(and((*uint64)(unsafe.Pointer(addr)), uint64(mask), site))
}

// OrInt64 sets the bits of mask and returns the old value.
func OrInt64(addr *int64, mask int64, site uint32) (old int64) {
	return int64(or((*uint64)(unsafe.Pointer(addr)), uint64(mask), site))
}

// LoadUint64 loads *addr.
func LoadUint64(addr *uint64, site uint32) uint64 {
	return load(addr, site)
}

// StoreUint64 stores val.
func StoreUint64(addr *uint64, val uint64, site uint32) {
	store(addr, val, site)
}

// SwapUint64 stores new and returns the old value.
func SwapUint64(addr *uint64, new uint64, site uint32) (old uint64) {
	return swap(addr, new, site)
}

// CompareAndSwapUint64 stores new if *addr is old.
func CompareAndSwapUint64(addr *uint64, old, new uint64, site uint32) (swapped bool) {
	return compareAndSwap(addr, old, new, site)
}

// AddUint64 adds delta and returns the sum.
func AddUint64(addr *uint64, delta uint64, site uint32) (new uint64) {
	return add(addr, delta, site)
}

// AndUint64 keeps the bits of mask and returns the old value.
func AndUint64(addr *uint64, mask uint64, site uint32) (old uint64) {
	return and(addr, mask, site)
}

// OrUint64 sets the bits of mask and returns the old value.
func OrUint64(addr *uint64, mask uint64, site uint32) (old uint64) {
	return or(addr, mask, site)
}

// LoadUintptr loads *addr.
func LoadUintptr(addr *uintptr, site uint32) uintptr {
	return load(addr, site)
}

// StoreUintptr stores val.
func StoreUintptr(addr *uintptr, val uintptr, site uint32) {
	store(addr, val, site)
}

// SwapUintptr stores new and returns the old value.
func SwapUintptr(addr *uintptr, new uintptr, site uint32) (old uintptr) {
	return swap(addr, new, site)
}

// CompareAndSwapUintptr stores new if *addr is old.
func CompareAndSwapUintptr(addr *uintptr, old, new uintptr, site uint32) (swapped bool) {
	return compareAndSwap(addr, old, new, site)
}

// AddUintptr adds delta and returns the sum.
func AddUintptr(addr *uintptr, delta uintptr, site uint32) (new uintptr) {
	return add(addr, delta, site)
}

// AndUintptr keeps the bits of mask and returns the old value.
func AndUintptr(addr *uintptr, mask uintptr, site uint32) (old uintptr) {
	return and(addr, mask, site)
}

// OrUintptr sets the bits of mask and returns the old value.
func OrUintptr(addr *uintptr, mask uintptr, site uint32) (old uintptr) {
	return or(addr, mask, site)
}
