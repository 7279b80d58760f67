package runtime

import (
	"internal/runtime/maps"
	"internal/stringslite"
	"unsafe"
)

// PredictHooks are the functions that package predictrt installs. They are called on user
// goroutines only, never on a system stack, except Freed and Finish. pc is the address that the
// operation returns to, by which its site is found.
type PredictHooks struct {
	// Fork is called before a goroutine is made, and returns its record.
	Fork func(pc uintptr) unsafe.Pointer
	// End is called when a goroutine has run its last function.
	End   func()
	Panic func(pc uintptr)

	// Make and Close are called for channels, by their numbers. Send and Recv are called before
	// an operation. They return its site, which Sent or Recvd gets after the operation, or 0 if
	// it is not to be logged.
	Make, Close func(ch, capacity uint64, pc uintptr)
	Send, Recv  func(ch, capacity uint64, pc uintptr) uint32
	Sent, Recvd func(ch, capacity, elem uint64, site uint32)
	// SelectReceive and SelectSend are called for each case of a select, first all that receive.
	// Select and Selected are called before and after it, as Send and Sent are.
	SelectReceive, SelectSend func(ch, capacity uint64, pc uintptr)
	Select                    func(cases int, hasDefault bool, pc uintptr) uint32
	Selected                  func(chosen int, site uint32)
	// TimerFired is called after Recvd if the element is from a timer.
	TimerFired func(timer unsafe.Pointer, site uint32)

	// Gosched and ReadClock are called before a goroutine calls runtime.Gosched, and before it
	// reads the clock.
	Gosched, ReadClock func()
	// FiresAtOnce is called where a timer that is due in ns nanoseconds is about to fire before
	// the goroutine that sets it can wait for it. It reports whether the timer may.
	FiresAtOnce func(ns int64) bool
	// ReadInput is called before a goroutine reads what comes from outside of the program.
	ReadInput func(input uint8)
	// ReadInputAt is called before a goroutine reads an input, and returns to pc, unless the
	// standard library does so for itself.
	ReadInputAt func(input uint8, pc uintptr)

	// What happens before a Post of a token happens before each later Await of it. An Await of
	// nil comes after all that was logged before.
	Post, Await func(token unsafe.Pointer, pc uintptr)

	// SetFinalizer and NoFinalizer are called where a finalizer of the object at obj is set or
	// removed, BeginFinalizer and EndFinalizer around its call.
	SetFinalizer                func(obj, pc uintptr)
	NoFinalizer, BeginFinalizer func(obj uintptr)
	EndFinalizer                func()
	// Cleanup is called where a cleanup is attached, and returns its record. BeginCleanup is
	// called before its call, EndFinalizer after it, and NoCleanup where it is stopped. Cleanups
	// is called before the cleanups that one garbage collection has found.
	Cleanup                 func(pc uintptr) unsafe.Pointer
	BeginCleanup, NoCleanup func(call unsafe.Pointer)
	Cleanups                func()

	// BeforeCopy and BeforeMapAccess are called before package reflect copies size bytes from
	// src to dst, and before it reads or writes m.
	BeforeCopy      func(dst, src unsafe.Pointer, size, pc uintptr)
	BeforeMapAccess func(m unsafe.Pointer, write bool, pc uintptr)

	// FastRecord is the library's record for the fast path of its hooks; 1 closes that.
	FastRecord *uintptr

	// Freed is called, on any stack, when the garbage collector frees objects: of 64 of a size
	// from addr on those with their bits set.
	Freed func(addr, size uintptr, which uint64)

	// Allocated is called when the running goroutine has made an object; nil if nobody asks. The
	// size is 0 if the object shares a block with older ones. typ is a hash of its type, or of that
	// of its elements; 0 if nobody knows it.
	Allocated func(addr, size uintptr, typ uint32)

	// Misused is called where an operation finds that it is a misuse, by which the goroutine
	// panics or the program dies: an unlock of what is not locked, a send on a closed channel.
	Misused func()

	// Finish writes out what is buffered; orderly is set at the regular end of the process. It
	// may run on any stack and without a P.
	Finish func(orderly bool)
}

var (
	predictOn      bool   // hooks are installed
	predictActive  bool   // GOPREDICT_RT was set at the start
	predictEnv     string // what it held
	predictProcs   int    // what GOMAXPROCS answers
	predictHooks   PredictHooks
	predictChanIDs uint64 // number of channels so far
)

const predictEnvName = "GOPREDICT_RT="

// predictReadMode moves GOPREDICT_RT out of the environment, so that the program's children do not
// inherit it.
func predictReadMode() {
	for i, s := range envs {
		if stringslite.HasPrefix(s, predictEnvName) {
			predictEnv = s[len(predictEnvName):]
			predictActive = predictEnv != ""
			envs = append(envs[:i:i], envs[i+1:]...)
			return
		}
	}
}

// predictStartProcs returns the number of Ps to start with: one, or procs in an ordinary run.
// sched.lock is held.
func predictStartProcs(procs int32) int32 {
	if !predictActive {
		return procs
	}
	predictProcs = int(procs)
	predictStartClock()
	sched.customGOMAXPROCS = true // keeps sysmon from changing it
	return 1
}

// predictPollDelay waits if delay is less than a millisecond, and returns how long is left to
// wait. netpoll rounds up to milliseconds, and with a single P nobody else takes care of timers
// meanwhile.
func predictPollDelay(delay int64) int64 {
	if !predictActive || delay <= 0 || delay >= 1e6 {
		return delay
	}
	usleep(uint32(delay+999) / 1000)
	return 0
}

// predictGOMAXPROCS is GOMAXPROCS, but has no effect.
func predictGOMAXPROCS(n int) int {
	old := predictProcs
	if n > 0 {
		predictProcs = n
	}
	return old
}

// predictToldProcs is what the program is told of GOMAXPROCS.
func predictToldProcs() int {
	if !predictActive {
		return int(gomaxprocs)
	}
	return predictProcs
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

// PredictOnMapWrites has writing called in the middle of each write to a map from now on.
func PredictOnMapWrites(writing func(m unsafe.Pointer)) { maps.PredictWriting = writing }

// PredictMisused is called where an operation finds that it is a misuse.
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

// predictIsUser reports whether hooks are to be called here: they are installed, and this is not a
// system stack.
func predictIsUser() bool {
	gp := getg()
	return predictOn && gp.m.curg == gp
}

// predictFork returns the record of a new goroutine; nil for those of the runtime. fn is its
// function, nil for a coroutine.
func predictFork(fn *funcval, pc uintptr) unsafe.Pointer {
	if !predictIsUser() || fn != nil && stringslite.HasPrefix(funcname(findfunc(fn.fn)), "runtime.") {
		return nil
	}
	return predictHooks.Fork(pc)
}

// predictSetRecord gives gp, which is new, its record.
func predictSetRecord(gp *g, rec unsafe.Pointer) {
	gp.predict, gp.predictCall, predictStarting = rec, predictStarting, nil
	if rec != nil {
		(*PredictGoroutine)(rec).G = unsafe.Pointer(gp)
	}
}

func predictEnd() {
	if predictIsUser() {
		predictHooks.End()
		gp := getg()
		gp.predict, gp.predictCall = nil, nil
	}
}

// PredictGosched is Gosched without its hook.
func PredictGosched() { mcall(gosched_m) }

// predictYielding is the number of goroutines in PredictYield. predictYieldsNow says that one is
// about to be queued for that.
var (
	// predictYielding is the number of goroutines in PredictYield. predictYieldsNow says that one
	// is about to be queued for that.
	predictYielding  int
	predictYieldsNow bool
)

// PredictYield is Gosched for a goroutine that only package predictrt interrupts. It goes on after
// those that can run now. Those that are started and woken meanwhile come after it: otherwise two
// that wake each other in turns could keep it from running.
func PredictYield() {
	predictYielding++
	predictYieldsNow = true
	mcall(gosched_m)
	predictYielding--
}

// predictFlush calls the hook Finish.
func predictFlush(orderly bool) {
	if predictOn {
		predictHooks.Finish(orderly)
	}
}

func predictPost(token unsafe.Pointer, pc uintptr) {
	if predictIsUser() {
		predictHooks.Post(token, pc)
	}
}

// predictAwait calls the hook. It returns false, so that it can stand in a condition.
func predictAwait(token unsafe.Pointer, pc uintptr) bool {
	if predictIsUser() {
		predictHooks.Await(token, pc)
	}
	return false
}
