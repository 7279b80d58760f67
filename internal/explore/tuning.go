package explore

// maxPackages bounds the packages that are explored concurrently (unit: packages). Trades
// memory for time: their replays share the processors. Chosen: more save no time on four
// processors.
const maxPackages = 4

// smallTrace bounds the traces that stay in memory while another package is predicted from
// (unit: events). Trades memory for time. Chosen: some hundred megabytes.
const smallTrace = 1 << 19

// tracesInMemory bounds the traces that are analyzed concurrently, if there is more than one
// (unit: bytes of their files). Trades memory for time. Chosen: as much memory as one very
// large trace takes.
const tracesInMemory = 24 << 20

// probedCandidates is how many candidates of a test that was recorded by itself are replayed
// before the others (unit: candidates). Trades candidates for replays: if none of them is
// confirmed the others are not replayed. Chosen: by the suites of others.
const probedCandidates = 3

// maxPatterns bounds the confirmed patterns of accesses of a test whose further runs are
// searched for more (unit: bugs). Trades patterns for replays: each such run may show
// hundreds. Chosen: more than a user reads.
const maxPatterns = 16

// hungSeconds is how long the tests of a package are taken to run that did not end in time,
// if that was longer (unit: seconds). Trades replays of slow tests for time: a test that
// hangs says nothing of how long it takes otherwise. Chosen: a second.
const hungSeconds = 1

// searchRuns bounds the search for all behaviours of the test of a committed witness (unit:
// runs). Trades time for a proof. Chosen: some seconds of a short test.
const searchRuns = 200

// maxListedPackages bounds the packages in one line of a message (unit: names). Trades detail for
// length. Chosen: a line of a terminal.
const maxListedPackages = 3
