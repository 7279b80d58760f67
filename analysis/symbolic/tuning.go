package symbolic

// The constants that bound and weigh what this package does.

// maxClock bounds the numbers in the clocks of one encoding (unit: nodes times goroutines).
const maxClock = 1 << 24

// perEvent and perChoice are how many steps of a budget it takes to put an event
// and a write that a read may find into a formula, perLook to look at a write, perPair
// to compare two operations of a loose lock there, and perWay to put one of a
// condition's ways into it.
const perEvent, perChoice, perLookup, perPair, perConditionWay = 100, 200, 2, 200, 10

const maxBounded, maxSwitches = 1 << 11, 8

// maxDeparting bounds the goroutines of which it is looked at what must come after they depart, and
// maxBehind how many events are behind that: each of them is looked at, for each target.
const maxDeparting, maxBehind = 8, 1 << 16

// perStep is how many edges and writes are looked at in one step of a budget.
const perStep = 8

// maxConditionWays is how many ways there may be to wake one waiter of a condition before
// another.
const maxConditionWays = 1 << 22

// maxPairs is how many operations of a loose lock are compared at most.
const maxPairs = 1 << 15

// maxCounterStates bounds the decision diagram of one counter.
const maxCounterStates = 1 << 14

// maxParted bounds the writers that are kept from coming between at once.
const maxParted = 64

// maxWritten bounds the writes, counted for each read, that reads may find in one
// encoding: each takes some hundreds of bytes.
const maxWritten = 200_000

// maxLooked bounds the writes that are looked at to choose from.
const maxLooked = 1 << 26

// maxTerms bounds the choices between two numbers in one encoding.
const maxTerms = 1 << 18

// firstFound is how many writes a read may find at first: what it found in the
// recorded run, and another one.
const firstFound = 2

// maxCases bounds the cases in one encoding.
const maxCases = 1 << 14

// maxValues bounds the values that are looked at of one read or store, and
// maxFolded the reads and stores of one condition.
const maxValues, maxFolded = 16, 64

// perEdge is how many steps of a budget it takes to follow an edge.
const perEdge = 20

// maxQuiet bounds how many operations come after a quiet read.
const maxQuiet = 64

// maxChoosing is how many operations are looked at for the selects of one trace.
const maxChoosing = 1 << 22

// maxRegistered is how many events the function of a Once may have.
const maxRegistered = 64

// maxOrdered is how many pairs of a read and a write of a trace are compared.
const maxOrdered = 1 << 22

// maxWaiters bounds the goroutines of which the waits for one WaitGroup are looked
// at.
const maxWaiters = 8

// nearPart is the part of the budget that Seek may take. All runs take more.
const seekShare = 4

// firstWindow is how many events before the target are looked at first.
const firstWindow = 64

// maxGroup is how many targets share an encoding at most, and maxShared how many
// events they may depend on: to find out which ones takes longer than what is
// shared saves, if it is many.
const maxGroup, maxShared = 32, 1 << 12

// MaxEvents is the number of events in the largest cone that a Decider encodes.
const MaxEvents = 1 << 18

// passed is how many events it takes a step to pass over, on the way to those that a target needs.
const eventsPerStep = 4

// maxDepartings is how many places a run to which is looked for.
const maxDepartings = 16

// fewLeavings is for how many of them room is kept: a cell may have millions, most have few.
const maxScratch = 1 << 10

// reach is how far behind an address what belongs to it may begin, in bytes.
// No pointer is below it.
const pointerReach = 4096

// maxPanickingSends bounds the sends on one channel that panicked.
const maxPanickingSends = 8
