package predictrt

import (
	"runtime"
	"unsafe"
)

// This file makes each call of a finalizer or cleanup a goroutine of its own in the trace, with
// the order that the memory model gives it.

// A finalizerCall is the goroutine that the call of a finalizer or cleanup will be.
type finalizerCall struct {
	site uint32 // of the call that has attached it
	// test, path and account are of the goroutine that has attached it, path with a suffix.
	test    string
	path    string
	account *account
	// after is the token that the call awaits; nil means all that was logged.
	after unsafe.Pointer
}

// finalizers has the finalizers by the address of their object, which has at most one.
var finalizers map[uintptr]*finalizerCall

// Cleanups come after all that happened before the garbage collection that has found them.
// Finalizers also come one after the other, as their documentation promises. For each garbage
// collection, a goroutine of its own posts what the cleanups await.
var (
	hasCleanups        bool
	collectorGoroutine *goroutine
	collectionToken    byte // the address is the token
)

// newFinalizerCall returns the call that the running goroutine attaches; nil if that is not to be
// logged.
func newFinalizerCall(pc uintptr) *finalizerCall {
	g := current()
	if g == nil {
		return nil
	}
	site := siteOf(pc)
	path := appendNumber(g.path, ".f", g.finals+1)
	if by := callSites[site].starter; by == "" {
		g.finals++
	} else {
		path = appendNumber(g.path, by+"f", g.countLibraryChild(by))
	}
	return &finalizerCall{site: site, test: g.test, account: g.account, path: path}
}

// attach is called where a finalizer of the object at obj is set.
func attach(obj, pc uintptr) {
	f := newFinalizerCall(pc)
	if f == nil {
		return
	}
	runtime.PredictPin()
	if finalizers == nil {
		finalizers = map[uintptr]*finalizerCall{}
	}
	finalizers[obj] = f
	runtime.PredictUnpin()
}

// detach forgets the finalizer of the object at obj.
func detach(obj uintptr) {
	runtime.PredictPin()
	delete(finalizers, obj)
	runtime.PredictUnpin()
}

// cleanup returns the function to call in place of call, which calls a cleanup.
func cleanup(call func(fn, arg unsafe.Pointer), pc uintptr) func(fn, arg unsafe.Pointer) {
	f := newFinalizerCall(pc)
	if f == nil {
		return call
	}
	hasCleanups, f.after = true, unsafe.Pointer(&collectionToken)
	return func(fn, arg unsafe.Pointer) {
		f.enter()
		call(fn, arg)
		leaveFinal()
	}
}

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
func enterFinal(obj uintptr) {
	f := finalizers[obj]
	detach(obj)
	f.enter()
}

// enter makes the events that follow those of the call; f is nil if nothing is known of it.
func (f *finalizerCall) enter() {
	runtime.PredictSetFinalizer(unsafe.Pointer(f))
	runtime.PredictSetRecord(nil)
}

// logOrder logs what the call comes after.
func (f *finalizerCall) logOrder(g *goroutine) {
	token := uint64(uintptr(f.after))
	g.actor.pass(KindAwait, 0, token, 0, nil)
	makeRoom()
	g.log(KindAwait, 0, 0, 0, token, 0)
}

// leaveFinal ends the goroutine of the call.
func leaveFinal() {
	if g := (*goroutine)(runtime.PredictRecord()); g != nil && g.hasBegun {
		end()
	}
	runtime.PredictSetFinalizer(nil)
	runtime.PredictSetRecord(nil)
}
