package predictrt

import (
	"runtime"
	"unsafe"
)

// This file has the hooks of sync.Pool. Which item a Get returns depends on what was put before.
// So the trace has it: the Await of a Get is of what the item's Put has posted, or has failed. A
// replay returns the same items to the Gets that its plan names, whatever the order was. Each test
// begins with empty pools, as one that runs alone does.

// EmptyPools empties all pools. Package sync sets it.
var EmptyPools func()

// keptForGet has the items that wait for the Get of the plan which returns them, by their numbers
// in the plan.
var keptForGet = map[int]any{}

// PoolPut logs that x, which points to token, is put into a pool, and a read of the size bytes
// that x points to. Who takes x out may change them at once, so they must not be in use any more,
// except by locks and atomic operations. PoolPut reports whether it has kept x for a Get of the
// plan.
func PoolPut(pool unsafe.Pointer, x any, token unsafe.Pointer, size, pc uintptr) bool {
	access(KindRead, flagTry, token, size, nil, Site(pc))
	g, site := enterAt(KindPost, uint64(uintptr(token)), pc)
	if g == nil {
		return false
	}
	item, planned := g.actor.plannedItem(KindPost, site, 0)
	if planned {
		runtime.PredictHold()
		keptForGet[item] = x
		runtime.PredictRelease()
	}
	g.log(KindPost, 0, site, 0, uint64(uintptr(token)), uint64(uintptr(pool)))
	return planned
}

// A PoolGet is a Get that has begun. The zero PoolGet logs nothing.
type PoolGet struct {
	g    *goroutine
	pool uint64
	site uint32
}

// BeginPoolGet is called before an item is taken from a pool, and waits for the Get's turn in the
// schedule.
func BeginPoolGet(pool unsafe.Pointer, pc uintptr) PoolGet {
	g := current()
	if g == nil {
		return PoolGet{}
	}
	site := siteOf(pc)
	g.beforeOperation(KindAwait, site, 0)
	g.actor.awaitTurn(KindAwait, site, 0)
	g.prepareOperation()
	return PoolGet{g, uint64(uintptr(pool)), site}
}

// Planned returns the item that the Get returns by the plan, nil for none; ok is false if the plan
// does not say.
func (get PoolGet) Planned() (x any, ok bool) {
	if get.g == nil {
		return nil, false
	}
	item, ok := get.g.actor.plannedItem(KindAwait, get.site, 1)
	if !ok || item == 0 {
		return nil, ok
	}
	runtime.PredictHold()
	x, ok = keptForGet[item]
	delete(keptForGet, item)
	runtime.PredictRelease()
	return x, ok
}

// Log logs that the Get has returned an item, for which token stands, or that it has found none.
func (get PoolGet) Log(some bool, token unsafe.Pointer) {
	g := get.g
	if g == nil {
		return
	}
	flags, obj := uint8(0), uint64(uintptr(token))
	if !some {
		flags, obj = flagFailed, newObject()
	}
	g.passAndLog(KindAwait, flags, get.site, 0, obj, get.pool)
}

// plannedItem returns the number of the item that the plan has for an event, the coming-th from
// now of its kind and site.
func (a *actor) plannedItem(kind uint8, site uint32, coming uint32) (item int, ok bool) {
	if a == nil {
		return 0, false
	}
	w := a.counterOf(kind, site)
	if w == nil {
		return 0, false
	}
	item, ok = w.poolItems[w.count+coming]
	return item, ok
}
