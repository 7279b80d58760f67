package causality

// effort bounds the work for one graph, and as much again for its barrier (unit: events, edges
// and goroutines looked at). Trades cycles that are missed for time: a graph that is not
// finished has no false cycles, and has the edges of its properties in any case. Chosen: a
// second for one graph.
const effort = 1 << 22

// searchCost is what a search among the events of one goroutine counts for the effort (unit:
// goroutines looked at). Trades nothing: it makes the effort follow the time. Chosen: the depth
// of a binary search in a long trace.
const searchCost = 16

// MaxLabels is the number of properties that one graph serves (unit: properties). Trades
// memory for passes: it is how many labels fit a word.
const MaxLabels = 64
