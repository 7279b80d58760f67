package recording

import "time"

// ShortTrace is the size of the largest trace file that counts as short (unit: bytes, about
// two events each). Trades memory and analysis time for what only a whole trace shows. Chosen:
// a quarter of a million events.
const ShortTrace = 1 << 19

// MaxRepeated bounds the events of the tests that are recorded a second time (unit: events).
// Trades time for orders of large tests. Chosen: about as long as a first analysis may take.
const MaxRepeated = 2_000_000

// longWait is the least waiting time that counts in the price of a run (unit: time). Trades
// accuracy for results that do not depend on the load. Chosen: longer than a busy machine adds
// to a short test.
const longWait = 250 * time.Millisecond

// MaxListed bounds the tests in one line of a message (unit: names). Trades detail for
// length. Chosen: a line of a terminal.
const MaxListed = 5

// maxCutListed is MaxListed for tests that are listed with the number of their events (unit:
// names). Trades detail for length. Chosen: a line of a terminal.
const maxCutListed = 3

// ConcurrentEvents bounds the events of runs that are made concurrently, if each has as many
// as the longest one so far (unit: events). Trades memory for time. Chosen: a fourth of
// MaxRepeated.
const ConcurrentEvents = MaxRepeated / 4
