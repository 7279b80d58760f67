package runtime

import (
	"internal/runtime/sys"
	"internal/stringslite"
	"unsafe"
)

// PredictHooks are the functions that package predictrt installs. They are
// called on user goroutines only, never on a system stack, except Flush.
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

	// Switch and Switched surround a switch to another coroutine.
	Switch   func(coro unsafe.Pointer, pc uintptr)
	Switched func(coro unsafe.Pointer, pc uintptr)

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
	debug.asyncpreemptoff = 1
	sched.customGOMAXPROCS = true // keeps sysmon from changing it
	return 1
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

// PredictSelf returns the record of the running goroutine.
func PredictSelf() unsafe.Pointer { return getg().predict }

// PredictSetSelf sets the record of the running goroutine.
func PredictSetSelf(rec unsafe.Pointer) { getg().predict = rec }

// PredictG returns the identity of the running goroutine for PredictBlocked.
func PredictG() unsafe.Pointer { return unsafe.Pointer(getg()) }

// PredictWho says what runs: on a system stack nothing may be logged.
func PredictWho() (goid uint64, user, system bool) {
	gp := getg()
	if gp.m.curg != gp {
		return 0, false, true
	}
	return gp.goid, true, isSystemGoroutine(gp, true)
}

// PredictOnStack reports whether p lies in the running goroutine's stack.
func PredictOnStack(p uintptr) bool {
	gp := getg()
	return gp.stack.lo <= p && p < gp.stack.hi
}

// PredictCanPark reports whether the running goroutine may be parked here.
func PredictCanPark() bool {
	mp := getg().m
	return mp.locks == 0 && mp.mallocing == 0 && mp.preemptoff == "" && mp.dying == 0
}

// PredictPin forbids goroutine switches until PredictUnpin.
func PredictPin() { acquirem() }

// PredictUnpin ends what PredictPin began.
func PredictUnpin() { releasem(getg().m) }

// PredictFresh starts a new time slice for the running goroutine, so that it
// is not preempted within the next few milliseconds.
//
//go:nosplit
func PredictFresh() {
	gp := getg()
	if pp := gp.m.p.ptr(); pp != nil {
		pp.schedtick++
	}
	if gp.m.locks == 0 && gp.preempt && !gp.preemptStop && !sched.gcwaiting.Load() {
		gp.preempt = false
		gp.stackguard0 = gp.stack.lo + stackGuard
	}
}

// PredictSleep suspends the running goroutine for ns nanoseconds.
func PredictSleep(ns int64) { timeSleep(ns) }

// PredictNow returns a monotonic time in nanoseconds.
func PredictNow() int64 { return nanotime() }

// PredictFrames calls visit for the frames at the return address pc, from
// the innermost inlined function outwards, until it returns false. With
// logical set, pc comes from Callers and has one frame.
func PredictFrames(pc uintptr, logical bool, visit func(fn, file string, line int) bool) {
	if pc == 0 {
		return
	}
	f := findfunc(pc - 1)
	if !f.valid() {
		return
	}
	u, uf := newInlineUnwinder(f, pc-1)
	for ; uf.valid(); uf = u.next(uf) {
		sf := u.srcFunc(uf)
		file, line := u.fileLine(uf)
		if sf.funcID == abi_FuncIDWrapper {
			file = "<autogenerated>"
		}
		if !visit(funcNameForPrint(sf.name()), file, line) || logical {
			return
		}
	}
}

// A PredictSema lets one goroutine wait for another one.
type PredictSema struct {
	g       *g
	waiting bool
	permit  bool
}

// PredictPark blocks the running goroutine until PredictWake.
func PredictPark(s *PredictSema) {
	s.g = getg()
	gopark(predictParkCommit, unsafe.Pointer(s), waitReasonSemacquire, traceBlockGeneric, 1)
}

func predictParkCommit(gp *g, p unsafe.Pointer) bool {
	s := (*PredictSema)(p)
	if s.permit {
		s.permit = false
		return false
	}
	s.waiting = true
	return true
}

// PredictWake lets the goroutine go that waits for s, or will.
func PredictWake(s *PredictSema) {
	if !s.waiting {
		s.permit = true
		return
	}
	s.waiting = false
	goready(s.g, 1)
}

// PredictFile creates a file, or opens it to append to, and returns its
// descriptor, or -1. name ends with a zero byte.
func PredictFile(name string) int {
	return int(open(unsafe.StringData(name), _O_CREAT|_O_WRONLY|_O_TRUNC|_O_CLOEXEC, 0o644))
}

// PredictRead reads a whole file; ok is false if it cannot be read. name ends
// with a zero byte.
func PredictRead(name string) (data []byte, ok bool) {
	fd := open(unsafe.StringData(name), _O_RDONLY|_O_CLOEXEC, 0)
	if fd < 0 {
		return nil, false
	}
	var buf [4096]byte
	for {
		n := read(fd, noescape(unsafe.Pointer(&buf)), int32(len(buf)))
		if n <= 0 {
			closefd(fd)
			return data, n == 0
		}
		data = append(data, buf[:n]...)
	}
}

// PredictWrite writes n bytes at p and reports whether all went out.
//
//go:nosplit
func PredictWrite(fd int, p unsafe.Pointer, n int) bool {
	for n > 0 {
		k := write1(uintptr(fd), p, int32(n))
		if k == -_EINTR {
			continue
		}
		if k <= 0 {
			return false
		}
		p = add(p, uintptr(k))
		n -= int(k)
	}
	return true
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

func predictEnd() {
	if predictUser() {
		predictHooks.End()
		getg().predict = nil
	}
}

func predictPanic(pc uintptr) {
	if predictUser() && PredictCanPark() {
		predictHooks.Panic(pc)
	}
}

func predictFlush(orderly bool) {
	if predictOn {
		predictHooks.Flush(orderly)
	}
}

// predictChan returns the channel's number and its capacity.
func predictChan(c *hchan) (id, capacity uint64) {
	if c == nil {
		return 0, 0
	}
	if c.predictID == 0 {
		predictChanIDs++
		c.predictID = predictChanIDs
	}
	return c.predictID, uint64(c.dataqsiz)
}

func predictMake(c *hchan, pc uintptr) {
	id, n := predictChan(c)
	predictHooks.Make(id, n, pc)
}

// predictPut counts an element that goes into c and notes its number for the
// goroutine that sends it.
//
//go:nosplit
func predictPut(c *hchan, gp *g) {
	c.predictSent++
	gp.predictElem = c.predictSent
}

// predictTake counts an element that leaves c.
//
//go:nosplit
func predictTake(c *hchan, gp *g) {
	c.predictRecvd++
	gp.predictElem = c.predictRecvd
}

func predictSend(c *hchan, elem unsafe.Pointer, block bool, pc uintptr) bool {
	id, n := predictChan(c)
	if !block {
		return predictTrySend(c, elem, id, n, pc)
	}
	site := predictHooks.Send(id, n, pc)
	chansend(c, elem, true, pc)
	if site != 0 {
		predictHooks.Sent(id, n, getg().predictElem, site)
	}
	return true
}

func predictTrySend(c *hchan, elem unsafe.Pointer, id, n uint64, pc uintptr) bool {
	site := predictHooks.Select(1, true, pc)
	ok := chansend(c, elem, false, pc)
	if site == 0 {
		return ok
	}
	if !ok {
		predictHooks.Selected(0, site)
		return false
	}
	predictHooks.Selected(1, site)
	predictHooks.Sent(id, n, getg().predictElem, site)
	return true
}

func predictRecv(c *hchan, elem unsafe.Pointer, block bool, pc uintptr) (selected, received bool) {
	id, n := predictChan(c)
	if !block {
		return predictTryRecv(c, elem, id, n, pc)
	}
	site := predictHooks.Recv(id, n, pc)
	selected, received = chanrecv(c, elem, true)
	if site != 0 {
		predictHooks.Recvd(id, n, predictElem(received), site)
	}
	return selected, received
}

func predictTryRecv(c *hchan, elem unsafe.Pointer, id, n uint64, pc uintptr) (selected, received bool) {
	site := predictHooks.Select(1, true, pc)
	selected, received = chanrecv(c, elem, false)
	if site == 0 {
		return selected, received
	}
	if !selected {
		predictHooks.Selected(0, site)
		return false, false
	}
	predictHooks.Selected(1, site)
	predictHooks.Recvd(id, n, predictElem(received), site)
	return selected, received
}

// predictElem is the number of the element just received; 0 means closed.
func predictElem(received bool) uint64 {
	if !received {
		return 0
	}
	return getg().predictElem
}

func closechan(c *hchan) {
	if !predictUser() || c == nil || c.closed != 0 {
		predictClosechan(c)
		return
	}
	id, n := predictChan(c)
	predictHooks.Close(id, n, sys.GetCallerPC())
	// No other goroutine may come between the event and the operation.
	mp := acquirem()
	if c.closed == 0 {
		predictClosechan(c)
		releasem(mp)
		return
	}
	releasem(mp)
	predictClosechan(c) // panics
}

func selectgo(cas0 *scase, order0 *uint16, pc0 *uintptr, nsends, nrecvs int, block bool) (int, bool) {
	if !predictUser() {
		return predictSelectgo(cas0, order0, pc0, nsends, nrecvs, block)
	}
	site := predictHooks.Select(nsends+nrecvs, !block, sys.GetCallerPC())
	casi, received := predictSelectgo(cas0, order0, pc0, nsends, nrecvs, block)
	if site == 0 {
		return casi, received
	}
	predictHooks.Selected(casi+1, site)
	if casi >= 0 {
		id, n := predictChan((*[1 << 16]scase)(unsafe.Pointer(cas0))[casi].c)
		if casi < nsends {
			predictHooks.Sent(id, n, getg().predictElem, site)
		} else {
			predictHooks.Recvd(id, n, predictElem(received), site)
		}
	}
	return casi, received
}

// predictRandn stands in for cheaprandn where the outcome would make two runs
// differ.
//
//go:nosplit
func predictRandn(n uint32) uint32 {
	if !predictOn {
		return cheaprandn(n)
	}
	gp := getg()
	gp.predictRand++
	x := gp.predictRand * 0x9e3779b1
	x ^= x >> 15
	return uint32((uint64(x*0x85ebca6b) * uint64(n)) >> 32)
}

func predictSwitch(c *coro, pc uintptr) {
	if predictUser() {
		predictHooks.Switch(unsafe.Pointer(c), pc)
	}
}

func predictSwitched(c *coro, pc uintptr) {
	if predictUser() {
		predictHooks.Switched(unsafe.Pointer(c), pc)
	}
}

func predictForkCoro(pc uintptr) unsafe.Pointer {
	if !predictUser() {
		return nil
	}
	return predictHooks.Fork(pc)
}

// The atomic operations on pointers, with write barriers.

//go:nosplit
func PredictStorePointer(p *unsafe.Pointer, v unsafe.Pointer) { sync_atomic_StorePointer(p, v) }

//go:nosplit
func PredictSwapPointer(p *unsafe.Pointer, v unsafe.Pointer) unsafe.Pointer {
	return sync_atomic_SwapPointer(p, v)
}

//go:nosplit
func PredictCompareAndSwapPointer(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	return sync_atomic_CompareAndSwapPointer(p, old, new)
}
