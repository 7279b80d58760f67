package predictrt

import (
	"runtime"
	"unsafe"
)

// Which item a Get of a sync.Pool returns depends on who was there before, so it is
// part of the trace: the Await of a Get is of what the item's Put has handed over, or
// has failed where there was none. A replay decides the same for the Gets that its plan
// names, whoever came first there. Each test begins with empty pools, as one that runs
// alone does.

// EmptyPools drops all that is in pools. Package sync sets it.
var EmptyPools func()

// pooled are the items that wait for the Get which is to have them, by their number in
// the plan.
var keptForGet = map[int]any{}

// PoolPut logs that x, which points to token, is put into a pool, and size bytes that x
// points to with it: who takes it out may use them at once, so that what changes them is to
// come before, but for locks and atomic operations, which may still be in use. It reports whether it has kept x for
// a Get of the plan.
func PoolPut(pool unsafe.Pointer, x any, token unsafe.Pointer, size, pc uintptr) bool {
	access(KindRead, flagTry, token, size, nil, Site(pc))
	g, site := enterAt(KindPost, uint64(uintptr(token)), pc)
	if g == nil {
		return false
	}
	item, planned := g.actor.plannedItem(KindPost, site, 0)
	if planned {
		runtime.PredictPin()
		keptForGet[item] = x
		runtime.PredictUnpin()
	}
	g.log(KindPost, 0, site, 0, uint64(uintptr(token)), uint64(uintptr(pool)))
	return planned
}

// PoolGet is a Get that has begun. The zero PoolGet is of no event.
type PoolGet struct {
	g    *goroutine
	pool uint64
	site uint32
}

// BeginPoolGet is called before an item is taken from a pool, and waits for the Get's
// turn in the schedule.
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

// Decided returns the item that the plan has for the Get, nil for none, if it says so.
func (get PoolGet) Planned() (x any, ok bool) {
	if get.g == nil {
		return nil, false
	}
	item, ok := get.g.actor.plannedItem(KindAwait, get.site, 1)
	if !ok || item == 0 {
		return nil, ok
	}
	runtime.PredictPin()
	x, ok = keptForGet[item]
	delete(keptForGet, item)
	runtime.PredictUnpin()
	return x, ok
}

// Done logs what was taken, which token stands for; or that there was nothing.
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

// item returns which item of the plan an event is about, if the plan says it: the
// coming'th of this kind and place from now.
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
