package predictrt

// The constants that bound and weigh what the library does. What a goroutine does is counted in
// operations, looks and rounds, and not measured by the machine's clock: a loaded machine records
// and replays the same run.

// When goroutines let others run. Chosen: the least numbers with which the subjects' loops that
// wait for others end, and the programs of docs/measured/speed.md are not slower.
const (
	// readsPerYield bounds how often a goroutine reads one variable in a row before it lets others
	// run (unit: reads). Trades switches for loops that wait.
	readsPerYield = 128
	// readsBeforeSleep bounds the same before it sleeps (unit: reads). Trades time for changes
	// that come from outside of the program.
	readsBeforeSleep = 40 * readsPerYield
	// restSleep is how long it sleeps then (unit: nanoseconds).
	restSleep = 50_000
	// readsPerPollCheck is after how many of these reads letOthersRun checks for changes (unit:
	// reads).
	readsPerPollCheck = 16 * readsPerYield
	// maxTurnOperations bounds the operations that a goroutine does before it lets others run, as
	// each starts a new time slice (unit: operations). It is prime, so that a loop lets others run
	// at each of its operations in turn, also where it holds no lock.
	maxTurnOperations = 1999
)

// When loops are taken for polling, see polling.
const (
	// looksPerYield bounds the looks of a goroutine until it lets others run (unit: looks).
	looksPerYield = 128
	// looksPerSleep bounds them until it sleeps for a moment, so that it sees what comes from
	// outside (unit: looks).
	looksPerSleep = 16 * looksPerYield
	// lookDuration is by how much a look advances the program's clock (unit: nanoseconds). Chosen:
	// about what a look takes.
	lookDuration = 100
	// maxEqualRounds bounds the equal rounds in a row that are events (unit: rounds). Trades the
	// length of traces for programs that count their rounds.
	maxEqualRounds = 32
	// maxRoundEvents bounds the events of a round (unit: events), roundLookLimit its looks. Trades
	// memory of each goroutine that polls for longer rounds.
	maxRoundEvents, roundLookLimit = 32, 1 << 10
	// goschedLimit bounds the calls of runtime.Gosched in a row, while nothing changes, until a
	// replay is taken to wait for ever (unit: calls).
	goschedLimit = 2000
	// changingFactor is how many times as many calls are allowed if something changes (unit:
	// times).
	changingFactor = 5
	// pollSleep is how long a loop that polls sleeps while goroutines wait at the gate (unit:
	// nanoseconds). Chosen: the schedule may stand still for a hundred such sleeps and more, so
	// that a loop which reads much is not taken for polling.
	pollSleep = 5_000_000
)

// How long a replay waits, by the program's clock.
const (
	// maxTimerWait bounds how long the schedule waits for a timer (unit: nanoseconds).
	maxTimerWait = 1_000_000_000
	// minPatience and maxPatience bound for how long the schedule may stand still (unit:
	// nanoseconds). In between, it is as long as the schedule has taken, or a goroutine sleeps.
	// Trades the time of replays that have left their schedule for slow ones.
	minPatience, maxPatience = 60_000_000, 2_000_000_000
	// extraPatience is added where time passes at once (unit: nanoseconds).
	extraPatience = 400_000_000
	// watchInterval is after how long watch checks a program again that may go on by itself (unit:
	// nanoseconds).
	watchInterval = 10_000_000
	// asleepLimit is how many checks in a row must find that nothing can happen (unit: checks).
	asleepLimit = 2
	// maxTimerRounds bounds how often only a timer lets a program go on, while all tests wait, whose
	// events are logged (unit: times). Trades traces that have no end for tests that wait for a
	// worker which polls: of these the rest is not recorded.
	maxTimerRounds = 4096
	// minHang bounds how long all tests must have waited when their time is over, to be taken for
	// blocked for ever (unit: nanoseconds). Trades tests that have little time for those that
	// need a little more.
	minHang = 1_000_000_000
	// maxLastTimers bounds the timers that fire before a goroutine that is to go last (unit:
	// timers). A ticker fires for ever.
	maxLastTimers = 64
)

// The search for leaks at the end of a test.
const (
	// lastTestTurns and lastTestTime bound for how long the goroutines that a test has started go
	// on before the search (unit: turns; nanoseconds of processor time). Trades time for
	// goroutines that had no turn yet, and must not be taken for blocked ones.
	lastTestTurns, lastTestTime = 1000, 10_000_000
	// minTurns bounds how often a goroutine must come to the same select, within maxTimerWait, to be
	// taken for one that turns round for ever (unit: times). Trades slow tickers for loops that
	// make many attempts.
	minTurns = 64
	// maxLastTestTimers bounds the timers for which time passes before the search, in runs in
	// which it passes at once (unit: timers). Trades time for goroutines that block later; a
	// ticker fires for ever. Chosen: more than a time-out and a few retries.
	maxLastTestTimers = 16
	// subtestSearchLimit bounds the objects that the searches at the ends of all subtests visit
	// (unit: objects). Measured: about three seconds. Later subtests are covered by the search at
	// the end of their test: what is not reachable stays so.
	subtestSearchLimit = 1 << 26
)

// The buffers of events.
const (
	// numSlots is the number of chunks of events in memory (unit: chunks). Trades memory for
	// programs that are faster than the disk for a while.
	numSlots = 4
	// chunkWords is the size of such a chunk (unit: words of eight bytes).
	chunkWords = 32 << 10
	// hookWords bounds what one hook logs without checking for room again (unit: words).
	hookWords = 64 + 4*maxRoundEvents
	// maxAllocations bounds the objects that a run logs as made (unit: objects). Trades the exploring
	// of tests that make many objects for the size of traces. Chosen: two megabytes.
	maxAllocations = 1 << 16
	// freedWords is the room for records of freed memory in between (unit: words).
	freedWords = 512
	// definitionBytes is the size of a chunk of definitions (unit: bytes), maxName that of a name
	// in it.
	definitionBytes, maxName = 32 << 10, 4096
)

// Tables of what was logged. They forget, as a record that is logged twice is still true.
const (
	// firstWriteBits is the size of the table of variables that were written (unit: bits of a
	// hash). Trades memory for records of initial values.
	firstWriteBits = 12
	// timerBits is the size of the table of timers that call functions (unit: bits of a hash).
	// Trades memory for the time that collections of garbage take beside many timers.
	timerBits = 10
	// freedBits is the size of the table of freed memory (unit: bits of a hash).
	freedBits = 12
	// maxInitialValues bounds the records of initial values in a test (unit: records). Trades
	// these for tests that fill much memory.
	maxInitialValues = 1 << 14
	// maxInsideAccesses is how many accesses of the standard library a goroutine remembers, to log
	// none twice (unit: accesses).
	maxInsideAccesses = 16
	// maxInsideReads and maxInsideWrites bound its reads and writes that are logged between two
	// events of the program itself (unit: accesses). Trades accesses for calls that hash, match,
	// encrypt or compress much.
	maxInsideReads, maxInsideWrites = 1 << 13, 1 << 16
	// keptObjects bounds the objects that are followed from a value in the standard library's own
	// maps (unit: objects).
	keptObjects = 256
)

// Bounds on what traces and verdicts say.
const (
	// maxDigested bounds the strings that have a digest, maxQuoted what of them is quoted (unit:
	// bytes).
	maxDigested, maxQuoted = 256, 32
	// maxTestOutput bounds what a top-level test and its subtests print into the trace (unit:
	// bytes). Trades that, which is in the run's own output, for events.
	maxTestOutput = 64 << 10
	// maxFrames bounds the frames of a blocked goroutine's stack (unit: frames).
	maxFrames = 16
	// maxBlockedShown bounds the blocked goroutines in a verdict (unit: goroutines), maxDelays the
	// delays.
	maxBlockedShown, maxDelays = 32, 100
	// maxPieces bounds the pieces of a stream that were not read (unit: writes).
	maxPieces = 4096
)

// maxPCTDepth bounds the depth of PCT (unit: ordered pairs of operations). Chosen: few bugs need
// more than three.
const maxPCTDepth = 8
