package symbolic

// This file has the numbers that bound what is encoded, and those that weigh work against a budget
// (see solver.Budget). A bound that is exceeded leaves a target undecided; it never decides one.

// perEvent weighs an event that is put into a formula (unit: steps). Trades nothing: it makes
// encoding count like searching. Chosen: roughly its time in steps of the search.
const perEvent = 100

// perChoice weighs a write that a read may find in a formula (unit: steps). Trades nothing, as
// perEvent. Chosen: as perEvent.
const perChoice = 200

// perLookup weighs a write that is looked at to choose from (unit: steps). Trades nothing, as
// perEvent. Chosen: as perEvent.
const perLookup = 2

// perPair weighs two operations of a lock that others release, which a formula compares (unit: steps). Trades
// nothing, as perEvent. Chosen: as perEvent.
const perPair = 200

// perConditionWay weighs a way to wake one waiter before another (unit: steps). Trades nothing, as
// perEvent. Chosen: as perEvent.
const perConditionWay = 10

// perEdge weighs an edge that constant folding follows (unit: steps). Trades nothing, as perEvent.
// Chosen: between perLookup and perEvent.
const perEdge = 20

// perStep is how many edges and writes a cone follows in one step (unit: edges). Trades nothing, as
// perEvent. Chosen: as perEvent.
const perStep = 8

// eventsPerStep is how many events departures pass over in one step (unit: events). Trades nothing,
// as perEvent. Chosen: as perEvent.
const eventsPerStep = 4

// MaxEvents bounds the events of a cone that a Decider encodes (unit: events). Trades targets of
// large cones for memory: an encoding takes some kilobytes an event. Chosen: a gigabyte.
const MaxEvents = 1 << 18

// maxClock bounds the clocks of one encoding, if each node has its own (unit: nodes times
// goroutines). Trades targets of many goroutines for memory, 4 bytes each. Chosen: 64 MiB.
const maxClock = 1 << 24

// maxConditionWays bounds the ways to wake one waiter of a condition before another (unit: pairs of
// pairs). Trades busy conditions for memory. Chosen: about a second of the budget.
const maxConditionWays = 1 << 22

// maxPairs bounds the operations of a lock that others release, which a formula compares (unit: pairs). Trades busy
// semaphores for time. Chosen: about 180 sections and as many releases.
const maxPairs = 1 << 15

// maxCounterStates bounds the decision diagram of a WaitGroup's counter (unit: nodes). Trades
// WaitGroups with hundreds of concurrent Adds for memory. Chosen: 128 Adds of 1 and as many Dones.
const maxCounterStates = 1 << 14

// maxPanickingSends bounds the sends on one channel that panicked, as all their subsets are encoded
// (unit: sends). Trades such channels for time. Chosen: 256 subsets.
const maxPanickingSends = 8

// maxParted bounds the writers that are kept out at once from between a read and its source (unit:
// writes). Trades models that are refuted one by one for constraints that no model needs. Chosen.
const maxParted = 64

// maxWritten bounds the writes that tracked reads may find, counted for each read (unit: writes).
// Trades targets with long histories for memory, some hundred bytes each. Chosen: 100 MB.
const maxWritten = 200_000

// maxTerms bounds the numbers of one encoding that are a choice between two (unit: terms). Trades
// long chains of conditional values for memory. Chosen: as maxWritten.
const maxTerms = 1 << 18

// maxCases bounds the case splits of products in one encoding (unit: cases). Trades products of
// values that reads find in thousands of ways for time. Chosen.
const maxCases = 1 << 14

// maxValues bounds the values that constant folding follows of one read or store (unit: values).
// Trades conditions that the solver has to decide for time. Chosen: most have two or three.
const maxValues = 16

// maxFolded bounds the reads and stores that one condition is folded over (unit: events). Trades the
// same as maxValues. Chosen.
const maxFolded = 64

// maxQuiet bounds the operations after a read that only moves data (unit: events). Trades departures
// that are none for time. Measured: 2 of 270 kept traces have such reads.
const maxInconsequential = 64

// maxChoosing bounds the operations that are looked at for the selects of one trace (unit:
// operations). Trades selects that cannot choose otherwise for time. Chosen: some milliseconds.
const maxChoosing = 1 << 22

// maxOrdered bounds the pairs of a read and a write that are compared by clocks, in one trace (unit:
// pairs). Trades reads that the solver has to decide for time. Chosen: some milliseconds.
const maxOrdered = 1 << 22

// maxWaiters bounds the goroutines that wait for one WaitGroup and whose waits get edges (unit:
// goroutines). Trades edges for time: all Adds are summed up for each. Chosen: most have one.
const maxWaiters = 8

// seekShare is the part of a budget that DecideNearby takes (unit: 1 in so many). Trades
// targets that only many steps find nearby for proofs. Chosen.
const seekShare = 4

// firstWindow is how many events before a target are reordered first (unit: events). Trades a second
// question where that is too few for smaller formulas. Measured: without windows 9 of 270 kept
// traces have other schedules or stay undecided.
const firstWindow = 64

// maxGroup bounds the targets that share an encoding (unit: targets). Trades encodings that are made
// anew for events that only some targets need. Measured: without groups 4 of 270 kept traces differ.
const maxGroup = 32

// maxShared bounds the events that targets with one encoding depend on (unit: events). Trades shared
// encodings for time: finding out whether cones are similar takes longer than sharing saves.
// Chosen.
const maxShared = 1 << 12

// maxDepartings bounds the sites at which departures are looked for (unit: sites). Trades proofs
// that hold for the program for time. Chosen: one that is left open refutes a proof like one found.
const maxDepartings = 16

// maxOnceEvents bounds the events of a Once's function that is searched for effects (unit: events).
// Trades departures that are none for time. Chosen: such functions of the standard library have few.
const maxOnceEvents = 64

// maxBounded bounds the events of encodings in which a run with the fewest switches is looked for
// (unit: nodes). Trades readable schedules of long runs for time. Chosen.
const maxBounded = 1 << 11

// maxSwitches bounds the context switches of such runs (unit: switches). Trades the same as
// maxBounded. Chosen: a schedule with more is not readable anyway.
const maxSwitches = 8

// pointerReach is how far behind an address the memory begins that belongs to it (unit: bytes).
// Trades accesses that other pointers may redirect for those of large structs. Chosen: a page, below
// which no pointer lies.
const pointerReach = 4096
