package provenance

// maxCallTargets bounds the functions that a call may lead to (unit: functions). Trades formulas for
// events: a call of func() may lead to hundreds, each of which would have an event for a value
// that hardly any assertion speaks of. Chosen: more than the methods that one interface
// mostly stands for.
const maxCallTargets = 16

// maxHandedValues bounds the values that are handed over at once (unit: values). Trades formulas for
// the length of lines in the table of sites. Chosen: more parameters than functions have.
const maxHandedValues = 16

// maxCallDepth bounds the calls in calls that a term follows, and that track does (unit: calls).
// Trades formulas for time: of recursive functions there is no end. Chosen: assertions in
// helpers of helpers have formulas.
const maxCallDepth = 4

// maxTermInstructions bounds the instructions that a term is made of (unit: instructions). Trades formulas
// for space: a term is written into the table of sites, and once more into the solver's
// formula for each time that its event occurs. Chosen: more than conditions mostly have.
const maxTermInstructions = 24
