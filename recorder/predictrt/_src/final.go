package predictrt

import (
	"runtime"
	"unsafe"
)

// This file makes each call of a finalizer or cleanup a goroutine of its own in the trace, with
// the order that the memory model gives it.

// A lateCall is the goroutine that the call of a finalizer, a cleanup or the function of a timer
// will be. Its memory is reused when nothing can call it any more.
type lateCall struct {
	site uint32 // of the call that has attached it
	// test, account and the name are of the goroutine that has attached it, the name with a suffix.
	test    string
	account *account
	goName
	after uint64    // the token that the call awaits; 0 means all that was logged
	next  *lateCall // in unusedCalls, or in timerCalls
	timerCall
}

var (
	unusedCalls *lateCall // list of records that are not in use
	// finalizers has the finalizers by the address of their object, which has at most one.
	finalizers = map[uintptr]*lateCall{}
)

// newLateCall returns a record for what g attaches at a site.
func (g *goroutine) newLateCall(site uint32) *lateCall {
	c := unusedCalls
	if c != nil {
		unusedCalls = c.next
		*c = lateCall{goName: goName{buffer: c.buffer}}
	} else {
		c = (*lateCall)(runtime.PredictAlloc(unsafe.Sizeof(lateCall{})))
	}
	c.site, c.test, c.account = site, g.test, g.account
	c.setPath(g.path)
	return c
}

// release makes the memory of c available, which may be nil.
func (c *lateCall) release() {
	if c != nil {
		c.next, unusedCalls = unusedCalls, c
	}
}

// Cleanups come after all that happened before the garbage collection that has found them.
// Finalizers also come one after the other, as their documentation promises. For each garbage
// collection, a goroutine of its own posts what the cleanups await.
var (
	hasCleanups        bool
	collectorGoroutine *goroutine
	collectionToken    byte // the address is the token
)

// newFinalizerCall returns the call of a finalizer or cleanup that the running goroutine attaches,
// and which comes after a token; nil if that is not to be logged.
func newFinalizerCall(token uint64, pc uintptr) *lateCall {
	g := current()
	if g == nil {
		return nil
	}
	site := siteOf(pc)
	runtime.PredictPin()
	c := g.newLateCall(site)
	if by := callSites[site].starter; by == "" {
		g.finals++
		c.addPath(".f", g.finals)
	} else {
		c.addText(by)
		c.addPath("f", g.countLibraryChild(by))
	}
	c.after = token
	runtime.PredictUnpin()
	return c
}

// attach is called where a finalizer of the object at obj is set.
func attach(obj, pc uintptr) {
	c := newFinalizerCall(0, pc)
	if c == nil {
		return
	}
	runtime.PredictPin()
	finalizers[obj].release()
	finalizers[obj] = c
	runtime.PredictUnpin()
}

// detach forgets the finalizer of the object at obj.
func detach(obj uintptr) { takeFinalizer(obj).release() }

// takeFinalizer returns the finalizer of the object at obj, which has none any more.
func takeFinalizer(obj uintptr) *lateCall {
	runtime.PredictPin()
	c := finalizers[obj]
	delete(finalizers, obj)
	runtime.PredictUnpin()
	return c
}

// attachCleanup is called where a cleanup is attached, and returns its call.
func attachCleanup(pc uintptr) unsafe.Pointer {
	c := newFinalizerCall(uint64(uintptr(unsafe.Pointer(&collectionToken))), pc)
	hasCleanups = hasCleanups || c != nil
	return unsafe.Pointer(c)
}

// detachCleanup is called where a cleanup is stopped.
func detachCleanup(call unsafe.Pointer) { (*lateCall)(call).release() }

// enterCleanup is called before a cleanup is called.
func enterCleanup(call unsafe.Pointer) { (*lateCall)(call).enter() }

// cleanups is called before the cleanups of one garbage collection.
func cleanups() {
	if !hasCleanups {
		return
	}
	if collectorGoroutine == nil {
		runtime.PredictPin()
		collectorGoroutine = newGoroutine()
		collectorGoroutine.parent = collectorGoroutine.id
		collectorGoroutine.setPath("garbage")
		collectorGoroutine.define()
		runtime.PredictUnpin()
	}
	runtime.PredictSetRecord(unsafe.Pointer(collectorGoroutine))
	if g := enter(KindAwait, 0); g != nil {
		g.log(KindAwait, 0, 0, 0, 0, 0)
		g.log(KindPost, 0, 0, 0, uint64(uintptr(unsafe.Pointer(&collectionToken))), 0)
	}
	runtime.PredictSetRecord(nil)
}

// enterFinal is called before the finalizer of the object at obj.
func enterFinal(obj uintptr) { takeFinalizer(obj).enter() }

// enter makes the events that follow those of the call; c is nil if nothing is known of it.
func (c *lateCall) enter() {
	runtime.PredictSetCall(unsafe.Pointer(c))
	runtime.PredictSetRecord(nil)
}

// logOrder logs what the call comes after.
func (c *lateCall) logOrder(g *goroutine) {
	if c.timer != 0 {
		c.logRun()
		return
	}
	g.logAwait(0, c.after)
}

// logAwait logs that g has waited for a token.
func (g *goroutine) logAwait(site uint32, token uint64) {
	g.actor.pass(KindAwait, site, token, 0, nil)
	makeRoom()
	g.log(KindAwait, 0, site, 0, token, 0)
}

// leaveFinal ends the goroutine of the call.
func leaveFinal() {
	if g := (*goroutine)(runtime.PredictRecord()); g != nil && g.hasBegun {
		end()
	}
	(*lateCall)(runtime.PredictCallOf()).release()
	runtime.PredictSetCall(nil)
	runtime.PredictSetRecord(nil)
}
