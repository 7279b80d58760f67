package confirm

// maxPatternEvents bounds the further traces that are searched for patterns of accesses (unit:
// events). Trades patterns for time: there are the most of them, they have the least effect,
// and the first recording was searched for them, however long it was. Chosen: by the suites
// of others.
const maxPatternEvents = 50_000

// maxSameSites bounds the bugs of one run that block goroutines at the same places and are
// replayed (unit: bugs). Trades replays for a second chance. Chosen: they are one bug, and a
// loop may leave a thousand goroutines blocked.
const maxSameSites = 2

// maxReplayedEvents bounds the runs that are replayed as a whole (unit: events). Trades memory, and
// minutes, for blockages that need the whole run. Chosen: a schedule of more takes gigabytes.
const maxReplayedEvents = 1 << 18

// maxConeEvents bounds the windows in which what leads to a blockage is looked for first (unit:
// events). In a longer one it is looked for only if the run does not reach the blockage by
// itself. Trades memory for short witnesses. Chosen: as much memory as the prediction takes.
const maxConeEvents = 1 << 22

// maxMergedEvents bounds the recordings that are merged with others (unit: events). Trades
// memory for assertions that fail across recordings. Chosen: seconds of the solver.
const maxMergedEvents = 1 << 17

// maxMergedAssertions bounds the assertions of a package that are looked for in merged recordings
// (unit: assertions). Trades time for assertions. Chosen: by the subjects.
const maxMergedAssertions = 64
