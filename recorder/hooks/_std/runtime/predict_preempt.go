package runtime

import "internal/stringslite"

// A goroutine is switched at hooks, so that an event and what it tells of are
// not separated, but it must give way like any other: when its time slice is
// over it does so at its next hook or call. Only what comes to neither, a loop
// that waits for a variable in a package that is not instrumented, is
// interrupted wherever it is.

// predictMaxUninterrupted is how long a goroutine may run without a hook or a call
// while others wait.
const predictMaxUninterrupted = 100_000_000 // nanoseconds

// predictEndSlice is called on some thread when a goroutine's time slice is over:
// its next hook takes the slow path, which begins with a call.
func predictEndSlice() {
	if predictOn {
		*predictHooks.FastRecord = 1
	}
}

// predictMayInterrupt reports whether what runs on pp may be interrupted.
func predictMayInterrupt(pp *p) bool {
	if !predictActive {
		return true
	}
	tick := pp.sysmontick
	return tick.schedtick == pp.schedtick && nanotime()-tick.schedwhen > predictMaxUninterrupted
}

// predictIsAtomic reports whether a function may not be interrupted: it logs
// events and does operations.
func predictIsAtomic(name string) bool {
	return predictActive && (stringslite.HasPrefix(name, "predictrt.") ||
		stringslite.HasPrefix(name, "sync.") || stringslite.HasPrefix(name, "sync/atomic."))
}
