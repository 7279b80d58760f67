// Package atomic stands in for internal/runtime/atomic.
package atomic

import (
	"sync/atomic"
	"unsafe"
)

func Load(p *uint32) uint32                 { return atomic.LoadUint32(p) }
func Load64(p *uint64) uint64               { return atomic.LoadUint64(p) }
func Loadp(p unsafe.Pointer) unsafe.Pointer { return atomic.LoadPointer((*unsafe.Pointer)(p)) }
func Store(p *uint32, v uint32)             { atomic.StoreUint32(p, v) }
func Xchg(p *uint32, v uint32) uint32       { return atomic.SwapUint32(p, v) }
func Xchg64(p *uint64, v uint64) uint64     { return atomic.SwapUint64(p, v) }
func Cas(p *uint32, old, new uint32) bool   { return atomic.CompareAndSwapUint32(p, old, new) }
func Cas64(p *uint64, old, new uint64) bool { return atomic.CompareAndSwapUint64(p, old, new) }
func Xadd(p *uint32, d int32) uint32        { return atomic.AddUint32(p, uint32(d)) }
func Xadd64(p *uint64, d int64) uint64      { return atomic.AddUint64(p, uint64(d)) }
func And32(p *uint32, v uint32) uint32      { return atomic.AndUint32(p, v) }
func And64(p *uint64, v uint64) uint64      { return atomic.AndUint64(p, v) }
func Or32(p *uint32, v uint32) uint32       { return atomic.OrUint32(p, v) }
func Or64(p *uint64, v uint64) uint64       { return atomic.OrUint64(p, v) }
