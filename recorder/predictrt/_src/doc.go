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
// # One step for an operation and its event
//
// While it is on, the program has one P and is not preempted asynchronously.
// So only one goroutine runs at a time, and it can be switched only where a
// function grows its stack or blocks. None of the data here is locked for
// that reason: functions that must not be interrupted are nosplit, or pin
// the goroutine. A hook decides everything that may block first, then makes
// room in the buffer, and then logs the event by nosplit code that returns
// straight to the access: event and access are one step. So a trace is the order
// in which the operations happened, and the values in it are those of the program.
//
// Functions that compute addresses in the buffers are nocheckptr: users may
// compile all packages with -d=checkptr, which knows no such memory.
//
// # The way of an event
//
//	memory.go, atomic.go, sync.go, channel.go, field.go   the hooks
//	enter.go, order.go, turns.go                          who goes first
//	polls.go, loop.go                                     loops that only look
//	gate.go, late.go                                      the schedule's turn
//	held.go, budget.go                                    what is logged
//	buffer.go, pack.go, trace.go                          the file
//
// Names that survive from run to run are made in goroutine.go, for goroutines, and in
// sites.go, for places. What the garbage collector does is seen in freed.go and final.go.
// What goes on outside of the program is in stream.go, as far as both ends are its own.
//
// # A replay
//
// The plan file has the schedule (plan.go): steps, which go in this order, and the
// violation, a pair of accesses as a rule. A goroutine that has a part in it is an actor.
// Each of its events comes to the gate, which blocks the goroutine until it is the event's
// turn; what the schedule does not speak of goes on freely. When all goroutines of the
// violation are about to do their accesses, the violation is reached: both stand before
// accesses that collide, at one moment of one run. That is the proof which the verdict has
// (verdict.go), and no guess. Then the accesses are done, one after the other, so that their
// effect is seen.
//
// Where nothing can run, watch.go decides: a goroutine may sleep, and time passes for it at
// once; or the run has left the schedule, and the verdict says where and why. What a call of
// the standard library does inside may differ from run to run, and such steps are skipped.
//
// # What must not be
//
// The program must not notice the library. It has memory of its own (PredictAlloc), makes no
// garbage in hooks that a program may count, starts no goroutine, and leaves the program's
// random numbers, maps and names of goroutines as they are in each run. Nor may a hook
// depend on the speed of the machine: whatever decides the order counts operations, and the
// clock is the program's own, which stands still while it computes.
package predictrt
