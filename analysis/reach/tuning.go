package reach

// maxStores bounds how many values that are stored to one piece of memory are
// told apart (unit: values). Trades states that need not be looked at for
// memory. Chosen: flags and small counters have fewer.
const maxStores = 8

// neighbourhood bounds how far apart fields of one object may be, and
// variables that the allocator puts into one block (unit: bytes). Trades
// objects that are recognized for wrong guesses. Chosen: the size of a cache
// line.
const neighbourhood = 64

// maxLooking bounds how many steps under one lock are looked at (unit:
// steps). Trades goroutines that have looked at more for time. Chosen:
// critical sections that store nothing are shorter.
const maxLooking = 100
