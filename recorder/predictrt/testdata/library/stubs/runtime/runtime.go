// Package runtime stands in for the patched runtime in the tests of the run-time library:
// what these look at is in variables, and all other functions do nothing.
package runtime

import (
	"runtime"
	"unsafe"
)

var (
	Self    unsafe.Pointer           // the record of the running goroutine
	Clock   int64                    // the program's clock, in nanoseconds
	Written string                   // to all files
	Woken   []*PredictSemaphore      // in order
	Park    func()                   // is called where the running goroutine blocks
	Stack   []Frame                  // of the running goroutine, the innermost first
	State   PredictState             // what all goroutines do
	Waits   map[unsafe.Pointer]int64 // by goroutine, for how long at most, in nanoseconds
	Waiting []unsafe.Pointer         // the records of all goroutines that wait
	Calls   uint32                   // system calls so far

	kept [][]unsafe.Pointer
)

// A Frame is what stands for a program counter: its index in Stack, from 1.
type Frame struct {
	Func, File string
	Line       int
}

func PredictRecord() unsafe.Pointer       { return Self }
func PredictSetRecord(rec unsafe.Pointer) { Self = rec }
func PredictG() unsafe.Pointer            { return Self }
func PredictCanPark() bool                { return true }
func PredictClockNow() int64              { return Clock }
func PredictReadable(p, n uintptr) bool   { return true }
func PredictExamine() PredictState        { return State }
func PredictSyscalls() uint32             { return Calls }

func PredictEachWaiting(visit func(rec unsafe.Pointer)) {
	for _, rec := range Waiting {
		visit(rec)
	}
}

// PredictAlloc returns memory in which the garbage collector looks for pointers.
func PredictAlloc(n uintptr) unsafe.Pointer {
	kept = append(kept, make([]unsafe.Pointer, n/8+1))
	return unsafe.Pointer(&kept[len(kept)-1][0])
}

func PredictPark(s *PredictSemaphore) { Park() }
func PredictWake(s *PredictSemaphore) { Woken = append(Woken, s) }

func PredictFile(name string) int                    { return 1 }
func PredictRead(name string) (data []byte, ok bool) { return nil, false }

func PredictWrite(fd int, p unsafe.Pointer, n int) bool {
	Written += string(unsafe.Slice((*byte)(p), n))
	return true
}

func PredictFatal(msg string) { panic(msg) }
func PredictDie(msg string)   { panic(msg) }

func PredictCallers(pcs []uintptr) (n int, logical bool) {
	for n = 0; n < len(Stack) && n < len(pcs); n++ {
		pcs[n] = uintptr(n + 1)
	}
	return n, false
}

func PredictFrames(pc uintptr, logical bool, visit func(fn, file string, line int) bool) {
	if 0 < pc && int(pc) <= len(Stack) {
		f := Stack[pc-1]
		visit(f.Func, f.File, f.Line)
	}
}

func PredictNewFrames(pc uintptr, logical bool, visit func(fn, file string, line int) bool) {
	PredictFrames(pc, logical, visit)
}

func PredictBlocked(id unsafe.Pointer, pcs []uintptr) (reason string, n int) {
	n, _ = PredictCallers(pcs)
	return "sleep", n
}

func PredictTimeoutLeft(id unsafe.Pointer) (left int64, ok bool) {
	left, ok = Waits[id]
	return left, ok
}

func PredictSleepLeft(id unsafe.Pointer) (left int64, ok bool) { return PredictTimeoutLeft(id) }
func PredictPass(ns int64, held bool)                          { Clock += ns }

func PredictArg0() string { return "" }

func PredictEachReady(visit func(c *PredictGoroutine) bool) {}

func Version() string                     { return runtime.Version() }
func Callers(skip int, pcs []uintptr) int { return runtime.Callers(skip, pcs) }
func GC()                                 { runtime.GC() }

var (
	PredictSkipsTime bool
	PredictIsSilent  func(fd uintptr, writes bool) bool
)

// What PredictReadInput is told.
const (
	PredictClock = iota + 1
	PredictFiles
	PredictNetwork
	PredictCrypto
	PredictEnvironment
	PredictGoroutines
	PredictResult
	PredictProcesses
	PredictMapOrder
	PredictRandom
	PredictProcessors
	PredictPooled
)

type PredictSemaphore struct{ _ byte }

type PredictGoroutine struct {
	SelectCase   uint16
	Rank         uint64
	YieldsToRank bool
	LastInput    uint8
	G            unsafe.Pointer
	IsReady      bool
}

func (c *PredictGoroutine) Seed(x uint64)        {}
func (c *PredictGoroutine) CanCommunicate() bool { return c.IsReady }

type PredictState struct {
	Runnable      bool
	AwaitsOthers  bool
	AwaitsThread  bool
	AwaitsChild   bool
	AwaitsSignals bool
	NextTimer     int64
}

type PredictDynamic struct {
	Type       unsafe.Pointer // nil if nothing
	Kind       uint8          // as in package reflect
	Data       unsafe.Pointer
	Direct     bool
	Size       uintptr
	Comparable bool
}

type PredictHooks struct {
	Fork                        func(pc uintptr) unsafe.Pointer
	End                         func()
	Panic                       func(pc uintptr)
	Make, Close                 func(ch, capacity uint64, pc uintptr)
	Send, Recv                  func(ch, capacity uint64, pc uintptr) uint32
	Sent, Recvd                 func(ch, capacity, elem uint64, site uint32)
	SelectReceive, SelectSend   func(ch, capacity uint64, pc uintptr)
	Select                      func(cases int, hasDefault bool, pc uintptr) uint32
	Selected                    func(chosen int, site uint32)
	TimerFired                  func(timer unsafe.Pointer, site uint32)
	Gosched, ReadClock          func()
	FiresAtOnce                 func(ns int64) bool
	ReadInput                   func(input uint8)
	ReadInputAt                 func(input uint8, pc uintptr)
	Post, Await                 func(token unsafe.Pointer, pc uintptr)
	SetFinalizer                func(obj, pc uintptr)
	NoFinalizer, BeginFinalizer func(obj uintptr)
	EndFinalizer                func()
	Cleanup                     func(pc uintptr) unsafe.Pointer
	BeginCleanup, NoCleanup     func(call unsafe.Pointer)
	Cleanups                    func()
	BeforeCopy                  func(dst, src unsafe.Pointer, size, pc uintptr)
	BeforeMapAccess             func(m unsafe.Pointer, write bool, pc uintptr)
	FastRecord                  *uintptr
	Freed                       func(addr, size uintptr, which uint64)
	Allocated                   func(addr, size uintptr, typ uint32)
	Misused                     func()
	Finish                      func(orderly bool)
}

// The rest does nothing.

func PredictTimerAfter(when int64) (_ int64)                                           { return }
func PredictSetDeadline(timer unsafe.Pointer, tests int64) (_ int64)                   { return }
func PredictUseNetwork()                                                               {}
func PredictAlone() (_ bool)                                                           { return }
func PredictAnyRunnable(want func(rec unsafe.Pointer) bool) (any bool)                 { return }
func PredictAwaitWritten(n uint32)                                                     {}
func PredictAwaitAllWritten() (_ bool)                                                 { return }
func PredictAwaitsSignal() (any bool)                                                  { return }
func PredictHastenTimer(id unsafe.Pointer, ns int64)                                   {}
func PredictByRank()                                                                   {}
func PredictCPU() (_ int64)                                                            { return }
func PredictSyscallTime() (_ int64)                                                    { return }
func PredictChildless() (_ bool)                                                       { return }
func PredictCompareAndSwapPointer(p *unsafe.Pointer, old, new unsafe.Pointer) (_ bool) { return }
func PredictElapsed() (_ int64)                                                        { return }
func PredictEnv() (_ string)                                                           { return }
func PredictCallOf() (_ unsafe.Pointer)                                                { return }
func PredictNewSlice()                                                                 {}
func PredictGetenv(name string) (_ string)                                             { return }
func PredictYield()                                                                    {}
func PredictGosched()                                                                  {}
func PredictHandOver(n uint32)                                                         {}
func PredictOnMapWrites(writing func(m unsafe.Pointer))                                {}
func PredictInstall(h PredictHooks)                                                    {}
func PredictInterface(p unsafe.Pointer, methods bool) (d PredictDynamic)               { return }
func PredictVisited() (_ uint64)                                                       { return }
func PredictNewTinyBlock()                                                             {}
func PredictLogsAllocations()                                                          {}

func PredictObject(p uintptr) (base, size uintptr, flat bool)  { return }
func PredictOtherChance(seed uint64)                           {}
func PredictOldestFirst()                                      {}
func PredictOnStack(p uintptr) (_ bool)                        { return }
func PredictPassOnlyFor(id unsafe.Pointer)                     {}
func PredictReadInput(what uint8)                              {}
func PredictPause()                                            {}
func PredictPin()                                              {}
func PredictReadOnly(p uintptr) (_ bool)                       { return }
func PredictRealWall()                                         {}
func PredictStartTest()                                        {}
func PredictSearchDue() (_ bool)                               { return }
func PredictSetCall(call unsafe.Pointer)                       {}
func PredictStartsCall(call unsafe.Pointer)                    {}
func PredictTimerCall(timer unsafe.Pointer) (_ unsafe.Pointer) { return }
func PredictHold()                                             {}
func PredictRelease()                                          {}

const PredictTimerSize = 112

func PredictSleep(ns int64)                                                                    {}
func PredictStopProgram(ns int64)                                                              {}
func PredictStartWriter(write func(n uint32))                                                  {}
func PredictSwapPointer(p *unsafe.Pointer, v unsafe.Pointer) (_ unsafe.Pointer)                { return }
func PredictTimerNow() (_ int64)                                                               { return }
func PredictTurns() (_ uint32)                                                                 { return }
func PredictTypeName(typ unsafe.Pointer) (_ string)                                            { return }
func PredictUnpin()                                                                            {}
func PredictBlockedForEver(want func(rec unsafe.Pointer) bool, visit func(rec unsafe.Pointer)) {}
func PredictAbandoned(want func(rec unsafe.Pointer) bool, visit func(rec unsafe.Pointer))      {}
func PredictWatch(check func() (wait int64, still bool), idle bool)                            {}
func PredictWho() (goid uint64, user, system bool)                                             { return }
