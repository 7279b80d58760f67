package ledger

// MaxReplayedEndings bounds the replayed runs of one failure, or of goroutines that block at
// the same places (unit: runs). Trades replays for a second chance of what a replay did not
// show. Chosen: a loop may leave a thousand goroutines blocked at the same places, which are
// one bug.
const MaxReplayedEndings = 6
