package predictrt

import (
	"sync/atomic"
	"unsafe"
)

func LoadInt32(p *int32, site uint32) int32 {
	event(site)
	return atomic.LoadInt32(p)
}

func StoreInt32(p *int32, v int32, site uint32) {
	event(site)
	atomic.StoreInt32(p, v)
}

func SwapInt32(p *int32, v int32, site uint32) int32 {
	event(site)
	return atomic.SwapInt32(p, v)
}

func CompareAndSwapInt32(p *int32, old, v int32, site uint32) bool {
	event(site)
	return atomic.CompareAndSwapInt32(p, old, v)
}

func AddInt32(p *int32, v int32, site uint32) int32 {
	event(site)
	return atomic.AddInt32(p, v)
}

func AndInt32(p *int32, v int32, site uint32) int32 {
	event(site)
	return atomic.AndInt32(p, v)
}

func OrInt32(p *int32, v int32, site uint32) int32 {
	event(site)
	return atomic.OrInt32(p, v)
}

func LoadInt64(p *int64, site uint32) int64 {
	event(site)
	return atomic.LoadInt64(p)
}

func StoreInt64(p *int64, v int64, site uint32) {
	event(site)
	atomic.StoreInt64(p, v)
}

func SwapInt64(p *int64, v int64, site uint32) int64 {
	event(site)
	return atomic.SwapInt64(p, v)
}

func CompareAndSwapInt64(p *int64, old, v int64, site uint32) bool {
	event(site)
	return atomic.CompareAndSwapInt64(p, old, v)
}

func AddInt64(p *int64, v int64, site uint32) int64 {
	event(site)
	return atomic.AddInt64(p, v)
}

func AndInt64(p *int64, v int64, site uint32) int64 {
	event(site)
	return atomic.AndInt64(p, v)
}

func OrInt64(p *int64, v int64, site uint32) int64 {
	event(site)
	return atomic.OrInt64(p, v)
}

func LoadUint32(p *uint32, site uint32) uint32 {
	event(site)
	return atomic.LoadUint32(p)
}

func StoreUint32(p *uint32, v uint32, site uint32) {
	event(site)
	atomic.StoreUint32(p, v)
}

func SwapUint32(p *uint32, v uint32, site uint32) uint32 {
	event(site)
	return atomic.SwapUint32(p, v)
}

func CompareAndSwapUint32(p *uint32, old, v uint32, site uint32) bool {
	event(site)
	return atomic.CompareAndSwapUint32(p, old, v)
}

func AddUint32(p *uint32, v uint32, site uint32) uint32 {
	event(site)
	return atomic.AddUint32(p, v)
}

func AndUint32(p *uint32, v uint32, site uint32) uint32 {
	event(site)
	return atomic.AndUint32(p, v)
}

func OrUint32(p *uint32, v uint32, site uint32) uint32 {
	event(site)
	return atomic.OrUint32(p, v)
}

func LoadUint64(p *uint64, site uint32) uint64 {
	event(site)
	return atomic.LoadUint64(p)
}

func StoreUint64(p *uint64, v uint64, site uint32) {
	event(site)
	atomic.StoreUint64(p, v)
}

func SwapUint64(p *uint64, v uint64, site uint32) uint64 {
	event(site)
	return atomic.SwapUint64(p, v)
}

func CompareAndSwapUint64(p *uint64, old, v uint64, site uint32) bool {
	event(site)
	return atomic.CompareAndSwapUint64(p, old, v)
}

func AddUint64(p *uint64, v uint64, site uint32) uint64 {
	event(site)
	return atomic.AddUint64(p, v)
}

func AndUint64(p *uint64, v uint64, site uint32) uint64 {
	event(site)
	return atomic.AndUint64(p, v)
}

func OrUint64(p *uint64, v uint64, site uint32) uint64 {
	event(site)
	return atomic.OrUint64(p, v)
}

func LoadUintptr(p *uintptr, site uint32) uintptr {
	event(site)
	return atomic.LoadUintptr(p)
}

func StoreUintptr(p *uintptr, v uintptr, site uint32) {
	event(site)
	atomic.StoreUintptr(p, v)
}

func SwapUintptr(p *uintptr, v uintptr, site uint32) uintptr {
	event(site)
	return atomic.SwapUintptr(p, v)
}

func CompareAndSwapUintptr(p *uintptr, old, v uintptr, site uint32) bool {
	event(site)
	return atomic.CompareAndSwapUintptr(p, old, v)
}

func AddUintptr(p *uintptr, v uintptr, site uint32) uintptr {
	event(site)
	return atomic.AddUintptr(p, v)
}

func AndUintptr(p *uintptr, v uintptr, site uint32) uintptr {
	event(site)
	return atomic.AndUintptr(p, v)
}

func OrUintptr(p *uintptr, v uintptr, site uint32) uintptr {
	event(site)
	return atomic.OrUintptr(p, v)
}

func LoadPointer(p *unsafe.Pointer, site uint32) unsafe.Pointer {
	event(site)
	return atomic.LoadPointer(p)
}

func StorePointer(p *unsafe.Pointer, v unsafe.Pointer, site uint32) {
	event(site)
	atomic.StorePointer(p, v)
}

func SwapPointer(p *unsafe.Pointer, v unsafe.Pointer, site uint32) unsafe.Pointer {
	event(site)
	return atomic.SwapPointer(p, v)
}

func CompareAndSwapPointer(p *unsafe.Pointer, old, v unsafe.Pointer, site uint32) bool {
	event(site)
	return atomic.CompareAndSwapPointer(p, old, v)
}
