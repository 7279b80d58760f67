package order

// fanBits is the binary logarithm of the entries of one node of a clock (unit: bits). Trades
// the depth of the trees for the cost of updates, which copy the nodes of one path. Measured:
// four entries take the least time on traces of thousands of goroutines.
const fanBits = 2

// fan is the number of entries of one node of a clock.
const fan = 1 << fanBits

// chunkBits is the binary logarithm of the nodes that are allocated at once (unit: bits).
// Trades memory that is not used for allocations. Chosen: 16 KiB.
const chunkBits = 10

// chunkSize is the number of nodes that are allocated at once.
const chunkSize = 1 << chunkBits

// maxKnownJoins is the binary logarithm of how many joins are kept (unit: bits). Trades memory
// for joins that are made twice. Measured: a million goroutines get along with as many as
// sixty thousand, whose joins are repeated soon or not at all.
const maxKnownJoins = 18

// maxGathered bounds the events whose clocks wait to be joined (unit: events). Trades the
// memory of the events for that of clocks that nobody asks for. Chosen: a fraction of a chunk.
const maxGathered = 1 << 6

// pageBits is how many bits of an address a page has (unit: bits). Trades numbers of pages for
// locations that get a number although one goroutine uses them alone. Chosen: the page of the
// Go allocator.
const pageBits = 13

// maxPages bounds the pages of one access (unit: pages). An access with more lets all memory
// count as shared. Trades time for such accesses, which traces of other tools may have, for
// numbers of all locations.
const maxPages = 1 << 10
