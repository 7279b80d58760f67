package report

// SourceContext is how many lines of the program a report has before and after each place
// (unit: lines). Trades the size of a report for context. Chosen: as git diff has it.
const SourceContext = 3

// MaxAlsoBlocked bounds the other goroutines that a finding says are blocked by its bug, too (unit:
// goroutines). Trades completeness for short reports. Chosen: more of them have no new cause.
const MaxAlsoBlocked = 16
