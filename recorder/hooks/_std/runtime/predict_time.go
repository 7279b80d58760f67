package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// While a program is recorded or replayed, its timers and its monotonic clock follow a clock that
// advances only while the program waits: the time in which goroutines compute does not count. A
// timer is due as if the machine were infinitely fast. Neither the load of the machine, nor the
// cost of recording, nor a goroutine that is held makes a timer fire before a goroutine that
// could go on.
//
// The clock advances
//   - while no goroutine can run, as real time does, but not past the next timer: that is due at
//     its very moment;
//   - a little once a timer has fired, as no machine is on time, but not past the next one:
//     programs that sleep for as long as something is valid depend on it;
//   - a little with each read of it, each runtime.Gosched, and each look of a loop that polls, so
//     that loops that wait for it end;
//   - by a part of the processor time that goroutines use beyond predictFreeWork, one of
//     predictWorkFactor: recording makes computations cost several times as much.
//
// So it is exact as long as the program waits for nothing but timers. A system call that takes
// long, a socket or another process that ends the wait brings in real time: a system call that
// waits, and C, take at least as long on the clock as in reality.
//
// The wall clock advances together with it, so that a program sees the same time by both. When a
// top-level test begins, the wall clock catches up with the real one. From where the test may see
// times that others have made, as those of files, until the next test begins, it is the real one:
// see PredictRealWall. It never goes back, nor advances by less than the monotonic clock.

const (
	predictReadTime   = 100 // nanoseconds that a read of the clock takes
	predictTimerDelay = 50_000
	predictFreeWork   = 250_000_000
	predictWorkFactor = 4
	predictWorkGrain  = 50_000 // of processor time, which takes a system call to read
	predictMaxCredit  = 10_000_000
	predictMinC       = 1_000_000 // C that takes less does not count as waiting
)

var predictClock predictClockState

// A predictClockState is the state of the clock; all times are in nanoseconds.
type predictClockState struct {
	now          int64 // what the clock shows
	start        int64 // what it showed at first
	skipped      int64 // time that has passed on the clock, but not for timers, see PredictPass
	countedUntil int64 // real time when work was last counted, or the P became idle
	work         int64 // work that has not advanced the clock, hardly more than predictFreeWork

	// At processor time cpu, the work was workAtCPU at most.
	cpu, workAtCPU int64

	// credit is how much longer waits took than to the next timer, at most predictMaxCredit:
	// the next waits are that much shorter.
	credit int64

	// onlyTimer, if not nil, is the only timer that time passes for, see PredictPassOnlyFor;
	// passed is how much has.
	onlyTimer *timer
	passed    int64

	wall, wallAt int64 // the wall clock as it was last read, and now then
	isWallReal   bool  // the program sees the real wall clock

	// alarm is the timer that ends the tests when their time is over, at deadline. It is hastened
	// at realDeadline or, in a run that repeats another one, when this one has had as much time of
	// its own: that of ownDeadline is processor time, and the time in which the P was idle.
	alarm                               *timer
	realDeadline, deadline, ownDeadline int64
	idle                                int64
}

func predictStartClock() {
	predictClock.now = nanotime()
	predictClock.countedUntil, predictClock.start = predictClock.now, predictClock.now
	predictNextLook = predictClock.now + predictLookInterval
	predictNextSearch = predictNextLook
	predictSyncWall()
}

// predictCountWork counts the time since it was called last as work.
func predictCountWork() {
	c := &predictClock
	now := nanotime()
	c.work += now - c.countedUntil
	c.countedUntil = now
	if c.work > predictFreeWork+predictWorkGrain {
		// Only the program's own processor time counts.
		cpu := predictCPU()
		c.work = min(c.work, c.workAtCPU+cpu-c.cpu)
		c.workAtCPU, c.cpu = c.work, cpu
		if c.work > predictFreeWork {
			c.now += (c.work - predictFreeWork) / predictWorkFactor
			c.work, c.workAtCPU = predictFreeWork, predictFreeWork
		}
	}
}

// predictIdleBegins is called when the P becomes idle. sched.lock is held.
func predictIdleBegins() {
	if predictActive {
		predictCountWork()
	}
}

// predictIdleEnds is called when pp, which was idle, is taken. sched.lock is held.
func predictIdleEnds(pp *p) {
	if !predictActive {
		return
	}
	c := &predictClock
	now := nanotime()
	waited := now - c.countedUntil
	c.countedUntil = now
	c.idle += waited
	c.work = max(0, c.work-waited)
	c.workAtCPU = min(c.workAtCPU, c.work)
	if c.onlyTimer != nil {
		c.credit += waited
		waited = min(c.credit, c.onlyLeft())
		c.credit = min(c.credit-waited, predictMaxCredit)
		c.passed += waited
		c.skipped += waited
	} else if next := pp.timers.wakeTime(); next != 0 {
		left := max(0, next-(c.now-c.skipped))
		c.credit += waited
		waited = min(c.credit, left)
		c.credit = min(c.credit-waited, predictMaxCredit)
	}
	c.now += waited
}

// predictTimerWait returns how long to wait for a timer that is due at when.
func predictTimerWait(when, now int64) int64 {
	if !predictActive {
		return when - now
	}
	return when - predictTimerNow(0) - predictClock.credit
}

// predictTimerNow returns the time that timers are compared with; real is the time in an ordinary
// run.
func predictTimerNow(real int64) int64 {
	if !predictActive {
		return real
	}
	return predictClock.now - predictClock.skipped
}

// predictNano returns the monotonic time that the program sees.
func predictNano() int64 {
	if !predictActive {
		return nanotime()
	}
	if predictIsUser() {
		predictHooks.ReadClock()
	}
	predictCountWork()
	predictClock.now += predictReadTime
	return predictClock.now
}

// predictTimeNow replaces time_now.
func predictTimeNow() (sec int64, nsec int32, mono int64) {
	if !predictActive {
		return time_now()
	}
	c := &predictClock
	mono = predictNano()
	if c.isWallReal {
		predictSyncWall()
	}
	wall := c.wall + mono - c.wallAt
	PredictReadInput(PredictClock)
	return wall / 1e9, int32(wall % 1e9), mono
}

// predictSyncWall advances the wall clock to the real one, if it is behind that.
func predictSyncWall() {
	c := &predictClock
	sec, nsec, _ := time_now()
	c.wall, c.wallAt = max(sec*1e9+int64(nsec), c.wall+c.now-c.wallAt), c.now
}

// PredictRealWall is called where the program may see a time that is not from its own wall clock:
// from files, other processes, C.
//
//go:nosplit
func PredictRealWall() { predictClock.isWallReal = true }

// predictTimerWhen converts the time at which package time wants a timer to fire to that of the
// timers. If the timer is due at once, its time passes on the clock, but not for other timers.
func predictTimerWhen(when int64) int64 {
	if !predictActive || getg().bubble != nil || when == maxWhen {
		return when
	}
	if c := &predictClock; predictIsShortTimer(when-c.now) && predictHooks.FiresAtOnce(when-c.now) {
		PredictPass(when-c.now, true)
	}
	return max(1, when-predictClock.skipped)
}

// check runs the timers that are due. predictCheck is the original.
//
//go:yeswritebarrierrec
func (ts *timers) check(now int64, bubble *synctestBubble) (rnow, pollUntil int64, ran bool) {
	if !predictActive || bubble != nil {
		return ts.predictCheck(now, bubble)
	}
	if ts.wakeTime() == 0 {
		return now, 0, false
	}
	predictCountWork()
	c := &predictClock
	if c.isOverdue() {
		c.endTests()
	}
	if c.onlyTimer != nil {
		if left := c.onlyLeft(); left > 0 {
			return now, c.untilOverdue(predictTimerNow(0) + left), false
		}
		c.endOnly()
	}
	_, pollUntil, ran = ts.predictCheck(predictTimerNow(0), nil)
	if ran {
		late := int64(predictTimerDelay)
		if pollUntil != 0 {
			late = min(late, max(0, pollUntil-predictTimerNow(0)-1))
		}
		c.now += late
		c.credit = max(0, c.credit-late)
	}
	return now, c.untilOverdue(pollUntil), ran
}

// isOverdue reports whether the tests have taken as much time as they may. Other programs' use of the
// processors must not end a run that repeats another one.
func (c *predictClockState) isOverdue() bool {
	if c.realDeadline == 0 || c.countedUntil <= c.realDeadline {
		return false
	}
	if left := c.ownDeadline - c.idle - predictCPU(); PredictSkipsTime && left > 0 {
		c.realDeadline = c.countedUntil + left
		return false
	}
	return true
}

// untilOverdue returns when the P is to look at its timers again if that is to be at when or, if
// that is 0, never.
func (c *predictClockState) untilOverdue(when int64) int64 {
	if c.realDeadline == 0 {
		return when
	}
	overdue := predictTimerNow(0) + c.realDeadline + 1 - c.countedUntil
	if when == 0 {
		return overdue
	}
	return min(when, overdue)
}

// endTests makes the timer fire that ends the tests. What is due before their time is over on the
// clock has not come yet, so that the clock stays as it is.
func (c *predictClockState) endTests() {
	c.realDeadline = 0
	if c.alarm.when > 0 {
		c.alarm.reset(max(1, min(c.alarm.when, predictTimerNow(0))), 0)
	}
}

// PredictPassOnlyFor lets time pass only for the timer that a goroutine waits for, see
// PredictTimeoutLeft: all others will have as long to go as before.
func PredictPassOnlyFor(id unsafe.Pointer) {
	predictClock.onlyTimer, predictClock.passed = predictTimerOf((*g)(id)), 0
}

// onlyLeft returns how long onlyTimer still has to go.
func (c *predictClockState) onlyLeft() int64 {
	return max(0, c.onlyTimer.when-(c.now-c.skipped)-c.passed)
}

// endOnly lets time pass for all timers again.
func (c *predictClockState) endOnly() {
	t, passed := c.onlyTimer, c.passed
	c.onlyTimer = nil
	if passed > 0 && t.when > 0 {
		t.reset(max(1, t.when-passed), t.period)
	}
}

// PredictPass lets ns nanoseconds pass at once; with skipTimers not for timers, except for those
// that PredictHastenTimer is called for.
func PredictPass(ns int64, skipTimers bool) {
	predictClock.now += ns
	if skipTimers {
		predictClock.skipped += ns
	}
}

// PredictHastenTimer makes the timer that a goroutine waits for, see PredictTimeoutLeft, due ns
// nanoseconds earlier.
func PredictHastenTimer(id unsafe.Pointer, ns int64) {
	if t := predictTimerOf((*g)(id)); t != nil && t.when > 0 {
		t.reset(max(1, t.when-ns), t.period)
	}
}

// PredictSleepLeft returns how many nanoseconds a goroutine still waits for a timer; ok is false
// if it waits for something else, too, or for no timer.
func PredictSleepLeft(id unsafe.Pointer) (left int64, ok bool) {
	if gp := (*g)(id); gp.waitreason == waitReasonSelect {
		return 0, false
	}
	return PredictTimeoutLeft(id)
}

// PredictTimeoutLeft returns how many nanoseconds a goroutine still waits for a timer, whatever
// else it waits for in the same select. ok is false if there is no such timer.
func PredictTimeoutLeft(id unsafe.Pointer) (left int64, ok bool) {
	t := predictTimerOf((*g)(id))
	if t == nil {
		return 0, false
	}
	return max(0, t.when-predictTimerNow(0)), true
}

// predictTimerOf returns the earliest timer that gp waits for.
func predictTimerOf(gp *g) (first *timer) {
	if readgstatus(gp) != _Gwaiting {
		return nil
	}
	switch gp.waitreason {
	case waitReasonSleep:
		return predictEarlier(nil, gp.timer)
	case waitReasonChanReceive, waitReasonSelect:
		for sg := gp.waiting; sg != nil; sg = sg.waitlink {
			if c := sg.c.get(); c != nil {
				first = predictEarlier(first, predictChanTimer(c))
			}
		}
	}
	return first
}

// predictChanTimer returns the timer that sends on c. With asynctimerchan=1, as modules of before
// Go 1.23 have it, the channel does not know it.
func predictChanTimer(c *hchan) *timer {
	if c.timer != nil {
		return c.timer
	}
	ts := &getg().m.p.ptr().timers
	ts.lock()
	defer ts.unlock()
	for _, tw := range ts.heap {
		if t := tw.timer; efaceOf(&t.arg).data == unsafe.Pointer(c) {
			return t
		}
	}
	return nil
}

// predictEarlier returns the timer that is due first of two.
func predictEarlier(t, u *timer) *timer {
	if u == nil || u.isFake || u.when == 0 || t != nil && t.when <= u.when {
		return t
	}
	return u
}

// predictPauseTimer returns the timer that the watcher sleeps by.
func predictPauseTimer(gp *g) *timer {
	if gp.timer == nil {
		gp.timer = new(timer)
		gp.timer.init(goroutineReady, gp)
	}
	return gp.timer
}

// A PredictWait is a wait outside of the program: a system call that waits, or C.
type PredictWait struct {
	on    bool
	lag   int64 // by how much the clock was behind real time when it began
	least int64 // less does not count
}

// PredictBeginWait is called before a system call that waits.
//
//go:nosplit
func PredictBeginWait() PredictWait {
	if !predictActive {
		return PredictWait{}
	}
	return PredictWait{true, nanotime() - predictClock.now, 0}
}

// predictBeginC is called before C.
//
//go:nosplit
func predictBeginC() (w PredictWait) {
	if predictRanC {
		w = PredictBeginWait()
		w.least = predictMinC
	}
	return w
}

// End makes the clock advance by what the wait took, as far as it has not yet.
//
//go:nosplit
func (w PredictWait) End() {
	if !w.on {
		return
	}
	if missing := nanotime() - predictClock.now - w.lag; missing > w.least {
		predictClock.now += missing
	}
}

// PredictStopProgram stops the whole program for ns nanoseconds, which its clock does not count.
func PredictStopProgram(ns int64) {
	for end := nanotime() + ns; nanotime() < end; {
		usleep(1000)
	}
	predictClock.countedUntil = nanotime()
}

// predictYield queues gp, which has called Gosched or is preempted, after all that can run.
// sched.lock is held. Goroutines that have come back from a system call or a socket without a P
// are in the global queue: gp comes after them, unless it is in PredictYield, as the local queue
// is served first.
func predictYield(pp *p, gp *g) {
	givesWay := predictYieldsNow
	predictYieldsNow = false
	if !predictActive || !givesWay && !sched.runq.empty() || pp.runqtail-pp.runqhead >= uint32(len(pp.runq)) {
		globrunqput(gp)
		return
	}
	predictClock.now += predictReadTime
	predictSinkRank(pp, gp)
	runqput(pp, gp, false)
}

// The scheduler of an ordinary run acts by real time, or by counts that the runtime's own
// goroutines are part of. Here it does not.

const (
	// predictMaxTurn is how long a goroutine may compute while others wait, in nanoseconds of
	// processor time, and predictMaxSyscall how long a system call may take, in nanoseconds,
	// before others run, if it waits then: not for a processor or a disk, as on a busy machine.
	predictMaxTurn    = 250_000_000
	predictMaxSyscall = 50_000_000
)

var (
	predictTurns         uint32 // how often one of the program's own goroutines got the P
	predictSyscallTime   atomic.Int64
	predictUsesProcesses bool // the program has started a process
	predictUsesNetwork   bool // the program has made a socket that others may send to

	predictFirstSyscall int64 // when sysmon has first seen a system call
)

// predictTurn is called when gp gets the P.
func predictTurn(gp *g) {
	if gp.predict != nil {
		predictTurns++
	}
	if predictClock.onlyTimer != nil {
		predictClock.endOnly()
	}
}

func predictSchedTick(pp *p) uint32 {
	if !predictActive {
		return pp.schedtick
	}
	return predictTurns
}

// predictTurnCPU is the processor time at predictTurnWhen, when the running goroutine got the P.
var predictTurnWhen, predictTurnCPU int64

// predictOverdue reports, for sysmon, whether a goroutine that got the P at when has computed for
// too long.
func predictOverdue(when, now int64) bool {
	if !predictActive {
		return when+forcePreemptNS <= now
	}
	if when != predictTurnWhen {
		predictTurnWhen, predictTurnCPU = when, predictCPU()
	}
	return when+predictMaxTurn <= now && predictTurnCPU+predictMaxTurn <= predictCPU()
}

// PredictTurns returns how often one of the program's own goroutines got the P.
func PredictTurns() uint32 { return predictTurns }

// PredictCPU returns the processor time that the process has used, in nanoseconds.
func PredictCPU() int64 { return predictCPU() }

// predictIsShortSyscall reports whether all goroutines wait for a system call that has begun at
// when, on pp.
func predictIsShortSyscall(pp *p, when, now int64) bool {
	if !predictActive || len(predictChildren) > 0 {
		return false
	}
	if when == 0 { // the first one: sysmon takes it for one that it has seen before
		if predictFirstSyscall == 0 {
			predictFirstSyscall = now
		}
		when = predictFirstSyscall
	}
	if when+predictMaxSyscall > now || !predictRanC && predictIsBusy(pp.m.ptr()) {
		return true
	}
	predictSyscallTime.Add(now - when)
	return false
}

// PredictSyscallTime returns for how long all goroutines together have waited for system calls
// that took long, in nanoseconds.
func PredictSyscallTime() int64 { return predictSyscallTime.Load() }

// PredictUseNetwork is called where the program makes a socket that others than itself may send to.
func PredictUseNetwork() { predictUsesNetwork = true }

// PredictAlone reports whether nothing that the program has done lets it wait for what happens
// outside of it.
func PredictAlone() bool { return !predictUsesProcesses && !predictUsesNetwork && !predictRanC }

// predictHeapScale returns the factor of the heap size below which there is no garbage collection:
// a collection makes goroutines wait at places that differ from run to run.
func predictHeapScale() uint64 {
	if !predictActive {
		return 1
	}
	return 16
}

// PredictStartTest is called when a top-level test begins. Work that was not counted so far is
// forgotten.
func PredictStartTest() {
	predictCountWork()
	predictClock.work, predictClock.workAtCPU = 0, 0
	predictSyncWall()
	predictClock.isWallReal = false
}

// PredictClockNow returns what the clock shows, in nanoseconds.
func PredictClockNow() int64 { return predictClock.now }

// PredictElapsed returns how much time has passed on the clock, in nanoseconds.
func PredictElapsed() int64 { return predictClock.now - predictClock.start }

// PredictTimerAfter returns by how many nanoseconds the first timer after the time when is due
// later than that; negative if there is none. when is a time of PredictTimerNow.
func PredictTimerAfter(when int64) int64 {
	next := int64(-1)
	ts := &getg().m.p.ptr().timers
	ts.lock()
	for _, tw := range ts.heap {
		if d := tw.timer.when - when; d > 0 && tw.timer.state&timerZombie == 0 && (next < 0 || d < next) {
			next = d
		}
	}
	ts.unlock()
	return next
}

// PredictTimerNow returns the time of timers, in nanoseconds.
func PredictTimerNow() int64 { return predictTimerNow(0) }

// PredictSetDeadline sets the timer that ends the tests when their time is over, and returns when
// that is, by PredictTimerNow. That is after as many nanoseconds as the tests of the run have that
// this one repeats, unless that is 0; after as much real time as the timer is set to, the tests end
// in any case.
func PredictSetDeadline(timer unsafe.Pointer, tests int64) int64 {
	t, c := (*timeTimer)(timer), &predictClock
	left := t.when - predictTimerNow(0)
	c.alarm, c.realDeadline = &t.timer, nanotime()+left
	c.ownDeadline = predictCPU() + c.idle + left
	if tests > left {
		t.reset(t.when+tests-left, 0)
	}
	c.deadline = t.when
	return t.when
}
