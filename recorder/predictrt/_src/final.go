package predictrt

import (
	"runtime"
	"unsafe"
)

// This file gives finalizers and cleanups goroutines of their own, and the order that the
// memory model gives them.

// final is a finalizer or cleanup: the goroutine that its call will be.
type finalizerCall struct {
	// of the call that has attached it
	site uint32
	// of the goroutine that did
	test    string
	path    string
	account *account
	// after is the token of what comes before it; nil: all that was logged.
	after unsafe.Pointer
}

// finalizers are by the address of their object, which has one at most.
var finalizers map[uintptr]*finalizerCall

// Cleanups come after all that happened before the garbage collection that has
// found them, finalizers also one after the other: the latter is what their
// documentation promises. What awaits garbage is a goroutine of its own, which
// posts for the cleanups of each collection.
var (
	hasCleanups        bool // there are cleanups
	collectorGoroutine *goroutine
	collectionToken    byte // the token
)

// newFinal is what the running goroutine attaches, or nil if that is not to be
// logged.
func newFinalizerCall(pc uintptr) *finalizerCall {
	g := current()
	if g == nil {
		return nil
	}
	site := siteOf(pc)
	path := numbered(g.path, ".f", g.finals+1)
	if by := callSites[site].starter; by == "" {
		g.finals++
	} else {
		path = numbered(g.path, by+"f", g.countLibraryChild(by))
	}
	return &finalizerCall{site: site, test: g.test, account: g.account, path: path}
}

// attach is called where a finalizer of the object at obj is made.
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

// cleanup returns what is to call a cleanup in place of call.
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
	runtime.PredictSetSelf(unsafe.Pointer(collectorGoroutine))
	if g := enter(KindAwait, 0); g != nil {
		g.log(KindAwait, 0, 0, 0, 0, 0)
		g.log(KindPost, 0, 0, 0, uint64(uintptr(unsafe.Pointer(&collectionToken))), 0)
	}
	runtime.PredictSetSelf(nil)
}

// enterFinal is called before the finalizer of the object at obj.
func enterFinal(obj uintptr) {
	f := finalizers[obj]
	detach(obj)
	f.enter()
}

// enter makes the goroutine that follows in the running one's place. f is nil
// if nothing is known of it.
func (f *finalizerCall) enter() {
	runtime.PredictSetFinal(unsafe.Pointer(f))
	runtime.PredictSetSelf(nil)
}

// began logs what the call comes after.
func (f *finalizerCall) logOrder(g *goroutine) {
	token := uint64(uintptr(f.after))
	g.actor.pass(KindAwait, 0, token, 0, nil)
	makeRoom()
	g.log(KindAwait, 0, 0, 0, token, 0)
}

// leaveFinal ends that goroutine.
func leaveFinal() {
	if g := (*goroutine)(runtime.PredictSelf()); g != nil && g.hasBegun {
		end()
	}
	runtime.PredictSetFinal(nil)
	runtime.PredictSetSelf(nil)
}
