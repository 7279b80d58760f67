package replayer

import "time"

// DefaultTimeout bounds one replay (unit: time). Trades programs that run for
// long for replays that never end. Chosen: what cannot go on is found out by
// the run-time library long before; this is for programs that run for ever.
const DefaultTimeout = 30 * time.Second

// defaultGrace bounds how long past its own -test.timeout a test binary may
// take before it is killed (unit: time). Trades time for the time-out's
// message, with all stacks. Chosen: to print thousands of stacks takes less.
const defaultGrace = 3 * time.Second

// patience bounds how long goroutines have to be delayed for a failure that
// depends on it to be no bug (unit: time). Trades bugs that only a slow
// machine shows for false alarms. Chosen: a test that waits as long for
// another goroutine means to see what hangs. Of the usual second some has
// passed by then.
const patience = 950 * time.Millisecond

// maxWaitsTried bounds the waits of which a replay each shows whether a
// failure depends on them (unit: waits). Trades replays for the name of the
// wait. Chosen: few tests wait more often while others are held.
const maxWaitsTried = 4

// maxPerProcessor bounds how many replays may run for each processor, however
// little they use of it (unit: replays). Trades time for memory. Chosen: tests
// that sleep are replayed four times as fast.
const maxPerProcessor = 4

// lastRuns is over about how many replays it is measured how much they use of
// a processor (unit: replays). Trades a quick answer to a change for a steady
// one. Chosen: a bug takes a few replays.
const lastRuns = 8

// enoughFailedReruns bounds the reruns of tests without others of their package
// (unit: reruns). Trades replays that a clash has made fail for time. Chosen:
// after two that have failed the others did not disturb them.
const enoughFailedReruns = 2

// keepOutput bounds how much of a program's output is kept, at its beginning
// and at its end each (unit: bytes). Trades memory for details of failures.
// Chosen: a panic's text is at the end, and the stacks of many goroutines can
// follow it.
const keepOutput = 1 << 19

// maxVerdict bounds the verdict files that are read (unit: bytes). Trades
// memory for protocols of many goroutines. Chosen: some 40,000 lines.
const maxVerdict = 1 << 22

// maxDetail bounds how many lines of a failure are shown (unit: lines). Trades
// details for reports that are read. Chosen: as a screen has.
const maxDetail = 12

// maxFrames bounds how many places of a crash's stack are shown (unit:
// frames). Trades the same. Chosen: half of maxDetail.
const maxFrames = 6

// maxWaiting bounds how many blocked goroutines a reason names (unit:
// goroutines). Trades the same. Chosen: a reason is one line.
const maxWaiting = 3
