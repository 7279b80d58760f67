package symbolic

// The constants that bound and weigh what this package does.

// maxClock bounds the numbers in the clocks of one encoding (unit: nodes times goroutines).
const maxClock = 1 << 24

// perEvent and perChoice are how many steps of a budget it takes to put an event
// and a write that a read may find into a formula, perLook to look at a write, perPair
// to compare two operations of a loose lock there, and perWay to put one of a
// condition's ways into it.
const perEvent, perChoice, perLook, perPair, perWay = 100, 200, 2, 200, 10

const maxBounded, maxSwitches = 1 << 11, 8
