package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// While a program is recorded or replayed, its timers and its monotonic clock
// follow a clock that moves only while the program waits: the time that
// goroutines compute does not count. A timer is due as if the machine were
// infinitely fast, and neither the load of the machine, nor the cost of
// recording, nor a goroutine that is held back makes one fire before a
// goroutine that could go on.
//
// The clock moves
//   - while no goroutine can run, as real time does, but not past the next
//     timer: that is due at its very moment;
//   - a little once a timer has fired, as no machine is on time, but not past
//     the next one: programs that sleep for as long as something is valid
//     count on it;
//   - a little with each look at it, each runtime.Gosched, and each look of a
//     loop that polls, so that loops that wait for it end;
//   - by a part of the processor time that goroutines use beyond predictSlack, one
//     of predictCost: recording makes it cost several times as much.
//
// So it is exact as long as the program waits for nothing but timers. A system
// call that takes long, a socket or another process that ends the waiting
// brings real time in.
//
// The wall clock moves with it, so that who goes by the one sees as much time as
// who goes by the other. When a top-level test begins it catches up with the real
// one. It is that from when the test may come to know times that others have taken,
// those of files, say, until the next one begins: see PredictRealWall. It never goes
// back, nor moves less than the monotonic one.

const (
	predictTick   = 100 // nanoseconds
	predictLate   = 50_000
	predictSlack  = 250_000_000
	predictCost   = 4
	predictGrain  = 50_000 // of processor time, which takes a system call to look at
	predictCredit = 10_000_000
)

var predictClock predictClockState

type predictClockState struct {
	now   int64 // what the clock shows, in nanoseconds
	began int64 // what it showed at first
	held  int64 // of that, what timers do not count, see PredictOnly
	since int64 // when work was last counted, or the P became idle; real time
	debt  int64 // work that has not moved the clock, hardly more than predictSlack

	// At processor time cpu, the debt was no more than known.
	cpu, known int64

	// How much longer the waiting took than to the next timer, at most
	// predictCredit: the next ones will not be waited for that long.
	credit int64

	// only, if not nil, is the timer that time passes for, see PredictOnly;
	// passed is how much has.
	only   *timer
	passed int64

	wall, wallAt int64 // the wall clock as it was last seen, and now then
	real         bool  // it is the real one

	// What ends the tests when their time is over counts all of it.
	alarmReal, alarmWhen int64
}

func predictStartClock() {
	predictClock.now = nanotime()
	predictClock.since, predictClock.began = predictClock.now, predictClock.now
	predictSearchAt = predictClock.now + predictFirstSearch
	predictCatchUp()
}

// predictWork counts the time since it was called last as work.
func predictWork() {
	c := &predictClock
	now := nanotime()
	c.debt += now - c.since
	c.since = now
	if c.debt > predictSlack+predictGrain {
		// What the machine did with its time meanwhile is not ours.
		cpu := predictCPU()
		c.debt = min(c.debt, c.known+cpu-c.cpu)
		c.known, c.cpu = c.debt, cpu
		if c.debt > predictSlack {
			c.now += (c.debt - predictSlack) / predictCost
			c.debt, c.known = predictSlack, predictSlack
		}
	}
	if c.alarmReal != 0 && now > c.alarmReal {
		c.now = max(c.now, c.alarmWhen+c.held)
	}
}

// predictIdleBegins is called when the P becomes idle, with sched.lock.
func predictIdleBegins() {
	if predictOneP {
		predictWork()
	}
}

// predictIdleEnds is called when pp, which was idle, is taken, with sched.lock.
func predictIdleEnds(pp *p) {
	if !predictOneP {
		return
	}
	c := &predictClock
	now := nanotime()
	waited := now - c.since
	c.since = now
	c.debt = max(0, c.debt-waited)
	c.known = min(c.known, c.debt)
	if c.only != nil {
		c.credit += waited
		waited = min(c.credit, c.left())
		c.credit = min(c.credit-waited, predictCredit)
		c.passed += waited
		c.held += waited
	} else if next := pp.timers.wakeTime(); next != 0 {
		left := max(0, next-(c.now-c.held))
		c.credit += waited
		waited = min(c.credit, left)
		c.credit = min(c.credit-waited, predictCredit)
	}
	c.now += waited
}

// predictUntil is how long to wait for a timer that is due at when.
func predictUntil(when, now int64) int64 {
	if !predictOneP {
		return when - now
	}
	return when - predictTimerNow(0) - predictClock.credit
}

// predictTimerNow is the time that timers are compared with. real is the time
// in an ordinary run.
func predictTimerNow(real int64) int64 {
	if !predictOneP {
		return real
	}
	return predictClock.now - predictClock.held
}

// predictNano is the monotonic time that the program sees.
func predictNano() int64 {
	if !predictOneP {
		return nanotime()
	}
	if predictUser() {
		predictHooks.Clock()
	}
	predictWork()
	predictClock.now += predictTick
	return predictClock.now
}

func predictTimeNow() (sec int64, nsec int32, mono int64) {
	if !predictOneP {
		return time_now()
	}
	c := &predictClock
	mono = predictNano()
	if c.real {
		predictCatchUp()
	}
	wall := c.wall + mono - c.wallAt
	PredictOutsideRead(PredictClock)
	return wall / 1e9, int32(wall % 1e9), mono
}

// predictCatchUp moves the wall clock on to the real one, if it is behind that.
func predictCatchUp() {
	c := &predictClock
	sec, nsec, _ := time_now()
	c.wall, c.wallAt = max(sec*1e9+int64(nsec), c.wall+c.now-c.wallAt), c.now
}

// PredictRealWall is called where the program may come to know a time that it has not
// from its own wall clock: from files, other processes, C.
//
//go:nosplit
func PredictRealWall() { predictClock.real = true }

// predictWhen turns the time when package time wants a timer to fire into that
// of the timers. To one that is due at once time has passed, which no other timer counts.
func predictWhen(when int64) int64 {
	if !predictOneP || getg().bubble != nil || when == maxWhen {
		return when
	}
	if c := &predictClock; predictIsBrief(when-c.now) && predictHooks.Brief(when-c.now) {
		PredictPass(when-c.now, true)
	}
	return max(1, when-predictClock.held)
}

// check runs the timers that are due; see predictCheck, which is the original.
//
//go:yeswritebarrierrec
func (ts *timers) check(now int64, bubble *synctestBubble) (rnow, pollUntil int64, ran bool) {
	if !predictOneP || bubble != nil {
		return ts.predictCheck(now, bubble)
	}
	if ts.wakeTime() == 0 {
		return now, 0, false
	}
	predictWork()
	c := &predictClock
	if c.only != nil {
		if left := c.left(); left > 0 {
			return now, predictTimerNow(0) + left, false
		}
		c.end()
	}
	_, pollUntil, ran = ts.predictCheck(predictTimerNow(0), nil)
	if ran {
		late := int64(predictLate)
		if pollUntil != 0 {
			late = min(late, max(0, pollUntil-predictTimerNow(0)-1))
		}
		c.now += late
		c.credit = max(0, c.credit-late)
	}
	return now, pollUntil, ran
}

// PredictOnly lets time pass for nothing but the timer that a goroutine waits
// for, see PredictTimeout: all others will have as long to go as before.
func PredictOnly(id unsafe.Pointer) {
	predictClock.only, predictClock.passed = predictTimerOf((*g)(id)), 0
}

// left is how long it is still to go.
func (c *predictClockState) left() int64 {
	return max(0, c.only.when-(c.now-c.held)-c.passed)
}

// end lets time pass for all timers again.
func (c *predictClockState) end() {
	t, passed := c.only, c.passed
	c.only = nil
	if passed > 0 && t.when > 0 {
		t.reset(max(1, t.when-passed), t.period)
	}
}

// PredictPass lets ns nanoseconds pass at once. With held set, timers do not count
// them, but for those that PredictBring is told.
func PredictPass(ns int64, held bool) {
	predictClock.now += ns
	if held {
		predictClock.held += ns
	}
}

// PredictBring makes the timer that a goroutine waits for, see PredictTimeout, due ns
// nanoseconds earlier.
func PredictBring(id unsafe.Pointer, ns int64) {
	if t := predictTimerOf((*g)(id)); t != nil && t.when > 0 {
		t.reset(max(1, t.when-ns), t.period)
	}
}

// PredictDelay returns how long a goroutine waits for a timer and for nothing
// else, in nanoseconds; ok is false if it does not.
func PredictDelay(id unsafe.Pointer) (left int64, ok bool) {
	if gp := (*g)(id); gp.waitreason == waitReasonSelect {
		return 0, false
	}
	return PredictTimeout(id)
}

// PredictTimeout returns how long a goroutine waits at most, in nanoseconds: for a
// timer, whatever else it waits for in the same select. ok is false if there is no
// such timer.
func PredictTimeout(id unsafe.Pointer) (left int64, ok bool) {
	t := predictTimerOf((*g)(id))
	if t == nil {
		return 0, false
	}
	return max(0, t.when-predictTimerNow(0)), true
}

// predictTimerOf returns the first one of the timers that gp waits for.
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
				first = predictEarlier(first, predictSender(c))
			}
		}
	}
	return first
}

// predictSender returns the timer that sends to c. With asynctimerchan=1, as modules
// of before Go 1.23 have it, the channel does not know.
func predictSender(c *hchan) *timer {
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

// predictEarlier returns which of two timers is due before the other one.
func predictEarlier(t, u *timer) *timer {
	if u == nil || u.isFake || u.when == 0 || t != nil && t.when <= u.when {
		return t
	}
	return u
}

// predictPauseTimer is the watcher's.
func predictPauseTimer(gp *g) *timer {
	if gp.timer == nil {
		gp.timer = new(timer)
		gp.timer.init(goroutineReady, gp)
	}
	return gp.timer
}

// PredictStand stops the whole program for ns nanoseconds, which no clock of
// its own counts.
func PredictStand(ns int64) {
	for end := nanotime() + ns; nanotime() < end; {
		usleep(1000)
	}
	predictClock.since = nanotime()
}

// predictYield puts gp, which has called Gosched or is preempted, behind all
// that can run. sched.lock is held. Those that have come back from a system call or a socket
// without a P are in the global queue: gp comes after them, unless it is in PredictGiveWay, as
// the local queue goes before that.
func predictYield(pp *p, gp *g) {
	givesWay := predictGivesWay
	predictGivesWay = false
	if !predictOneP || !givesWay && !sched.runq.empty() || pp.runqtail-pp.runqhead >= uint32(len(pp.runq)) {
		globrunqput(gp)
		return
	}
	predictClock.now += predictTick
	predictSink(pp, gp)
	runqput(pp, gp, false)
}

// The scheduler of an ordinary run acts by real time, or by counting what the
// runtime's own goroutines do too.

const (
	// predictLong is how long a goroutine may compute without a switch, in
	// nanoseconds of processor time, and predictLongSyscall how long a system
	// call may take, before others run.
	predictLong        = 250_000_000
	predictLongSyscall = 50_000_000
)

var (
	predictTurns  uint32 // of the program's own goroutines
	predictCalls  atomic.Int64
	predictAbroad bool // it has started a process, or made a socket

	predictFirstCall int64 // when sysmon has seen a system call first
)

// predictTurn is called when gp gets the P.
func predictTurn(gp *g) {
	if gp.predict != nil {
		predictTurns++
	}
	if predictClock.only != nil {
		predictClock.end()
	}
}

func predictSchedTick(pp *p) uint32 {
	if !predictOneP {
		return pp.schedtick
	}
	return predictTurns
}

// predictTurnCPU is the processor time at predictTurnWhen, the beginning of the
// turn of the goroutine that runs.
var predictTurnWhen, predictTurnCPU int64

// predictOverdue reports whether a goroutine whose turn began at when has had
// enough; sysmon asks.
func predictOverdue(when, now int64) bool {
	if !predictOneP {
		return when+forcePreemptNS <= now
	}
	if when != predictTurnWhen {
		predictTurnWhen, predictTurnCPU = when, predictCPU()
	}
	return when+predictLong <= now && predictTurnCPU+predictLong <= predictCPU()
}

// PredictTurns returns how often one of the program's own goroutines has got the P.
func PredictTurns() uint32 { return predictTurns }

// PredictCPU returns the processor time that the process has used, in nanoseconds.
func PredictCPU() int64 { return predictCPU() }

// predictShort reports whether a system call that has begun at that time is to
// be waited for with all other goroutines.
func predictShort(when, now int64) bool {
	if !predictOneP || len(predictChildren) > 0 {
		return false
	}
	if when == 0 { // the first one of all: sysmon takes it for one that it has seen before
		if predictFirstCall == 0 {
			predictFirstCall = now
		}
		when = predictFirstCall
	}
	if when+predictLongSyscall > now {
		return true
	}
	predictCalls.Add(now - when)
	return false
}

// PredictLooked moves the clock by the ns nanoseconds that a goroutine has looked
// whether others have changed something.
func PredictLooked(ns int64) { predictClock.now += ns }

// PredictCalls returns for how long all goroutines together have waited for
// system calls that took long, in nanoseconds.
func PredictCalls() int64 { return predictCalls.Load() }

// PredictAbroad is called where the program turns to another process.
func PredictAbroad() { predictAbroad = true }

// PredictAlone reports whether no other process can be what the program waits for.
func PredictAlone() bool { return !predictAbroad }

// predictHeapScale multiplies the heap size below which there is no collection:
// one makes goroutines wait at places that differ from run to run.
func predictHeapScale() uint64 {
	if !predictOneP {
		return 1
	}
	return 16
}

// PredictRested forgets the work that has not been counted: a top-level test begins.
func PredictRested() {
	predictWork()
	predictClock.debt, predictClock.known = 0, 0
	predictCatchUp()
	predictClock.real = false
}

// PredictClockNow returns what the clock shows, in nanoseconds.
func PredictClockNow() int64 { return predictClock.now }

// PredictElapsed returns how much time has passed by the clock, in nanoseconds.
func PredictElapsed() int64 { return predictClock.now - predictClock.began }

// PredictTimerAfter returns how many nanoseconds the first timer is due after the time when,
// of PredictTimerNow; negative if there is none.
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

// PredictAlarm says that t is the timer that ends the tests when their time is
// over, and returns when that is, in the time of PredictTimerNow.
func PredictAlarm(timer unsafe.Pointer) int64 {
	t := (*timeTimer)(timer)
	predictClock.alarmWhen = t.when
	predictClock.alarmReal = nanotime() + t.when - predictTimerNow(0)
	return t.when
}
