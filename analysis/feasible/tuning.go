package feasible

// pointerReach bounds how far behind an address what belongs to it may begin
// (unit: bytes). Trades schedules that are refused for addresses that are not
// recognized. Chosen: the size of a page, below which no pointer is.
const pointerReach = 4096

// leastMark bounds how close to each other the marks of a schedule are (unit:
// steps). Trades steps that are executed again for copies of states. Chosen:
// a mark of a small program takes no longer than as many steps.
const leastMark = 1 << 8

// mostMarks bounds how many marks a schedule has (unit: marks). Trades memory
// for steps that are executed again. Chosen: a schedule that has changed is
// executed again for a thirtieth of its length at most.
const mostMarks = 1 << 5

// longestKept bounds how much is kept of the last schedule (unit: steps).
// Trades memory for steps that are executed again. Chosen: 8 MB.
const longestKept = 1 << 20

// maxSaved bounds all states of the recorded run that are saved, together
// (unit: cells, goroutines and objects). Trades memory for events that are
// executed again. Chosen: some 16 MB.
const maxSaved = 1 << 21

// minSpacing bounds how close these are to each other (unit: events). Trades
// events that are executed again for copies. Chosen: as leastMark.
const minSpacing = leastMark

// copiedPerEvent is how much is copied in the time that an event takes (unit:
// cells, goroutines and objects). Trades nothing: it makes the work that
// [Judge.Spent] tells of comparable. Chosen: by the benchmarks' times.
const copiedPerEvent = 32
