package hooks

import (
	"fmt"
	"strings"

	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A Hook is a declaration of the standard library where events come from, or which must behave
// differently while a program is recorded or replayed.
type Hook struct {
	Package string // import path
	Decl    string // "newproc", "(*Mutex).Lock", or "type g"; in a row of the table also several, separated by ", "
	// Kinds are the events that come from there. nil stands for a change of behaviour, or for a
	// part of an operation whose events another row has. A test runs programs that make each of
	// these events.
	Kinds []trace.Kind
	// edits are made in this order. Each must find its anchor, otherwise making the overlay fails.
	// The first may be onlyIn, and any only: then the row is for some platforms, or releases,
	// alone.
	edits []edit
}

// in reports whether h is for a release of Go. A hook only for "go1.2" is for go1.2.1, and not for
// go1.26.
func (h Hook) in(goVersion string) bool {
	for _, e := range h.edits {
		if e.at == inRelease && !strings.HasPrefix(goVersion, e.anchor+".") && goVersion != e.anchor {
			return false
		}
	}
	return true
}

// Table returns the hooks in the order in which they are put in, for tests that look for each
// kind of event in it.
func Table() []Hook { return table }

// eachDecl makes a row of each declaration that a row of the table names.
func eachDecl(rows []Hook) (hooks []Hook) {
	for _, h := range rows {
		for _, h.Decl = range strings.Split(h.Decl, ", ") {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

// events makes rows of the table read "newproc: Fork, Begin".
func events(kinds ...trace.Kind) []trace.Kind { return kinds }

// Parts of edits that several rows have. A function that gets a new name has a successor with the
// old name in one of the package's added files.
const (
	// here is the return address of the function that an edit is in: the event's site is the line
	// of its caller. ifUser skips what the runtime does on its own stacks.
	here   = "sys.GetCallerPC()"
	ifUser = "if predictIsUser() { "

	// A map is one variable in the trace, as it may grow with each assignment.
	mapRead  = "if m != nil && predictIsUser() { predictHooks.BeforeMapAccess(unsafe.Pointer(m), false, " + here + ") };"
	mapWrite = "if m != nil && predictIsUser() { predictHooks.BeforeMapAccess(unsafe.Pointer(m), true, " + here + ") };"

	// One end of a pipe or connection reads what the other end writes: see the rows of syscall.
	hasRead = "predictrt.AfterRead(fd, p, n, err == nil, " + here + ")"
	writes  = "predictrt.BeforeWrite(fd, p, " + here + ");"

	// isClosed is where a file is found closed.
	isClosed = "predictAfterWait(&fd.pd, pollErrClosing, " + here + ")"

	hasReadFD = "predictrt.AfterRead(int(fd.Sysfd), buf, n, err == nil || err == io.EOF, " + here + ")"

	// A test's methods must not be called after its end. Each call is a read of what the end
	// writes, so that the two are a race if nothing orders them.
	usesTest = "predictrt.Load(&c.done, predictrt.Site(" + here + "));"
	// fails is where a test or the program fails.
	fails = "predictrt.TestFails(" + here + ");"

	// racer is what the race detector is told; useRacer does the same for a trace.
	racer = "race.Write(unsafe.Pointer(&pull.racer))"
	// stopsTimer is where the program stops a timer, which may have fired by then.
	stopsTimer = "if t.initTimer { predictrt.StopsTimer(unsafe.Pointer(t), t.C == nil, " + here + ") };"

	// sendOnClosed is the panic in an operation that finds its channel closed.
	sendOnClosed = `panic(plainError("send on closed channel"))`
	useRacer     = "predictrt.Write(&pull.racer, predictrt.Site(" + here + "))"
)

// unix is for functions that have other forms on Windows, inFD for Windows' files and sockets.
var (
	unix = onlyIn("syscall_unix.go")
	inFD = onlyIn("fd_windows.go")
)

// counting is for the locks of forks, on systems that have them.
var counting = onlyIn("forkpipe2.go")

// inBundle is for HTTP/2 while it is a part of net/http, up to Go 1.26.
var inBundle = onlyIn("h2_bundle.go")

// asksSystem is where what a call returns depends on the files of the system.
const asksSystem = "runtime.PredictReadInput(runtime.PredictFiles);"

// inMap calls the run-time library in the middle of a write to a map, where the flag toggled by
// the anchor is set.
var inMap = after("m.writing ^= 1", "if PredictWriting != nil && m.writing != 0 { PredictWriting(unsafe.Pointer(m)) }")

// uncounted keeps a statement out of the trace by which package testing counts. All tests that run
// in parallel would seem to depend on each other.
func uncounted(statement string) []edit {
	return []edit{
		before(statement, "var predictCounts predictrt.MuteState; if predictrt.Mode != 0 { predictCounts = predictrt.Mute() }"),
		after(statement, "predictrt.Restore(predictCounts)"),
	}
}

// changesMap returns the edits of a method of sync.Map that may change the map; value is what the
// method may store.
func changesMap(value string) []edit {
	return []edit{entry("if predictrt.Mode != 0 { defer predictrt.Restore(m.predictBeginChange(" + value + ", " + here + ")) };")}
}

// acquires and releases are the edits of the methods of an RWMutex. A nil one panics inside.
func acquires(kind string) edit {
	return entry("if predictrt.Mode != 0 && rw != nil { defer predictrt.BeginMuted(predictrt." + kind + ", unsafe.Pointer(rw), " + here + ").LogMuted() };")
}

func releases(kind string) edit {
	return entry("if predictrt.Mode != 0 && rw != nil { defer predictrt.Restore(predictMuteAfter(predictrt." + kind + ", unsafe.Pointer(rw), 0, " + here + ")) };")
}

// adds is the edit of a method of a WaitGroup that changes its counter by delta.
func adds(delta string) edit {
	return entry("if predictrt.Mode != 0 { defer predictrt.Restore(predictMuteAfter(predictrt.KindWaitGroupAdd, unsafe.Pointer(wg), " + delta + ", " + here + ")) };")
}

// beginsTiny notes where an object in a shared block begins.
var beginsTiny = []edit{
	after("c.tinyAllocs++", "predictBeginsTiny(uintptr(x))"),
	after("(*[2]uint64)(x)[1] = 0", "predictBeginsTiny(uintptr(x))"),
}

// usesFile is where an operation looks whether its file is closed; closes says that it closes it.
func usesFile(closes string) string {
	return "predictrt.UsesFile(unsafe.Pointer(&fd.pd), int(fd.Sysfd), &fd.fdmu.state, " + closes + ", " + here + ");"
}

// fileUse is the begin of an operation on a file, which fails if the file is closed.
var fileUse = []edit{entry(usesFile("false")), before("return errClosing(fd.isFile)", isClosed)}

// muted keeps all that a function does out of the trace.
var muted = []edit{entry("if predictrt.Mode != 0 { defer predictrt.Restore(predictrt.Mute()) };")}

// The table, by what the hooks are about. A row says: in this package, in this declaration, from
// which these events come, make these edits. So
//
//	{"runtime", "goexit1", events(trace.End), []edit{entry("predictEnd();")}},
//
// calls predictEnd, of the added file predict.go, before anything else in goexit1, which each
// goroutine runs at its end. Functions whose names begin with predict or Predict are ours. Those
// of the runtime call package predictrt by variables (predictHooks), as the runtime cannot import
// it.
var table = eachDecl([]Hook{
	// Goroutines and the scheduler. The record of a goroutine is found by its g. The field is at
	// the end of the struct, as assembly knows the offsets of the others.
	{"runtime", "type g", nil, []edit{fields("predict, predictCall unsafe.Pointer; predictElem uint64; predictFD uintptr; predictSearchNumber uint32; predictOwn uint16; predictWrites bool ")}},
	{"runtime", "type heapArena", nil, []edit{fields("predictMarks, predictTiny *[predictMarkBytes]uint8 ")}},
	// A child's record is made by its parent: its name says which child of which goroutine it is,
	// and so is the same in each run. The order of the recording (recorder.Order) says which
	// goroutine runs next.
	{"runtime", "newproc", events(trace.Fork, trace.Begin), []edit{
		after("pc := sys.GetCallerPC()", "predictRec := predictFork(fn, pc)"),
		after("newg := newproc1(fn, gp, pc, false, waitReasonZero)", "predictSetRecord(newg, predictRec)"),
		instead("runqput(pp, newg, true)", "runqput(pp, newg, predictNewestNext(true))"),
	}},
	{"runtime", "ready", nil, []edit{instead("runqput(mp.p.ptr(), gp, next)", "runqput(mp.p.ptr(), gp, predictNewestNext(next))")}},
	{"runtime", "runqget", nil, []edit{entry("predictBestFirst(pp);")}},
	// All goroutines end in goexit1, also by runtime.Goexit. A panic is logged before it unwinds,
	// where the line is still that of the program.
	{"runtime", "goexit1", events(trace.End), []edit{entry("predictEnd();")}},
	{"runtime", "gopanic", events(trace.Panic), []edit{entry("if predictIsUser() && PredictCanPark() { predictHooks.Panic(" + here + ") };")}},
	// A program has one P while it is recorded or replayed, so that no two goroutines run at the
	// same time. What it sets by GOMAXPROCS has no effect, but is returned.
	{"runtime", "schedinit", nil, []edit{
		after("goenvs()", "predictReadMode()"),
		instead("procresize(procs)", "procresize(predictStartProcs(procs))"),
	}},
	{"runtime", "GOMAXPROCS", nil, []edit{entry("if predictActive { if n <= 0 { predictReadInputAt(PredictProcessors, " + here + ") }; return predictGOMAXPROCS(n) };")}},
	{"runtime", "SetDefaultGOMAXPROCS", nil, []edit{
		entry("if predictActive { predictGOMAXPROCS(int(defaultGOMAXPROCS(0))); return };"),
	}},
	// Goroutines stop at hooks and calls only, so that an event and its operation are one step. A
	// goroutine that reaches neither is interrupted after a while.
	{"runtime", "preemptone", nil, []edit{
		after("gp.stackguard0 = stackPreempt", "predictEndSlice()"),
		instead("debug.asyncpreemptoff == 0", "debug.asyncpreemptoff == 0 && predictMayInterrupt(pp)"),
	}},
	{"runtime", "isAsyncSafePoint", nil, []edit{
		instead(`stringslite.HasPrefix(name, "reflect.")`, `stringslite.HasPrefix(name, "reflect.") || predictIsAtomic(name)`),
	}},
	// When no goroutine can run, the program's clock advances to the next timer, and a replay
	// finds out that its schedule cannot go on.
	{"runtime", "findRunnable", nil, []edit{
		instead("pp.schedtick%61", "predictSchedTick(pp)%61"),
		instead("pollUntil - now", "predictTimerWait(pollUntil, now)"),
		before("allpSnapshot := mp.snapshotAllp()", "if gp := predictIdleWatcher(); gp != nil { return gp, false, false }"),
		instead("netpoll(delay)", "netpoll(predictPollDelay(delay))"),
	}},

	// When another goroutine gets the P. A goroutine that computes is interrupted by the processor
	// time that it has used, not by the machine's clock, and a short system call keeps the P. So a
	// loaded machine records the same run.
	{"runtime", "execute", nil, []edit{after("mp.p.ptr().schedtick++", "predictTurn(gp)")}},
	{"runtime", "Gosched", nil, []edit{entry(ifUser + "predictHooks.Gosched() };")}},
	{"runtime", "goschedImpl", nil, []edit{instead("globrunqput(gp)", "predictYield(pp, gp)")}},
	{"runtime", "retake", nil, []edit{
		instead("pd.schedwhen+forcePreemptNS <= now", "predictOverdue(pd.schedwhen, now)"),
		instead("!sysretake", "(!sysretake || predictActive)"), // else syscallwhen may be that of an earlier call
		instead("runqempty(pp) && sched.nmspinning.Load()+sched.npidle.Load() > 0 && pd.syscallwhen+10*1000*1000 > now",
			"predictIsShortSyscall(pp, pd.syscallwhen, now) || runqempty(pp) && sched.nmspinning.Load()+sched.npidle.Load() > 0 && pd.syscallwhen+10*1000*1000 > now"),
	}},
	// Each garbage collection makes goroutines wait at places that differ from run to run: there
	// are fewer of them.
	{"runtime", "(*gcControllerState).setGCPercent", nil, []edit{
		after("c.heapMinimum = defaultHeapMinimum * uint64(in) / 100", "c.heapMinimum *= predictHeapScale()"),
	}},
	// Functions that were added to the program are in no stack.
	{"runtime", "(*inlineUnwinder).srcFunc", nil, []edit{instead("t.funcID", "predictFuncID(t.funcID, u.f.datap, t.nameOff)")}},
	{"runtime", "funcInfo.srcFunc", nil, []edit{instead("f.funcID", "predictFuncID(f.funcID, f.datap, f.nameOff)")}},
	// These end the program as failed.
	{"os", "Exit", events(trace.Assert), []edit{entry("if code != 0 { " + fails + " };")}},
	{"log", "Fatal, Fatalf, Fatalln, (*Logger).Fatal, (*Logger).Fatalf, (*Logger).Fatalln", events(trace.Assert), []edit{entry(fails)}},
	// To wait for a child process is no short system call: others must run meanwhile.
	{"os", "(*Process).Wait", nil, []edit{
		entry("if p != nil { runtime.PredictWaitsForChild(p.Pid); defer runtime.PredictWaitedForChild(p.Pid) };"),
		instead("p.wait()", "predictWaited(p.wait())"),
	}},

	// Time. On the program's clock, computing takes no time, so that no timer fires because the
	// machine or the recording is slow: see predict_time.go.
	{"runtime", "pidleput", nil, []edit{after("sched.npidle.Add(1)", "predictIdleBegins()")}},
	{"runtime", "pidleget", nil, []edit{after("sched.npidle.Add(-1)", "predictIdleEnds(pp)")}},
	{"runtime", "(*timers).check", nil, []edit{rename("predictCheck")}},
	{"runtime", "time_runtimeNow", nil, []edit{instead("time_now()", "predictTimeNow()")}},
	{"runtime", "time_runtimeNano", nil, []edit{instead("nanotime()", "predictNano()")}},
	{"runtime", "timeSleep, (*timer).maybeRunChan, poll_runtime_pollSetDeadline, internal_sync_nanotime", nil, []edit{instead("nanotime()", "predictTimerNow(nanotime())")}},
	{"runtime", "newTimer", nil, []edit{instead("t.modify(when, period, f, arg, 0)", "t.modify(predictTimerWhen(when), period, f, arg, predictNextCall(c))")}},
	{"runtime", "resetTimer", nil, []edit{instead("t.reset(when, period)", "t.reset(predictTimerWhen(when), period)")}},
	{"runtime", "(*timer).maybeRunAsync", nil, []edit{only("go1.26"), instead("nanotime()", "predictTimerNow(nanotime())")}},
	{"runtime", "poll_runtime_pollWait", nil, []edit{entry("predictPollWait(pd, mode);")}},

	// Times that are not from the program's own wall clock: those of files that it makes or asks
	// for, and what the system answers itself.
	{"os", "OpenFile", nil, []edit{entry("if flag&(O_WRONLY|O_RDWR) != 0 { runtime.PredictRealWall() };")}},
	{"os", "OpenRoot, Mkdir, Lstat, (*File).Stat", nil, []edit{entry("runtime.PredictRealWall();")}},
	{"syscall", "RawSyscall6", nil, []edit{
		onlyIn("syscall_linux.go"),
		entry("if trap == SYS_CLOCK_GETTIME && a1 == 0 { runtime.PredictRealWall() };"),
	}},

	// System calls that wait.
	{"syscall", "Syscall, Syscall6", nil, []edit{
		onlyIn("syscall_linux.go"),
		before("runtime_entersyscall()", "predictWait := predictBeginWait(trap)"),
		after("runtime_exitsyscall()", "predictWait.End()"),
	}},

	// A goroutine that waits for a signal can go on whatever else the program does.
	{"os/signal", "Notify", nil, []edit{entry("runtime.PredictIsNotified = predictIsNotified;")}},

	// What comes from outside of the program: the verdict names it where a replay leaves its
	// schedule by that.
	//
	// That a file is there, and what it has, may be the work of another goroutine, which no event
	// shows.
	{"os", "(*File).Read, (*File).ReadAt, (*File).Seek, (*File).Stat, (*File).ReadDir, ReadFile, ReadDir, Stat, Lstat", nil, []edit{entry(asksSystem)}},
	{"os", "OpenFile, OpenRoot, Mkdir, Remove, Rename, Link, Symlink, Readlink, Truncate, Chmod, Chtimes, Chdir", nil, []edit{entry(asksSystem)}},
	{"os", "(*Root).OpenFile, (*Root).OpenRoot, (*Root).Mkdir, (*Root).Remove, (*Root).Rename, (*Root).Link, (*Root).Symlink, (*Root).Readlink, (*Root).Stat, (*Root).Lstat, (*Root).Chmod", nil, []edit{entry(asksSystem)}},
	{"os", "Stat", nil, []edit{entry("runtime.PredictRealWall();")}},
	{"runtime", "NumGoroutine", nil, []edit{entry("PredictReadInput(PredictGoroutines);")}},
	{"runtime", "Stack", nil, []edit{entry("if all { PredictReadInput(PredictGoroutines) };")}},
	{"runtime", "initMetrics", nil, []edit{instead("uint64(gomaxprocs)", "uint64(predictToldProcs())")}},
	{"runtime", "NumCPU", nil, []edit{entry("predictReadInputAt(PredictProcessors, " + here + ");")}},
	{"testing", "(*common).Failed", nil, []edit{entry("predictrt.ReadsResult(" + here + ");")}},
	{"time", "Now, Since, Until", nil, []edit{entry("predictrt.ReadsClock(" + here + ");")}},
	{"os", "Getenv, LookupEnv, Environ", nil, []edit{entry("runtime.PredictReadInput(runtime.PredictEnvironment);")}},
	{"os", "StartProcess", nil, []edit{
		entry("runtime.PredictStartsProcess(); runtime.PredictReadInput(runtime.PredictProcesses); runtime.PredictRealWall();"),
		instead("startProcess(name, argv, attr)", "predictStarted(startProcess(name, argv, attr))"),
	}},
	{"net", "(*conn).Read", nil, []edit{entry("runtime.PredictReadInput(runtime.PredictNetwork);")}},
	{"net", "(*netFD).connect", nil, []edit{entry("runtime.PredictReadInput(runtime.PredictNetwork);")}},
	{"net", "(*netFD).listenStream", nil, []edit{entry("if a, ok := laddr.(*TCPAddr); !ok || a.Port != 0 { runtime.PredictReadInput(runtime.PredictNetwork) };")}},
	{"crypto/rand", "Read", nil, []edit{entry("runtime.PredictReadInput(runtime.PredictCrypto);")}},
	{"crypto/internal/rand", "reader.Read", nil, []edit{entry("runtime.PredictReadInput(runtime.PredictCrypto);")}},

	// Randomness. Each goroutine has streams of random numbers of its own, seeded by its name, so
	// that they do not depend on what others do. What must differ between processes still does:
	// names of temporary files, and the network's numbers.
	{"runtime", "randinit", nil, []edit{before("globalRand.state.Init(*seed)", "predictFixSeed(seed)")}},
	{"runtime", "rand", nil, []edit{entry("if x, ok := predictNumber(predictOtherStream); ok { return x };")}},
	{"internal/runtime/maps", "NewMap, NewEmptyMap", nil, []edit{instead("rand()", "predictSeed()")}},
	{"internal/runtime/maps", "(*Map).Delete, (*Map).Clear", nil, []edit{instead("rand()", "predictSeed()"), inMap}},
	{"internal/runtime/maps", "(*Map).PutSlot, runtime_mapassign, runtime_mapassign_fast32, runtime_mapassign_fast32ptr, runtime_mapassign_fast64, runtime_mapassign_fast64ptr, runtime_mapassign_faststr", nil, []edit{inMap}},
	{"runtime", "mapIterStart", nil, []edit{entry("if predictOn && m != nil && m.Used() > 1 { predictReadInputAt(PredictMapOrder, " + here + ") };")}},
	{"reflect", "(*MapIter).Next", nil, []edit{entry("if predictrt.Mode != 0 && iter.m.IsValid() && !iter.hiter.Initialized() && iter.m.Len() > 1 { predictrt.ReadsMapOrder(" + here + ") };")}},
	{"reflect", "Value.MapKeys, Value.Seq, Value.Seq2", nil, []edit{entry("if predictrt.Mode != 0 && v.kind() == Map && v.Len() > 1 { predictrt.ReadsMapOrder(" + here + ") };")}},
	{"internal/runtime/maps", "(*Iter).Init", nil, []edit{instead("rand()", "predictIter()")}},
	{"internal/sync", "(*HashTrieMap).initSlow", nil, []edit{instead("runtime_rand()", "runtime.PredictSeed()")}},
	{"hash/maphash", "randUint64", nil, []edit{instead("runtime_rand()", "runtime.PredictRand()")}},
	{"math/rand", "(*runtimeSource).Int63, (*runtimeSource).Uint64", nil, []edit{instead("runtime_rand()", "runtime.PredictRand()")}},
	{"math/rand/v2", "runtimeSource.Uint64", nil, []edit{instead("runtime_rand()", "runtime.PredictRand()")}},
	{"os", "nextRandom", nil, []edit{instead("runtime_rand()", "runtime.PredictTrueRand()")}},
	{"net", "randInt", nil, []edit{instead("runtime_rand()", "runtime.PredictTrueRand()")}},

	// Objects of less than 16 bytes without pointers share blocks: where each begins tells which of
	// them a pointer into the block is to.
	{"runtime", "mallocgcTiny", nil, beginsTiny},
	{"runtime", "mallocgcTinySC2, mallocgcTinySlowPath", nil, append([]edit{only("go1.27")}, beginsTiny...)},

	// Where a run is repeated, the trace has the objects that goroutines have made.
	{"runtime", "postMallocgcDebug", nil, []edit{entry("predictAllocated(uintptr(x), elemsize, typ);")}},

	// What the recorder itself allocates does not count as allocated by the program. See also
	// patchGeneratedAllocs.
	{"runtime", "mallocgc", nil, []edit{entry(ownAlloc)}},
	{"runtime", "bulkBarrierPreWriteSrcOnly", nil, []edit{entry("if getg().predictOwn != 0 { return };")}},

	// Memory that is freed. Addresses are reused, and there is no race between accesses to two
	// variables.
	{"runtime", "(*sweepLocked).sweep", nil, []edit{after("nfreed := s.allocCount - nalloc", "predictAfterSweep(s, nfreed)")}},

	// The ends of the process. Each must leave a whole trace; true means an orderly end, which the
	// trace says.
	{"runtime", "main", nil, []edit{before("exit(0)", "predictFlush(true)")}},
	{"runtime", "os_beforeExit", nil, []edit{after("runExitHooks(exitCode)", "predictFlush(true)")}},
	{"runtime", "syscall_Exit", nil, []edit{entry("predictFlush(true);")}},
	{"runtime", "fatalpanic", nil, []edit{before("exit(2)", "predictFlush(false)")}},
	{"runtime", "sighandler", nil, []edit{onlyIn("signal_unix.go"),
		before("dieFromSignal(sig)", "predictFlush(false)"),
		before("mp.throwing = throwTypeRuntime", "predictFlush(false)"),
	}},
	{"runtime", "winthrow", nil, []edit{onlyIn("signal_windows.go"), before("g0.m.throwing = throwTypeRuntime", "predictFlush(false)")}},
	{"runtime", "fatalthrow", nil, []edit{before("startpanic_m()", "predictFlush(false)")}},

	// Channels. Their elements are numbered under the channel's own lock: the order in which a
	// send and a receive return does not tell whether they belong together.
	{"runtime", "type hchan", nil, []edit{fields("predictID, predictSent, predictRecvd uint64 ")}},
	{"runtime", "makechan", events(trace.ChanMake), []edit{
		before("return c", ifUser+"predictMake(c, "+here+") }"),
	}},
	{"runtime", "chansend1", events(trace.Send, trace.SendDone), []edit{
		entry(ifUser + "predictSend(c, elem, true, " + here + "); return };"),
	}},
	{"runtime", "chanrecv1", events(trace.Recv, trace.RecvDone), []edit{
		entry(ifUser + "predictRecv(c, elem, true, " + here + "); return };"),
	}},
	{"runtime", "chanrecv2", events(trace.Recv, trace.RecvDone), []edit{
		entry(ifUser + "_, received = predictRecv(c, elem, true, " + here + "); return };"),
	}},
	{"runtime", "selectnbsend", events(trace.SelectSend, trace.Select, trace.SelectDone, trace.SendDone), []edit{
		entry(ifUser + "return predictSend(c, elem, false, " + here + ") };"),
	}},
	{"runtime", "selectnbrecv", events(trace.SelectRecv, trace.Select, trace.SelectDone, trace.RecvDone), []edit{
		entry(ifUser + "return predictRecv(c, elem, false, " + here + ") };"),
	}},
	{"runtime", "reflect_chansend", events(trace.Send, trace.SendDone), []edit{
		entry(ifUser + "return predictSend(c, elem, !nb, " + here + ") };"),
	}},
	{"runtime", "reflect_chanrecv", events(trace.Recv, trace.RecvDone), []edit{
		entry(ifUser + "return predictRecv(c, elem, !nb, " + here + ") };"),
	}},
	{"runtime", "closechan", events(trace.Close), []edit{
		rename("predictClosechan"),
		before(`panic(plainError("close of nil channel"))`, "PredictMisused()"),
		before(`panic(plainError("close of closed channel"))`, "PredictMisused()"),
	}},
	{"runtime", "selectgo", events(trace.SelectSend, trace.SelectRecv, trace.Select, trace.SelectDone, trace.SendDone, trace.RecvDone), []edit{
		rename("predictSelectgo"),
		instead("cheaprandn(uint32(norder + 1))", "predictRandn(uint32(norder + 1))"),
		after("pollorder = pollorder[:norder]", "predictAskedFirst(pollorder)"),
		after("c.qcount--", "predictTake(c, gp)"),
		after("c.qcount++", "predictPut(c, gp)"),
		before(sendOnClosed, "PredictMisused()"),
	}},
	{"runtime", "block", events(trace.Select), []edit{entry(ifUser + "predictHooks.Select(0, false, " + here + ") };")}},
	// Where an element goes into or out of a channel, or from one goroutine to another, for all
	// ways to send and receive.
	{"runtime", "chansend", nil, []edit{after("c.qcount++", "predictPut(c, getg())"), before(sendOnClosed, "PredictMisused()")}},
	{"runtime", "chanrecv", nil, []edit{after("c.qcount--", "predictTake(c, getg())")}},
	{"runtime", "send", nil, []edit{before("gp := sg.g", "predictPut(c, getg()); predictTake(c, sg.g)")}},
	{"runtime", "recv", nil, []edit{before("gp := sg.g", "predictTake(c, getg()); predictPut(c, sg.g)")}},
	{"runtime", "timerchandrain", nil, []edit{after("c.qcount--", "predictTake(c, getg())")}},

	// Coroutines (iter.Pull). A switch is a message to the other coroutine: what each does comes
	// after what the other did.
	{"runtime", "newcoro", events(trace.Fork), []edit{
		after("gp := getg()", "predictRec := predictFork(nil, pc)"),
		after("gp = newproc1(startfv, gp, pc, true, waitReasonCoroutine)", "predictSetRecord(gp, predictRec)"),
	}},
	{"runtime", "corostart", events(trace.Await), []edit{before("c.f(c)", "predictAwait(unsafe.Pointer(c), "+here+")")}},
	{"runtime", "coroexit", events(trace.Post, trace.End), []edit{entry("predictPost(unsafe.Pointer(c), " + here + "); predictEnd();")}},
	{"runtime", "coroswitch", events(trace.Post, trace.Await), []edit{
		entry("predictPost(unsafe.Pointer(c), " + here + ");"),
		after("mcall(coroswitch_m)", "predictAwait(unsafe.Pointer(c), "+here+")"),
	}},

	// Bubbles (testing/synctest). Their main goroutine is a child of their creator, and what the
	// creator waits for is all that the bubble does.
	{"runtime", "synctestRun", events(trace.Fork, trace.Begin, trace.Await), []edit{
		after("pc := sys.GetCallerPC()", "predictRec := predictFork(nil, pc)"),
		after("bubble.main = newproc1(fv, gp, pc, false, waitReasonZero)", "bubble.main.predict = predictRec"),
		instead("raceenabled", "predictAwait(nil, "+here+") || raceenabled"),
	}},
	{"runtime", "synctestWait", events(trace.Await), []edit{
		instead("raceenabled", "predictAwait(nil, "+here+") || raceenabled"),
	}},

	// Finalizers and cleanups come after all that happened before the garbage collection that has
	// found them.
	{"runtime", "SetFinalizer", nil, []edit{
		after("ftyp := f._type", "if ftyp == nil && predictIsUser() { predictHooks.NoFinalizer(uintptr(e.data)) }"),
		after("callerpc := sys.GetCallerPC()", ifUser+"predictHooks.SetFinalizer(uintptr(e.data), callerpc) }"),
	}},
	{"runtime", "runFinalizers", events(trace.Begin, trace.Await, trace.End), []edit{
		before("fingStatus.Or(fingRunningFinalizer)", ifUser+"predictHooks.BeginFinalizer(uintptr(f.arg)) }"),
		after("fingStatus.And(^fingRunningFinalizer)", ifUser+"predictHooks.EndFinalizer() }"),
	}},
	{"runtime", "AddCleanup", events(trace.Begin, trace.Await, trace.End), []edit{
		instead("callCleanup[S]", "callCleanup[S], predict: predictCleanup("+here+")"),
	}},
	{"runtime", "type cleanupFn", nil, []edit{fields("predict unsafe.Pointer ")}},
	{"runtime", "Cleanup.Stop", nil, []edit{
		before("mheap_.specialCleanupAlloc.free(unsafe.Pointer(found))", "if rec := (*specialCleanup)(unsafe.Pointer(found)).cleanup.predict; rec != nil { predictHooks.NoCleanup(rec) }"),
	}},
	{"runtime", "runCleanups", nil, []edit{
		after("b := gcCleanups.dequeue()", ifUser+"predictHooks.Cleanups() }"),
		before("c.call(c.fn, c.arg)", "if c.predict != nil { predictHooks.BeginCleanup(c.predict) }"),
		after("c.call(c.fn, c.arg)", "if c.predict != nil { predictHooks.EndFinalizer() }"),
	}},

	// Execution traces (runtime/trace). To stop them comes after all that the reader did with what
	// was traced before.
	{"runtime", "ReadTrace", events(trace.Post), []edit{entry("predictPost(unsafe.Pointer(&trace.doneSema), " + here + ");")}},
	{"runtime", "traceAdvance", events(trace.Await), []edit{
		after("semacquire(&trace.doneSema[gen%2])", "predictAwait(unsafe.Pointer(&trace.doneSema), "+here+")"),
	}},

	// C may synchronize in any way. Each call counts as ordered with all others, so that nothing
	// is reported as a race that a mutex of C excludes.
	{"runtime", "cgocall", events(trace.Post, trace.Await), []edit{
		before("mp := getg().m", "predictCgoPost("+here+"); predictWait := predictBeginC()"),
		after("getg().m.winsyscall = winsyscall", "predictWait.End(); predictCgoAwait("+here+")"),
	}},
	{"runtime", "cgocallbackg1", events(trace.Post, trace.Await), []edit{
		before("cb(frame)", "predictCgoAwait("+here+")"),
		after("cb(frame)", "predictCgoPost("+here+")"),
	}},

	// Accesses by package reflect: no line of the program has them, where the rewriter could put a
	// hook.
	{"runtime", "reflect_typedmemmove, reflectlite_typedmemmove", events(trace.Read, trace.Write), []edit{
		entry(ifUser + "predictHooks.BeforeCopy(dst, src, typ.Size_, " + here + ") };"),
	}},
	{"runtime", "reflect_typedslicecopy", events(trace.Read, trace.Write), []edit{
		entry(ifUser + "predictHooks.BeforeCopy(dst.array, src.array, uintptr(min(dst.len, src.len))*elemType.Size_, " + here + ") };"),
	}},
	{"runtime", "reflect_mapaccess, reflect_mapaccess_faststr, reflect_maplen", events(trace.Read), []edit{entry(mapRead)}},
	{"runtime", "reflect_mapassign, reflect_mapassign_faststr, reflect_mapdelete, reflect_mapdelete_faststr, reflect_mapclear", events(trace.Write), []edit{entry(mapWrite)}},
	{"reflect", "mapIterStart", events(trace.Read), []edit{
		entry("predictrt.ReadsMap(unsafe.Pointer(m), " + here + ");"),
	}},

	// A function that iter.Pull returns must not be called twice at the same time. The race
	// detector is told of a write to a variable that has no other use; so is the trace.
	{"iter", "Pull, Pull2", events(trace.Write), []edit{after(racer, useRacer)}},

	// Package sync. The original functions run muted, with new names: the atomics and semaphores
	// inside a lock are not what the program has written.
	{"sync", "(*Mutex).Lock", events(trace.Acquire), []edit{
		entry("if predictrt.Mode != 0 { defer predictrt.Begin(predictrt.KindAcquire, unsafe.Pointer(m), " + here + ").Log(0) };"),
	}},
	{"sync", "(*Mutex).TryLock", events(trace.Acquire), []edit{rename("predictTryLock")}},
	{"sync", "(*Mutex).Unlock", events(trace.Release), []edit{entry("predictrt.Log(predictrt.KindRelease, unsafe.Pointer(m), 0, " + here + ");")}},
	{"sync", "(*RWMutex).Lock", events(trace.Acquire), []edit{acquires("KindAcquire")}},
	{"sync", "(*RWMutex).TryLock", events(trace.Acquire), []edit{rename("predictTryLock")}},
	{"sync", "(*RWMutex).Unlock", events(trace.Release), []edit{
		releases("KindRelease"),
		before(`fatal("sync: Unlock of unlocked RWMutex")`, "runtime.PredictMisused()"),
	}},
	{"sync", "(*RWMutex).RLock", events(trace.RAcquire), []edit{acquires("KindRAcquire")}},
	{"sync", "(*RWMutex).TryRLock", events(trace.RAcquire), []edit{rename("predictTryRLock")}},
	{"sync", "(*RWMutex).RUnlock", events(trace.RRelease), []edit{releases("KindRRelease")}},
	{"sync", "(*RWMutex).rUnlockSlow", nil, []edit{before(`fatal("sync: RUnlock of unlocked RWMutex")`, "runtime.PredictMisused()")}},
	{"internal/sync", "(*Mutex).unlockSlow", nil, []edit{before(`fatal("sync: unlock of unlocked mutex")`, "runtime.PredictMisused()")}},
	// Done calls Add, which is muted then: the event has the line of Done.
	{"sync", "(*WaitGroup).Add", events(trace.WaitGroupAdd), []edit{
		adds("delta"),
		before(`panic("sync: negative WaitGroup counter")`, "runtime.PredictMisused()"),
	}},
	{"sync", "(*WaitGroup).Done", events(trace.WaitGroupAdd), []edit{adds("-1")}},
	{"sync", "(*WaitGroup).Wait", events(trace.WaitGroupWait, trace.WaitGroupWaited), []edit{rename("predictWait")}},
	{"sync", "(*Once).Do", events(trace.OnceBegin, trace.OnceEnd, trace.OnceDone), []edit{entry("if predictrt.Mode != 0 { " +
		"predictCall := o.predictBegin(" + here + "); defer predictrt.Restore(predictCall.muted); if !o.done.Load() { o.predictSlow(f, predictCall) }; predictCall.end(); return };")}},
	// A condition is a queue of tickets (notifyList of package sync). A goroutine that waits has
	// one, and a signal wakes the one with a known number, whichever runs first then.
	{"sync", "(*Cond).Wait", events(trace.CondWait, trace.CondWake), []edit{
		before("t := runtime_notifyListAdd(&c.notify)", "predictOp := predictrt.Begin(predictrt.KindCondWait, unsafe.Pointer(c), "+here+")"),
		after("t := runtime_notifyListAdd(&c.notify)", "predictOp.Log(uint64(t))"),
		before("c.L.Lock()", "predictOp.LogNext(predictrt.KindCondWake, uint64(t))"),
	}},
	{"sync", "(*Cond).Signal", events(trace.CondSignal), []edit{
		before("runtime_notifyListNotifyOne(&c.notify)", "predictrt.Signal(unsafe.Pointer(c), &c.notify.wait, &c.notify.notify, "+here+")"),
	}},
	{"sync", "(*Cond).Broadcast", events(trace.CondBroadcast), []edit{
		before("runtime_notifyListNotifyAll(&c.notify)", "predictrt.Broadcast(unsafe.Pointer(c), &c.notify.wait, &c.notify.notify, "+here+")"),
	}},
	// A Put comes before the Get that returns the same item, as for the race detector. New is the
	// program's own function, and is not muted.
	{"sync", "(*Pool).Put", events(trace.Post), []edit{rename("predictPut")}},
	{"sync", "(*Pool).Get", events(trace.Await), []edit{
		rename("predictGet"),
		instead("x == nil && p.New != nil", "x == nil && p.New != nil && predictrt.Mode == 0"),
	}},
	// A sync.Map as a whole is an atomic variable. Range reads it, and may see what was stored
	// meanwhile, so it is ordered with all stores.
	{"sync", "(*Map).Load", events(trace.AtomicLoad), []edit{entry("if predictrt.Mode != 0 { defer m.predictBeginLoad(" + here + ").LogMuted() };")}},
	{"sync", "(*Map).Store, (*Map).LoadOrStore, (*Map).Swap", events(trace.AtomicRMW), changesMap("value")},
	{"sync", "(*Map).CompareAndSwap", events(trace.AtomicRMW), changesMap("new")},
	{"sync", "(*Map).Clear, (*Map).LoadAndDelete, (*Map).Delete, (*Map).CompareAndDelete", events(trace.AtomicRMW), changesMap("nil")},
	{"sync", "(*Map).Range", events(trace.AtomicRMW), []edit{rename("predictRange")}},

	// The other types of the package are those of one file: see atomicTypes.
	{"sync/atomic", "(*Value).Load", events(trace.AtomicLoad), []edit{
		entry("if predictrt.Mode != 0 { defer predictrt.Begin(predictrt.KindAtomicLoad, unsafe.Pointer(v), " + here + ").Log(0) };"),
	}},
	{"sync/atomic", "(*Value).Store", events(trace.AtomicStore), []edit{entry("predictrt.Log(predictrt.KindAtomicStore, unsafe.Pointer(v), 0, " + here + ");")}},
	{"sync/atomic", "(*Value).Swap, (*Value).CompareAndSwap", events(trace.AtomicRMW), []edit{
		entry("predictrt.Log(predictrt.KindAtomicRMW, unsafe.Pointer(v), 0, " + here + ");"),
	}},

	// Files and sockets. What is read may have been written before, by anyone. So a read comes
	// after all writes, as for the race detector. But of pipes and connections within the program
	// both ends are known.
	{"syscall", "Read", events(trace.Write, trace.Await), []edit{unix, after("n, err = read(fd, p)", hasRead)}},
	{"syscall", "Pread", events(trace.Write, trace.Await), []edit{unix, after("n, err = pread(fd, p, offset)", hasRead)}},
	{"syscall", "Write", events(trace.Read, trace.Post), []edit{unix, entry(writes), after("n, err = write(fd, p)", "predictrt.AfterWrite(fd, n)")}},
	{"syscall", "Pwrite", events(trace.Read, trace.Post), []edit{unix, entry(writes)}},

	// Pipes and sockets: which descriptors are their ends.
	{"os", "Pipe", nil, []edit{onlyIn("pipe2_unix.go"), before("return newFile(p[0], \"|0\", kindPipe, false), newFile(p[1], \"|1\", kindPipe, false), nil", "predictrt.PipeMade(p[0], p[1])")}},
	{"os", "Pipe", nil, []edit{onlyIn("pipe_unix.go"), before("return newFile(p[0], \"|0\", kindPipe, false), newFile(p[1], \"|1\", kindPipe, false), nil", "predictrt.PipeMade(p[0], p[1])")}},
	{"os", "Pipe", nil, []edit{onlyIn("file_windows.go"), before("return newFile(p[0], \"|0\", kindPipe, false), newFile(p[1], \"|1\", kindPipe, false), nil", "predictrt.PipeMade(int(p[0]), int(p[1]))")}},
	{"net", "(*netFD).setAddr", nil, []edit{onlyIn("fd_posix.go"), entry("predictAddresses(fd, laddr, raddr);")}},
	{"net", "(*netFD).connect", events(trace.Send, trace.SendDone), []edit{entry("predictBeforeConnect(fd, ra, " + here + ");")}},
	{"net", "(*netFD).accept", events(trace.Recv, trace.RecvDone), []edit{onlyIn("fd_unix.go"),
		after("d, rsa, errcall, err := fd.pfd.Accept()", "if err == nil { predictAccepted(fd, "+here+") }"),
	}},
	{"internal/poll", "(*FD).destroy", events(trace.Post), []edit{entry("predictrt.BeforeClose(int(fd.Sysfd), " + here + ");")}},
	{"internal/poll", "(*FD).Shutdown", events(trace.Post), []edit{onlyIn("fd_posix.go"), entry("predictrt.BeforeLastPiece(int(fd.Sysfd), " + here + ");")}},
	// An operation that fails because the file is closed, or its deadline has passed, comes after
	// what has closed the file or set the deadline.
	// Each operation looks whether its file is closed, which decides its result.
	{"internal/poll", "(*FD).Close", events(trace.AtomicRMW, trace.Post), []edit{
		entry(usesFile("true") + "predictrt.BeforeFileEnd(unsafe.Pointer(&fd.pd), false, " + here + ");"),
	}},
	{"internal/poll", "setDeadlineImpl", events(trace.AtomicStore, trace.Post), []edit{before("runtime_pollSetDeadline(fd.pd.runtimeCtx, d, mode)", "predictrt.BeforeFileEnd(unsafe.Pointer(&fd.pd), true, "+here+")")}},
	{"internal/poll", "(*pollDesc).prepare", events(trace.Await), []edit{after("res := runtime_pollReset(pd.runtimeCtx, mode)", "predictAfterWait(pd, res, "+here+")")}},
	{"internal/poll", "(*pollDesc).wait", events(trace.Await), []edit{after("res := runtime_pollWait(pd.runtimeCtx, mode)", "predictAfterWait(pd, res, "+here+")")}},
	{"internal/poll", "(*FD).incref, (*FD).readLock, (*FD).writeLock", events(trace.AtomicLoad, trace.Await), fileUse},
	{"internal/poll", "(*FD).readWriteLock", nil, fileUse}, // on Windows
	{"internal/poll", "splice", nil, []edit{onlyIn("splice_linux.go"),
		entry("predictrt.BeforeWrite(out, nil, " + here + ");"),
		after("n, err := syscall.Splice(in, nil, out, nil, max, flags)", "predictrt.AfterWrite(out, int(n)); predictrt.AfterRead(in, nil, int(n), err == nil, "+here+")"),
	}},
	{"internal/poll", "writev", nil, []edit{onlyIn("fd_writev_unix.go"),
		entry("predictrt.BeforeWrite(fd, nil, " + here + ");"),
		before("return r, e", "predictrt.AfterWrite(fd, -1)"),
		before("return r, nil", "predictrt.AfterWrite(fd, int(r))"),
	}},
	{"internal/poll", "(*FD).Writev", nil, []edit{onlyIn("fd_writev_libc.go"), // where writev is one of C's functions: darwin
		before("wrote, err = writev(fd.Sysfd, iovecs)", "predictrt.BeforeWrite(fd.Sysfd, nil, "+here+")"),
		after("TestHookDidWritev(int(wrote))", "predictrt.AfterWrite(fd.Sysfd, int(wrote))"),
	}},
	{"syscall", "Sendfile", nil, []edit{unix,
		entry("predictrt.BeforeWrite(outfd, nil, " + here + "); defer func() { predictrt.AfterWrite(outfd, written) }();"),
	}},
	{"syscall", "forkExec", nil, []edit{onlyIn("exec_unix.go"), before("sys := attr.Sys", "for _, f := range attr.Files { predictrt.InheritedByChild(int(f)) }")}},

	// Locks by which forks count each other. A variable that has no events says whether one has to
	// wait. Without this edit, two forks would seem to wait for each other.
	{"syscall", "acquireForkLock, releaseForkLock", nil, append([]edit{counting}, muted...)},

	// The same on Windows, where package poll waits for the completion of operations, in a buffer
	// of the program.
	{"internal/poll", "(*FD).Read", events(trace.Write, trace.Await), []edit{inFD, before("return n, err", hasReadFD)}},
	{"internal/poll", "(*FD).Pread", events(trace.Write, trace.Await), []edit{inFD, before("return n, err", hasReadFD)}},
	{"internal/poll", "(*FD).Write", events(trace.Read, trace.Post), []edit{inFD,
		before("max := len(buf)", "predictrt.BeforeWrite(int(fd.Sysfd), buf[ntotal:], "+here+")"),
		after("ntotal += n", "predictrt.AfterWrite(int(fd.Sysfd), n)"),
	}},
	{"internal/poll", "(*FD).Pwrite", events(trace.Read, trace.Post), []edit{inFD,
		before("max := len(buf)", "predictrt.BeforeWrite(int(fd.Sysfd), buf[ntotal:], "+here+")"),
	}},
	{"internal/poll", "(*FD).Writev", nil, []edit{inFD,
		before("bufs := newWSABufs(buf)", "predictrt.BeforeWrite(int(fd.Sysfd), nil, "+here+")"),
		after("TestHookDidWritev(n)", "predictrt.AfterWrite(int(fd.Sysfd), n)"),
	}},
	{"internal/poll", "SendFile", nil, []edit{onlyIn("sendfile_windows.go"),
		entry("predictrt.BeforeWrite(int(fd.Sysfd), nil, " + here + "); defer func() { predictrt.AfterWrite(int(fd.Sysfd), int(written)) }();"),
	}},
	{"net", "(*netFD).accept", events(trace.Recv, trace.RecvDone), []edit{inFD,
		before("var lrsa, rrsa *syscall.RawSockaddrAny", "predictAccepted(fd, "+here+")"),
	}},
	{"syscall", "StartProcess", nil, []edit{onlyIn("exec_windows.go"), before("sys := attr.Sys", "for _, f := range attr.Files { predictrt.InheritedByChild(int(f)) }")}},

	// Tests. tRunner runs a test, and fRunner a fuzz target. The goroutines of a test are its
	// descendants.
	{"testing", "tRunner", events(trace.TestBegin, trace.TestEnd), []edit{
		before("fn(t)", "predictrt.RunsTest(unsafe.Pointer(&t.common)); predictrt.TestBegin(t.name); defer predictrt.TestEnd(t.name, &t.failed)"),
	}},
	{"testing", "fRunner", events(trace.TestBegin, trace.TestEnd), []edit{
		before("fn(f)", "predictrt.RunsTest(unsafe.Pointer(&f.common)); predictrt.TestBegin(f.name); defer predictrt.TestEnd(f.name, &f.failed)"),
	}},
	// The outcome of a test, and what it logs.
	{"testing", "(*T).report", nil, []edit{before("dstr := fmtDuration(t.duration)", "predictTestResult(&t.common)")}},
	{"testing", "(*F).report", nil, []edit{before("dstr := fmtDuration(f.duration)", "predictTestResult(&f.common)")}},
	{"testing", "(*InternalExample).processRunResult", nil, []edit{
		after("var fail string", "defer func() { predictExample(eg.Name, timeSpent, passed, fail) }()"),
	}},
	{"testing", "(*outputWriter).writeLine", nil, []edit{entry("predictrt.TestOutput(o.c.name, b);")}},
	// A use of a test after its end panics, or its output is lost. Nothing makes the end of a test
	// wait for uses: package testing leaves that out so that the race detector can see it.
	{"testing", "tRunner", events(trace.Write), []edit{before("t.done = true", "predictTestEnded(&t.common); predictrt.Write(&t.done, predictrt.Site("+here+"))")}},
	{"testing", "(*common).Log, (*common).Logf", events(trace.Read), []edit{entry(usesTest)}},
	{"testing", "(*common).Error, (*common).Errorf, (*common).Fatal, (*common).Fatalf, (*common).Fail, (*common).FailNow", events(trace.Read, trace.Assert), []edit{entry(usesTest + fails)}},

	{"testing", "(*T).Parallel", nil, append(uncounted("parallelStart.Add(1)"), entry("predictrt.TestParallel();"))},
	{"testing", "tRunner", nil, uncounted("parallelStop.Add(1)")},
	{"testing", "(*testState).waitParallel", nil, []edit{instead("s.running < s.maxParallel", "s.running < s.maxParallel || predictrt.StartsParallelTest()")}},
	// The first goroutine that asks for a setting of GODEBUG reads it for all others. That is no
	// order between them, as all get the same value.
	{"internal/godebug", "(*Setting).Value, (*Setting).IncNonDefault", nil, muted},

	{"time", "AfterFunc", events(trace.Post, trace.Await), []edit{
		entry("predictrt.BeginTimer(" + here + ");"),
		instead("newTimer(when(d), 0, goFunc, f, nil)", "predictTimerMade(newTimer(when(d), 0, goFunc, f, nil))"),
	}},
	{"time", "goFunc", nil, []edit{entry("predictrt.TimerFires(seq);")}},
	// The function that a context's end calls begins by way of a Once.
	{"context", "AfterFunc", events(trace.Await), []edit{after("stopped := false", "predictrt.StopsTimer(unsafe.Pointer(a), true, "+here+")")}},
	{"time", "(*Ticker).Reset", events(trace.Post, trace.Await), []edit{
		before("resetTimer((*Timer)(unsafe.Pointer(t)), when(d), int64(d))", "predictrt.Log(predictrt.KindPost, unsafe.Pointer(t), 0, "+here+")"),
	}},
	{"time", "(*Timer).Stop", events(trace.Await), []edit{entry(stopsTimer)}},
	{"time", "(*Timer).Reset", events(trace.Post, trace.Await), []edit{
		entry(stopsTimer),
		before("return resetTimer(t, w, 0)", "predictrt.Log(predictrt.KindPost, unsafe.Pointer(t), 0, "+here+")"),
	}},

	// Built-in properties, see package properties. A use is logged before it begins, and an end
	// when it is complete, so that an end followed by a use is harmful. But the end of a response
	// of HTTP/2 is logged when it begins, as it depends on what was written. Only bodies of
	// requests count: clients close those of responses to stop a reader.
	{"net/http", "(*response).write", calls, []edit{entry(uses("w", properties.ResponseWrite))}},
	{"net/http", "(*response).finishRequest", calls, []edit{after("putBufioWriter(w.w)", uses("w", properties.ResponseEnd))}},
	{"net/http", "(*http2responseWriter).write", calls, []edit{inBundle, entry(uses("w", properties.HTTP2Write))}},
	{"net/http", "(*http2responseWriter).handlerDone", calls, []edit{inBundle, entry(uses("w", properties.HTTP2End))}},
	{"net/http/internal/http2", "(*responseWriter).write", calls, []edit{only("go1.27"), entry(uses("w", properties.HTTP2Write))}},
	{"net/http/internal/http2", "(*responseWriter).handlerDone", calls, []edit{only("go1.27"), entry(uses("w", properties.HTTP2End))}},
	{"net/http", "(*body).Read", calls, []edit{entry("if b.doEarlyClose { " + uses("b", properties.BodyRead) + " };")}},
	{"net/http", "(*body).Close", calls, []edit{entry("if b.doEarlyClose { " + ends("b", properties.BodyClose) + " };")}},
	{"database/sql", "(*Tx).grabConn", calls, []edit{entry(uses("tx", properties.TxUse))}},
	{"database/sql", "(*Tx).Commit", calls, []edit{entry(ends("tx", properties.TxCommit))}},
	{"database/sql", "(*Tx).Rollback", calls, []edit{entry(ends("tx", properties.TxRollback))}},
	{"database/sql", "(*Rows).Next", calls, []edit{entry(uses("rs", properties.RowsNext))}},
	{"database/sql", "(*Rows).Scan", calls, []edit{entry(uses("rs", properties.RowsScan))}},
	{"database/sql", "(*Rows).Close", calls, []edit{entry(ends("rs", properties.RowsClose))}},
	{"database/sql", "(*Stmt).connStmt", calls, []edit{entry(uses("s", properties.StmtUse))}},
	{"database/sql", "(*Stmt).Close", calls, []edit{entry(ends("s", properties.StmtClose))}},
	{"os", "(*File).Read", calls, []edit{entry(asks("f", properties.FileRead))}},
	{"os", "(*File).Write", calls, []edit{entry("if f != Stdout && f != Stderr { " + asks("f", properties.FileWrite) + " };")}},
	{"os", "(*File).Close", calls, []edit{entry(ends("f", properties.FileClose))}},
	{"net", "(*conn).Read", calls, []edit{entry(asks("c", properties.ConnRead))}},
	{"net", "(*conn).Write", calls, []edit{entry(asks("c", properties.ConnWrite))}},
	{"net", "(*conn).Close", calls, []edit{entry(ends("c", properties.ConnClose))}},
})

// calls are the events of properties.
var calls = events(trace.Call)

// uses returns code that logs a use of the object that a variable points to. method is the name
// that built-in properties have for the use.
func uses(object, method string) string {
	return fmt.Sprintf("predictrt.LogUse(unsafe.Pointer(%s), %d, %s);", object, trace.CallSiteKey(method, 0), here)
}

// asks is uses only where the program itself is the caller.
func asks(object, method string) string {
	return strings.Replace(uses(object, method), "LogUse", "LogProgramUse", 1)
}

// ends is uses when the function returns.
func ends(object, method string) string {
	return "if predictrt.Mode != 0 { defer " + strings.TrimSuffix(uses(object, method), ";") + " };"
}
