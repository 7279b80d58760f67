package strategy

import (
	"time"

	"github.com/gopredict/gopredict/analysis/solver"
	"github.com/gopredict/gopredict/internal/explore/budget"
)

// The numbers of runs.

// furtherOrders are how many other orders a package is recorded in, by the price of one
// (unit: recordings; price in work). Trades time for candidates that one order does not show.
// Measured: on 22 bugs that one recording missed, two more orders showed 17, five 19.
var furtherOrders = []struct {
	most budget.Work
	n    int
}{{50_000, 6}, {200_000, 3}, {2_000_000, 1}}

// passingOrders bounds from below the orders that failing tests are recorded in (unit:
// recordings). Trades time for a run in which the test passes, without which nothing is
// known. Chosen: one for each of the fixed orders.
const passingOrders = 2

// maxChances bounds the recordings of tests with other random numbers (unit: recordings). Trades
// time for what chance decides. Chosen: the first one has the opposite of each number, so that of
// two equally likely outcomes both are seen; the others are for what takes several numbers.
const maxChances = 4

// maxEarlyEnds bounds the runs after an early end, for the tests that it kept from running (unit:
// runs). Trades time for these tests. Chosen: more crashing tests in a package are rare.
const maxEarlyEnds = 8

// maxSingleTests bounds the tests of a package that are recorded alone (unit: tests). Trades time
// for tests that depend on those before them. Chosen: by the suites of others.
const maxSingleTests = 32

// maxDepartures bounds the departures of one test (unit: runs, each with a prediction).
// Trades time for bugs behind a branch. Chosen: by the subjects.
const maxDepartures = 6

// testDepartures are departures that each test may have, and maxPackageDepartures what tests
// share beyond that (unit: runs). Trades time for bugs behind branches. Chosen: by the suites
// of others.
const testDepartures, maxPackageDepartures = 2, 64

// maxFlips bounds the flips of one test (unit: runs). Trades time for bugs that take another
// choice. Chosen: by the subjects.
const maxFlips = 40

// testFlips are flips that each test may have, and maxPackageFlips what the tests of a package
// share beyond that (unit: runs). Trades time for bugs that take another choice. Chosen: by
// the suites of others.
const testFlips, maxPackageFlips = 8, 128

// maxLockFlips bounds the flips of one test that delay operations on locks and the like
// (unit: runs). Trades other flips for these, which predictions cover mostly. Chosen: by the
// subjects.
const maxLockFlips = 8

// maxAtomicFlips bounds the flips of one test that delay atomic operations (unit: runs).
// They come last, and what they leave is for other tests. Trades time for bugs of spin
// loops. Chosen: as maxLockFlips.
const maxAtomicFlips = 8

// maxFruitless bounds the flips of a test after the last one that led to new flips or a bug,
// if several tests have flips (unit: runs). Trades time for late bugs. Chosen: by the
// subjects.
const maxFruitless = 16

// maxRuns is the number of runs of a test, of any sort, since its first flip, from which on no
// further flip is made (unit: runs). Trades flips for confirmations. Chosen: maxFlips and some
// replays.
const maxRuns = 112

// maxLibraryFlips bounds the tests of a package in which the same choice of the standard
// library is flipped (unit: tests). Trades bugs for time: the library behaves the same in
// each. Chosen: a second test, in case the first ends early.
const maxLibraryFlips = 2

// maxStates bounds the search for states that no run has reached (unit: states). Trades time
// and memory for complete exploration. Chosen: seconds.
const maxStates = 50_000

// maxSmallRuns bounds the runs of a test that is explored to the end without being asked for
// (unit: runs). Trades time for bugs that take several unusual orders. Chosen: of public bug
// reports that were rebuilt two took thirty.
const maxSmallRuns = 60

// maxSmallStates is maxStates for such a test (unit: states). Trades time for larger tests.
// Chosen: a tenth of a second.
const maxSmallStates = 5_000

// maxSmallCost bounds all searches of such a test together (unit: small states). Trades time for
// tests that take many runs. Chosen: as much as one search may cost.
const maxSmallCost = 4 * maxSmallStates

// The sizes of tests and traces.

// maxSmallEvents and maxSmallGoroutines bound the tests that are explored to the end without
// being asked for (unit: events; goroutines). Trade time for larger tests: these have too many
// orders mostly. Chosen: by the subjects.
const maxSmallEvents, maxSmallGoroutines = 1_000, 12

// knownOrderDiscount is how much cheaper a recording in another order is than a run that does
// something new, as most of its candidates are known (unit: factor). Trades other runs for
// other orders. Chosen: by the suites of others.
const knownOrderDiscount = 2

// maxDeparturePatternEvents bounds the tests whose departures are searched for patterns of accesses
// (unit: events). Trades time for patterns, most of which have no effect. Chosen: by the
// suites of others.
const maxDeparturePatternEvents = 20_000

// findingsPerRead is how many findings cost as much in the trace of a departure as reading it
// (unit: findings). Trades departures for time. Measured: about four.
const findingsPerRead = 4

// MaxExploredEvents bounds the runs that are searched for states that no run has reached (unit:
// events). Trades memory for complete exploration. Chosen: as warnedEvents.
const MaxExploredEvents = 20_000

// FurtherTraceSolverSteps bounds the solver for each candidate of a further trace (unit: steps of the
// solver). Trades hard candidates for time; all of one trace may take six times as many.
// Chosen: half a second.
const FurtherTraceSolverSteps = solver.Second / 2

// DepartureSolverSteps is FurtherSolving for the trace of a departure (unit: steps of the
// solver). Trades hard candidates for time. Chosen: a fourth, as there are many departures.
const DepartureSolverSteps = FurtherTraceSolverSteps / 4

// The times.

// minSlowTime is the time, by the clock of the recorded program, from which on a test is slow
// and explored after the others (unit: time). Trades the order of tests for results in time.
// Chosen: a second.
const minSlowTime = time.Second
