// Package predictrt is the part of gopredict that lands inside the tested
// program. It is injected into the standard library by an overlay; the
// patched files of runtime, sync, sync/atomic, testing and time call it, and
// so do the user's files as the rewriter has changed them.
//
// One variable, Mode, says what it does: nothing, record every event to a
// trace, or replay a schedule (and possibly record that run too).
//
// Package inside, below it, is what packages of the standard library call that work on
// memory of the program: see Inside.
//
// While it is on, the program has one P and is not preempted asynchronously.
// So only one goroutine runs at a time, and it can be switched only where a
// function grows its stack or blocks. None of the data here is locked for
// that reason: functions that must not be interrupted are nosplit, or pin
// the goroutine. A hook decides everything that may block first, then makes
// room in the buffer, and then logs the event by nosplit code that returns
// straight to the access: event and access are one step.
//
// Functions that compute addresses in the buffers are nocheckptr: users may
// compile all packages with -d=checkptr, which knows no such memory.
package predictrt
