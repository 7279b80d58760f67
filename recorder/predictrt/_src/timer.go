package predictrt

import (
	"runtime"
	"unsafe"
)

// This file orders the functions of timers (time.AfterFunc): each call is a goroutine, which comes
// after what has started the timer.

// A timerCall is what only the calls of timers have of a lateCall.
type timerCall struct {
	timer    uintptr // address of the timer, by which its Reset is logged
	runs     int     // number of goroutines that have called the function
	starting int     // number of goroutines that were started for that and have not begun
	isFreed  bool    // there is no such timer any more
}

// timerCalls has the calls of timers, by a hash of the timer's address. The garbage collector says
// when one is not needed any more.
var timerCalls [1 << timerBits]*lateCall

// timerSlot returns where the call of a timer is.
func timerSlot(timer uintptr) **lateCall {
	return &timerCalls[uint64(timer)*0x9e3779b97f4a7c15>>(64-timerBits)]
}

// BeginTimer is called before a timer is made that will call a function in a goroutine of its own.
func BeginTimer(pc uintptr) {
	if Mode == 0 {
		return
	}
	g, site := enterAt(KindPost, 0, pc)
	if g == nil {
		runtime.PredictSetCall(nil)
		return
	}
	runtime.PredictPin()
	g.account.noteInput(runtime.PredictClock) // even if it never fires
	var flags uint8
	if !IsPrivate(pc) {
		g.account.hasForked = true
		flags = flagTry // see trace.Event.StartsTimer
	}
	c := g.newLateCall(site)
	c.addPath(g.childNumber(site))
	c.after = newObject()
	runtime.PredictSetCall(unsafe.Pointer(c))
	runtime.PredictUnpin()
	makeRoom()
	g.log(KindPost, flags, site, 0, c.after, 0)
}

// TimerMade is called when the timer is made.
func TimerMade(timer unsafe.Pointer) {
	if Mode == 0 {
		return
	}
	c := (*lateCall)(runtime.PredictTimerCall(timer))
	if c == nil {
		return
	}
	runtime.PredictPin()
	c.timer = uintptr(timer)
	slot := timerSlot(c.timer)
	c.next, *slot = *slot, c
	runtime.PredictUnpin()
	if c.isAlarm() {
		testDeadline = runtime.PredictSetDeadline(timer, testsTime)
	}
}

// isAlarm reports whether c ends the tests when their time is over.
func (c *lateCall) isAlarm() bool { return callSites[c.site].fn == "testing.(*M).startAlarm" }

// TimerFires is called before a timer starts the goroutine that calls its function. call is what
// the runtime keeps for it.
func TimerFires(call uintptr) {
	if Mode == 0 || call == 0 {
		return
	}
	c := (*lateCall)(*(*unsafe.Pointer)(unsafe.Pointer(&call)))
	c.starting++
	runtime.PredictStartsCall(unsafe.Pointer(c))
}

// nameRun gives g, which calls the function of c, its name.
func (c *lateCall) nameRun(g *goroutine) {
	g.setPath(c.path)
	if c.timer == 0 {
		return
	}
	if c.runs++; c.runs > 1 {
		g.addPath("#", c.runs)
	}
}

// logRun logs what the running goroutine, which calls the function of c, comes after: the call that
// has made the timer, and Resets. Stops come after it.
func (c *lateCall) logRun() {
	if c.isAlarm() {
		tellHang()
	}
	for _, token := range [...]uint64{c.after, uint64(c.timer)} {
		if g := enter(KindAwait, c.site); g != nil {
			g.log(KindAwait, 0, c.site, 0, token, 0)
		}
	}
	if g := enter(KindPost, c.site); g != nil {
		g.log(KindPost, 0, c.site, 0, firedToken(c.timer), 0)
	}
	if c.starting--; c.starting == 0 && c.isFreed {
		c.release()
	}
}

// forgetTimers is called when of 64 objects of a size from addr on those with their bits set are
// free.
func forgetTimers(addr, size uintptr, which uint64) {
	if size < runtime.PredictTimerSize || size >= 2*runtime.PredictTimerSize {
		return
	}
	for ; which != 0; which, addr = which>>1, addr+size {
		if which&1 == 0 {
			continue
		}
		for at := timerSlot(addr); *at != nil; at = &(*at).next {
			if c := *at; c.timer == addr {
				*at = c.next
				if c.isFreed = true; c.starting == 0 {
					c.release()
				}
				break
			}
		}
	}
}

// firedToken returns the token that the function of a timer posts when it begins. A Stop or Reset of
// the timer awaits it: coming later, it has not stopped that function.
func firedToken(timer uintptr) uint64 { return uint64(timer) + 1 }

// StopsTimer is called before the program stops or resets a timer, or stops the function that is to be
// called when a context ends, and returns to pc. In another run the timer may fire before that. If it is to call a function, the event is where a schedule lets it
// fire.
func StopsTimer(timer unsafe.Pointer, calls bool, pc uintptr) {
	if Mode == 0 || IsPrivate(pc) {
		return
	}
	noteInputAt(runtime.PredictClock, pc)
	if !calls {
		return
	}
	if g, site := enterAt(KindAwait, firedToken(uintptr(timer)), pc); g != nil {
		g.log(KindAwait, flagTry, site, 0, firedToken(uintptr(timer)), 0)
	}
}
