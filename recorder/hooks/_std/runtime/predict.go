package runtime

import (
	"internal/runtime/maps"
	"internal/stringslite"
	"unsafe"
)

// PredictHooks are the functions that package predictrt installs. They are
// called on user goroutines only, never on a system stack, except Freed and Flush.
type PredictHooks struct {
	// Fork is called before a goroutine is made; the result becomes the
	// record of the new goroutine.
	Fork func(pc uintptr) unsafe.Pointer
	// End is called when a goroutine has run its last function.
	End   func()
	Panic func(pc uintptr)

	// The first call of each pair returns the site to hand to the second
	// one, or 0 if the operation is not to be logged.
	Make     func(ch, capacity uint64, pc uintptr)
	Send     func(ch, capacity uint64, pc uintptr) uint32
	Sent     func(ch, capacity, elem uint64, site uint32)
	Recv     func(ch, capacity uint64, pc uintptr) uint32
	Recvd    func(ch, capacity, elem uint64, site uint32)
	Close    func(ch, capacity uint64, pc uintptr)
	Select   func(cases int, hasDefault bool, pc uintptr) uint32
	Selected func(chosen int, site uint32)
	// Case is called before Select for each case that would send.
	Case func(ch, capacity uint64, pc uintptr)
	// Other is called before these, for each case that would receive, in their order.
	Other func(ch, capacity uint64, pc uintptr)
	// Fired is called after Recvd if the element is from a timer.
	Fired func(timer unsafe.Pointer, site uint32)

	// Gosched is called before a goroutine gives way of its own will, and Clock
	// before it looks at the clock.
	Gosched, Clock func()
	// Brief is called where a timer that is due in ns nanoseconds is to fire before the
	// goroutine that sets it comes to wait, and reports whether it does.
	Brief func(ns int64) bool
	// Outside is called before a goroutine reads what comes from outside of the program.
	Outside func(what uint8)

	// Post and Await order what comes before the one before what comes after
	// the other one. An Await of nil is after all that was logged before.
	Post, Await func(token unsafe.Pointer, pc uintptr)

	// Attach is called where a finalizer is made for the object at obj, and
	// Detach where it is removed. Enter and Leave surround its call.
	Attach func(obj, pc uintptr)
	Detach func(obj uintptr)
	Enter  func(obj uintptr)
	Leave  func()
	// Cleanup returns what is to call a cleanup in place of call. Cleanups is
	// called before those that one garbage collection has found.
	Cleanup  func(call func(fn, arg unsafe.Pointer), pc uintptr) func(fn, arg unsafe.Pointer)
	Cleanups func()

	// Copy is called before size bytes at dst are overwritten with those at
	// src, for package reflect; Map before m is read or written.
	Copy func(dst, src unsafe.Pointer, size, pc uintptr)
	Map  func(m unsafe.Pointer, write bool, pc uintptr)

	// Hot is what the library keeps the fast path of its hooks in; 1 closes it.
	Hot *uintptr

	// Freed is called, on any stack, when the garbage collector gives objects
	// back: of 64 of that size from addr on those with their bits set.
	Freed func(addr, size uintptr, which uint64)

	// Misused is called where an operation finds that it is misuse, of which the
	// goroutine panics or the program dies: an unlock of what is not locked, a send to
	// what is closed.
	Misused func()

	// Flush writes out what is buffered; orderly is set at the regular end
	// of the process. It may run on any stack and without a P.
	Flush func(orderly bool)
}

var (
	predictOn      bool // hooks are installed
	predictOneP    bool // GOPREDICT_RT was set at the start
	predictEnv     string
	predictProcs   int // what GOMAXPROCS answers
	predictHooks   PredictHooks
	predictChanIDs uint64
)

const predictEnvName = "GOPREDICT_RT="

// predictTakeEnv moves GOPREDICT_RT out of the environment, so that the
// program's children do not inherit it.
func predictTakeEnv() {
	for i, s := range envs {
		if stringslite.HasPrefix(s, predictEnvName) {
			predictEnv = s[len(predictEnvName):]
			predictOneP = predictEnv != ""
			envs = append(envs[:i:i], envs[i+1:]...)
			return
		}
	}
}

// predictStartProcs returns the number of Ps to start with, given what it
// would be without us. sched.lock is held.
func predictStartProcs(procs int32) int32 {
	if !predictOneP {
		return procs
	}
	predictProcs = int(procs)
	predictStartClock()
	sched.customGOMAXPROCS = true // keeps sysmon from changing it
	return 1
}

// predictDelay waits, where that is less than a millisecond, and returns how
// long is left to wait. netpoll rounds up to milliseconds, and with a single P
// nobody else looks after timers meanwhile.
func predictDelay(delay int64) int64 {
	if !predictOneP || delay <= 0 || delay >= 1e6 {
		return delay
	}
	usleep(uint32(delay+999) / 1000)
	return 0
}

func predictGOMAXPROCS(n int) int {
	old := predictProcs
	if n > 0 {
		predictProcs = n
	}
	return old
}

// PredictEnv returns what GOPREDICT_RT held at the start of the process.
func PredictEnv() string { return predictEnv }

// PredictGetenv returns an environment variable.
func PredictGetenv(name string) string { return gogetenv(name) }

// PredictArg0 returns the name that the process was started with.
func PredictArg0() string {
	if len(argslice) == 0 {
		return ""
	}
	return argslice[0]
}

// PredictInstall switches the hooks on.
func PredictInstall(h PredictHooks) {
	predictHooks = h
	predictOn = true
}

// PredictInMaps has writing called in the middle of each write to a map from here on.
func PredictInMaps(writing func(m unsafe.Pointer)) { maps.PredictWriting = writing }

// PredictMisused is called where an operation finds that it is misuse.
func PredictMisused() {
	if predictOn {
		predictHooks.Misused()
	}
}

// PredictFatal ends the process with a message.
func PredictFatal(msg string) {
	predictOn = false
	print("gopredict: ", msg, "\n")
	exit(3)
}

func predictUser() bool {
	gp := getg()
	return predictOn && gp.m.curg == gp
}

func predictFork(fn *funcval, pc uintptr) unsafe.Pointer {
	if fn == nil || !predictUser() || stringslite.HasPrefix(funcname(findfunc(fn.fn)), "runtime.") {
		return nil
	}
	return predictHooks.Fork(pc)
}

// predictBorn gives gp, which is new, its record.
func predictBorn(gp *g, rec unsafe.Pointer) {
	gp.predict = rec
	if rec != nil {
		(*PredictChance)(rec).G = unsafe.Pointer(gp)
	}
}

func predictEnd() {
	if predictUser() {
		predictHooks.End()
		getg().predict = nil
	}
}

// PredictGosched is Gosched, for package predictrt.
func PredictGosched() { mcall(gosched_m) }

// predictGivenWay is how many goroutines are in PredictGiveWay, and predictGivesWay says that
// one is on its way into it.
var (
	predictGivenWay int
	predictGivesWay bool
)

// PredictGiveWay is Gosched for a goroutine that nothing but package predictrt interrupts:
// it goes on after those that can run now. Those that are started and woken meanwhile come
// after it, or two that wake each other in turns could keep it from going on for ever.
func PredictGiveWay() {
	predictGivenWay++
	predictGivesWay = true
	mcall(gosched_m)
	predictGivenWay--
}

func predictFlush(orderly bool) {
	if predictOn {
		predictHooks.Flush(orderly)
	}
}

func predictPost(token unsafe.Pointer, pc uintptr) {
	if predictUser() {
		predictHooks.Post(token, pc)
	}
}

// predictAwait returns false for the convenience of its callers.
func predictAwait(token unsafe.Pointer, pc uintptr) bool {
	if predictUser() {
		predictHooks.Await(token, pc)
	}
	return false
}

func predictForkCoro(pc uintptr) unsafe.Pointer {
	if !predictUser() {
		return nil
	}
	return predictHooks.Fork(pc)
}
