package runtime

import "unsafe"

// A finalizer or cleanup is called in a goroutine of the runtime's. In the
// trace each call is a goroutine of its own.

// predictCleanup returns what is to call a cleanup, given what does it.
func predictCleanup(call func(*funcval, unsafe.Pointer), pc uintptr) func(*funcval, unsafe.Pointer) {
	if !predictIsUser() {
		return call
	}
	// To package predictrt a funcval is a pointer like others.
	f := predictHooks.Cleanup(*(*func(fn, arg unsafe.Pointer))(unsafe.Pointer(&call)), pc)
	return *(*func(*funcval, unsafe.Pointer))(unsafe.Pointer(&f))
}

// predictCgo is what C code synchronizes with: nobody knows what it does.
var predictCgo byte

// predictCgoPost is called where C may learn of what was done before.
func predictCgoPost(pc uintptr) {
	if iscgo {
		PredictRealWall()
		predictPost(unsafe.Pointer(&predictCgo), pc)
	}
}

// predictCgoAwait is called where the program may learn of what C knows.
func predictCgoAwait(pc uintptr) {
	if iscgo {
		predictAwait(unsafe.Pointer(&predictCgo), pc)
	}
}
