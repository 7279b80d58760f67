package flips

// MaxPosition bounds how far into a trace flips are looked for (unit: events). Trades late choices
// for time: all before what is delayed is replayed. Chosen: tests that explore at all are
// shorter.
const MaxPosition = 1 << 19

// maxPairs bounds the search in one test (unit: pairs of operations). Trades completeness for
// time. Chosen: well under a second.
const maxPairs = 1 << 20

// maxLater bounds the later operations on an object that are looked at for one (unit:
// operations). Trades completeness for time: most often the next one decides.
const maxLater = 64

// maxCases bounds the cases of a select that are asked for (unit: cases). Trades completeness
// for runs, of which each case takes one. Chosen: selects with more are dispatch loops.
const maxCases = 8
