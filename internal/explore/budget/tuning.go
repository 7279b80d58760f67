package budget

// workPerSecond is about how much work takes a second (unit: work). It converts waits and
// nothing else. Measured: about 150,000 events of a further run, with its prediction.
const workPerSecond = 150_000

// RunWork is the price of a run of a short test, with the predictions from it (unit: work).
// Trades the number of runs for time. Measured: about 20 ms.
const RunWork Work = workPerSecond / 50

// testWork is what the further runs of a test may cost that has no share of its package's (unit:
// work). Trades the length of a run for bugs of packages with many tests. Chosen: fifty runs
// of a short test, a second.
const testWork Work = workPerSecond

// leastPackageWork bounds from below what the tests of a package have together beyond that
// (unit: work). Trades the length of a run for bugs of large tests. Chosen: what a user waits,
// ten seconds.
const leastPackageWork = 10 * Work(workPerSecond)

// eventsPerFirstWork is how many events are recorded and analyzed, the first time, by the work
// of one in a further run (unit: events). Trades further runs of large packages, and of
// packages with a long set-up, for time. Measured: about two million in a second, as most have
// no candidates.
const eventsPerFirstWork = 13

// leastReplays bounds from below how many witnesses of a test are replayed, however long it is
// (unit: witnesses). Trades the length of a run for bugs of large tests. Chosen: more than a
// user mends at once.
const leastReplays = 64

// waitDivisor is the part of its waiting time that a run is charged for, as it waits
// concurrently with others (unit: divisor). Trades runs of sleeping tests for time. Chosen:
// half of the concurrent runs.
const waitDivisor = 4

// ConcurrentRuns is how many runs are made concurrently (unit: runs). Trades memory for time.
// It is the same on each machine, because the result of a run may lead to others. Chosen: what
// sleeping tests leave of two processors.
const ConcurrentRuns = 8
