package ledger

// MaxReplayedEndings bounds the runs of one failure or blockage that are replayed (unit: runs).
// Trades replays for a second chance of what did not come again. Chosen: a loop may leave a
// thousand goroutines behind at the same places, which are one bug.
const MaxReplayedEndings = 6
