package sharing

// maxCopiedNodes bounds the nodes that are copied for a call (unit: nodes). Trades accesses that
// need no events for time: a constructor of a whole parser has more, and hundreds of calls, which
// all share one set then. Chosen: more than constructors of data structures have.
const maxCopiedNodes = 100
