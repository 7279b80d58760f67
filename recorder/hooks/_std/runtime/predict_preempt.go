package runtime

import "internal/stringslite"

// A goroutine stops at hooks only, so that an event is not separated from its operation. It still
// must let others run: when its time slice is over, it does so at its next hook or call. Only a
// goroutine that reaches neither is interrupted, as a loop in a package that is not instrumented.

// predictMaxUninterrupted is how long a goroutine may run without a hook or a call while others
// wait.
const predictMaxUninterrupted = 100_000_000 // nanoseconds

// predictEndSlice is called, on some thread, when a goroutine's time slice is over: its next hook
// takes the slow path, which begins with a call.
func predictEndSlice() {
	if predictOn {
		*predictHooks.FastRecord = 1
	}
}

// predictMayInterrupt reports whether the goroutine that runs on pp may be interrupted.
func predictMayInterrupt(pp *p) bool {
	if !predictActive {
		return true
	}
	tick := pp.sysmontick
	return tick.schedtick == pp.schedtick && nanotime()-tick.schedwhen > predictMaxUninterrupted
}

// predictIsAtomic reports whether a function may not be interrupted, because it logs events and
// does operations.
func predictIsAtomic(name string) bool {
	return predictActive && (stringslite.HasPrefix(name, "predictrt.") ||
		stringslite.HasPrefix(name, "sync.") || stringslite.HasPrefix(name, "sync/atomic."))
}
