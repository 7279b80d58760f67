package budget

import "time"

// leastTime is the part of the time after recording that does not depend on how long that took
// (unit: time). Trades the length of a run for bugs of packages with short tests. Chosen: what
// a user waits.
const leastTime = 10 * time.Second

// reportTime is the part of leastTime that is kept for writing the report (unit: time). Trades
// replays for a report in time. Chosen: what the report of a large module takes.
const reportTime = time.Second

// DefaultReplayTimeout bounds all replays of a run if the user asks for more exploration than
// the default and sets no timeout (unit: time). Trades the length of a run for confirmed bugs.
// Chosen: the patience of a CI job.
const DefaultReplayTimeout = 10 * time.Minute

// packageNeed is what a package is assumed to need besides its analysis and the time of its
// tests (unit: time). Trades the share of early packages for that of late ones. Chosen: some
// runs of a short test.
const packageNeed = 100 * time.Millisecond

// analyzedBytes is how much of a trace is analyzed in a second (unit: bytes). Trades the
// share of large traces for that of small ones. Measured: about 5 MiB on two cores.
const analyzedBytes = 5 << 20

// leastAllowance bounds from below what each package may cost beyond its first recording
// (unit: time). Trades the length of a run for bugs of small packages. Chosen: as leastTime.
const leastAllowance = 10 * time.Second

// firstEvents is how many events are recorded and analyzed in a second, the first time
// (unit: events). Trades further runs of large packages for time. Measured: about two
// million.
const firstEvents = 2_000_000

// RunCost is the price of a run of a short test, with the predictions from it (unit: time).
// Trades the number of runs for time. Measured: about 20 ms.
const RunCost = 20 * time.Millisecond

// FurtherEvents is how many events of a test add a second to the price of a run (unit:
// events). Trades runs of large tests for time. Measured: about 150,000.
const FurtherEvents = 150_000

// setupEvents is how many events before all tests add a second to the price of a run (unit:
// events). Trades runs of packages with a long set-up for time. Measured: about two million,
// as no candidates are in the set-up.
const setupEvents = 2_000_000

// ConcurrentRuns is how many runs are made concurrently (unit: runs). Trades memory for time.
// It is the same on each machine, because the result of a run may lead to others. Chosen: what
// sleeping tests leave of two processors.
const ConcurrentRuns = 8
