// Package predictrt is the part of gopredict that is compiled into the tested program. An overlay
// injects it into the standard library. The patched files of runtime, sync, sync/atomic, testing
// and time call it, and so do the user's files as the rewriter has changed them.
//
// The variable Mode says what it does: nothing, record every event in a trace, or replay a
// schedule (and possibly record that run, too).
//
// Packages of the standard library that work on memory of the program call package inside, below
// this one: see LogInside.
//
// # An operation and its event are one step
//
// While the library is on, the program has one P and is not preempted asynchronously. So only
// one goroutine runs at a time, and another one can run only where a function grows its stack or
// blocks. That is why no data here is locked: functions that must not be interrupted are nosplit,
// or pin the goroutine. A hook first decides all that may block, then makes room in the buffer,
// and then logs the event by nosplit code that returns straight to the access. So a trace is the
// order in which the operations happened, and it has the values that the program saw.
//
// Functions that compute addresses in the buffers are nocheckptr: users may compile all packages
// with -d=checkptr, which does not know this memory.
//
// # The way of an event
//
//	memory.go, atomic.go, sync.go, channel.go, field.go   the hooks
//	enter.go, order.go, turns.go                          which goroutine runs first
//	polls.go, loop.go                                     loops that poll
//	gate.go, late.go                                      the event's turn in the schedule
//	held.go, budget.go                                    what is logged
//	buffer.go, pack.go, trace.go                          the file
//
// Names that are the same in each run are made in goroutine.go, for goroutines, and in sites.go,
// for places in the sources. freed.go and final.go follow the garbage collector, stream.go the
// pipes and sockets whose two ends are the program's own.
//
// # A replay
//
// The plan file has the schedule (plan.go): steps, which happen in this order, and the violation,
// usually a pair of accesses. A goroutine with a part in the schedule has an actor. Each of its
// events passes the gate, which blocks the goroutine until it is the event's turn; what is not in
// the schedule happens freely. When all goroutines of the violation are about to do their
// accesses, the violation is reached: at one moment of one run, both are about to access the same
// memory. That is the proof that the verdict has (verdict.go). Then the accesses are done, one
// after the other, so that their effect is seen.
//
// If no goroutine can run, watch.go decides: a goroutine sleeps, and time passes for it at once;
// or the run has left the schedule, and the verdict says where and why. What a call of the
// standard library does inside may differ from run to run, and such steps are skipped.
//
// # What must not happen
//
// The program must not notice the library. It has memory of its own (PredictAlloc), makes no
// garbage in hooks that a program may count, starts no goroutine, and leaves the program's random
// numbers, maps and names of goroutines the same in each run. Nor may a hook depend on the speed
// of the machine: what decides the order counts operations, and the clock is the program's own,
// which stands still while the program computes.
package predictrt
