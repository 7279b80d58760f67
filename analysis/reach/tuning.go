package reach

// maxStores bounds the different values stored to one piece of memory that
// the search distinguishes (unit: values). Trades states that need not be
// looked at for memory. Chosen: flags and small counters have fewer.
const maxStores = 8

// neighbourhood bounds the distance of two addresses that are taken for
// fields of one object (unit: bytes). Trades objects that are recognized for
// wrong guesses. Chosen: the size of a cache line.
const neighbourhood = 64

// maxReadingSteps bounds the steps of a critical section that a goroutine executes
// because it stores nothing (unit: steps). Trades goroutines that have read
// more for time. Chosen: critical sections that store nothing are shorter.
const maxReadingSteps = 100

// smallState is how much memory and how many steps a state has whose cost is one (unit: extents
// and steps). Trades time for states of large memory, which is copied for each. Chosen: as the
// subjects have.
const smallState = 256

// maxCostPerState bounds a search whose states are large, or are reached in many ways (unit:
// cost, for each state of the limit). Trades time for complete exploration. Chosen: by the
// subjects.
const maxCostPerState = 4
