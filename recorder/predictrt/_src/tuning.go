package predictrt

// The constants that bound and weigh what the library does. What a goroutine does is counted in
// operations, looks and rounds, never by the machine's clock: a loaded machine records and
// replays the same run.

// How goroutines give way. Chosen: the least numbers with which the subjects' loops that wait
// for others end, and the programs of docs/measured/speed.md are not slower.
const (
	// spinLimit bounds how often a goroutine reads one place in a row before it gives way
	// (unit: reads). Trades switches for loops that wait.
	spinLimit = 128
	// restLimit bounds the same before it sleeps (unit: reads). Trades time for what comes
	// from outside of the program.
	restLimit = 40 * spinLimit
	// restTime is how long it sleeps then (unit: nanoseconds).
	restTime = 50_000
	// pollLimit is after how many of these reads letOthersRun looks at what it does (unit: reads).
	pollLimit = 16 * spinLimit
	// sliceLimit bounds the operations, each of which starts a new time slice, that a
	// goroutine does before it gives way (unit: operations). It is prime, so that a loop
	// gives way in each of its places in turn, also where it holds no lock.
	sliceLimit = 1999
)

// When loops that only look are taken for waiting, see polling.
const (
	// lookLimit bounds the looks that a goroutine has until it gives way (unit: looks).
	lookLimit = 128
	// outsideLimit bounds them until it sleeps for a moment, so that what comes from outside is
	// seen (unit: looks).
	outsideLimit = 16 * lookLimit
	// lookTick is by how much a look moves the program's clock (unit: nanoseconds). Chosen: about what
	// a look takes.
	lookTick = 100
	// equalRounds bounds the equal rounds in a row that are events (unit: rounds). Trades the
	// length of traces for programs that count their rounds.
	equalRounds = 32
	// roundEvents bounds the events that a round may have (unit: events), roundLooks its looks.
	// Trades memory, of each goroutine that polls, for longer rounds.
	roundEvents, roundLooks = 32, 1 << 10
	// goschedLimit bounds the calls of runtime.Gosched in a row, while nothing changes, until a
	// loop is taken to wait for what does not come (unit: calls).
	goschedLimit = 2000
	// changingFactor is how many times as often it may be called if others do change something.
	changingFactor = 5
	// pollTime is how long a loop that only looks sleeps while the gate holds others (unit:
	// nanoseconds). Chosen: the schedule may stand still for a hundred such sleeps and more,
	// so that reading much is not taken for polling.
	pollTime = 5_000_000
)

// How long a replay waits, by the program's clock.
const (
	// maxTimerWait bounds how far away a timer may be for the schedule to wait for it (unit: nanoseconds).
	maxTimerWait = 1_000_000_000
	// minPatience and maxPatience bound how long the schedule may stand still (unit: nanoseconds).
	// Between them it is as long as the schedule has taken, or a goroutine sleeps. Trades the
	// time of replays that have left their schedule for slow ones.
	minPatience, maxPatience = 60_000_000, 2_000_000_000
	// extraPatience is how much longer that is where time passes at once (unit: nanoseconds).
	extraPatience = 400_000_000
	// lookTime is how long until a program is looked at again that may go on by itself (unit:
	// nanoseconds).
	watchInterval = 10_000_000
	// asleepLooks is how many looks in a row must find that nothing can move (unit: looks).
	asleepLimit = 2
	// maxWaitsOver bounds the timers that fire before a goroutine which is to go last (unit:
	// timers). A ticker has no end.
	maxLastTimers = 64
)

// What is looked for at the end of a test.
const (
	// lastTurns and lastTime bound how long those that a test has started go on before its end
	// is judged (unit: turns; nanoseconds of processor time). Trades time for goroutines that
	// had no turn yet, and must not be taken for being stuck.
	lastTestTurns, lastTestTime = 1000, 10_000_000
	// forSubtests bounds the objects that are looked into at the ends of all subtests together
	// (unit: objects). Measured: about three seconds. What subtests leave after that is
	// looked for at their test's end: what nobody can reach, nobody can reach later on.
	subtestSearchLimit = 1 << 26
)

// The buffers of events.
const (
	// numSlots is how many chunks of events are in memory (unit: chunks). Trades memory for
	// programs that are faster than the disk for a while.
	numSlots = 4
	// chunkWords is the size of such a chunk (unit: words of eight bytes).
	chunkWords = 32 << 10
	// roomWords bounds what one hook may log without looking again (unit: words).
	roomWords = 64 + 4*roundEvents
	// freedWords is for what the garbage collector gives back meanwhile (unit: words).
	freedWords = 512
	// bufDefs is the size of a chunk of definitions (unit: bytes), maxName that of a name in it.
	definitionBytes, maxName = 32 << 10, 4096
)

// Tables of what was logged, which forget: to log it twice is as true.
const (
	// firstBits is the size of the table of variables that were written (unit: bits of a hash).
	// Trades memory for records of what variables held.
	firstWriteBits = 12
	// freeBits is the size of the table of memory that is free (unit: bits of a hash).
	freedBits = 12
	// maxFirsts bounds the variables of a test of which is logged what they held (unit:
	// variables). Trades such values for tests that fill much memory.
	maxInitialValues = 1 << 14
	// insideLast is how many accesses of the standard library a goroutine remembers, to log
	// none twice (unit: accesses). insideReads bounds its reads that are logged. Trades reads
	// for calls that hash, match or compress much.
	maxInsideAccesses, maxInsideReads = 16, 1 << 13
	// keptObjects bounds the objects that are followed from a value of the standard library's
	// own maps (unit: objects).
	keptObjects = 256
)

// What traces and verdicts tell of long things.
const (
	// maxDigested bounds the strings that have a digest, maxTold what of them is told (unit: bytes).
	maxDigested, maxQuoted = 256, 32
	// maxTestLog bounds what a top-level test and its subtests log into the trace (unit: bytes).
	// Trades that, which is in the run's own output, for events.
	maxTestLog = 64 << 10
	// maxFrames bounds the frames of the stack of a blocked goroutine (unit: frames).
	maxFrames = 16
	// maxShown bounds the blocked goroutines in a verdict (unit: goroutines), maxDelays the
	// delays.
	maxShown, maxDelays = 32, 100
	// maxPieces bounds the pieces of a stream that nobody has read (unit: writes).
	maxPieces = 4096
)

// maxDepth bounds the depth of PCT (unit: orders of two operations). Chosen: few bugs need more
// than three.
const maxDepth = 8
