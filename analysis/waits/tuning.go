package waits

// MaxSets bounds the sets of operations that a cycle keeps (unit: sets). Trades schedules to
// try for time: the first set may be infeasible where another is not. Chosen: more than the
// two or three that cycles in real programs have.
const MaxSets = 16

// searchEffort bounds the search for cycles of one length (unit: dependencies looked at, and as
// much again for sets of acquires). Trades completeness for time. It counts work, so that
// equal traces give equal cycles. Chosen: about a second.
const searchEffort = 1 << 22

// setEffort bounds the search for the sets of one cycle (unit: acquires tried). Trades
// completeness for time. Chosen: a 256th of searchEffort, so that no cycle takes all.
const setEffort = searchEffort >> 8

// maxCycles bounds the cycles that are looked at any further (unit: cycles). Trades
// completeness for the time that the later tiers take. Chosen: more than any test has shown.
const maxCycles = 512

// maxAcquiresTried bounds the acquires of one goroutine that are combined with the same others
// (unit: acquires). Trades completeness for time. Chosen: the first two, the last and the nearest.
const maxAcquiresTried = 4

// maxEnablers bounds the Dones of one round that are looked at (unit: events). Trades
// completeness for time. Chosen: more goroutines than tests mostly wait for at once.
const maxEnablers = 64

// maxSimilar bounds the messages that have the same site, locks and site of the enabler (unit:
// messages). Trades completeness for time. Chosen: the first few stand for all.
const maxSimilar = 8

// maxMessageCycle bounds the goroutines of a cycle with messages (unit: goroutines). Trades longer
// cycles for time, which grows with a power of it. Chosen: bugs of more are not in the papers.
const maxMessageCycle = 4

// maxBefore bounds the events before an enabler that are looked at (unit: events). Trades
// completeness for time.
const maxBefore = 1 << 12

// maxWaits bounds the blocking operations among them, and the operations of a cycle that other
// goroutines have joined (unit: operations). Trades completeness for time.
const maxWaits = 32

// maxCached bounds the cached successors of operations (unit: operations, of four bytes). Trades
// memory for time: many cycles reach the same operations.
const maxCached = 1 << 20
