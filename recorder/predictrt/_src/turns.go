package predictrt

// turns is how often a goroutine has come round the loop that it is in.
//
// On one processor the goroutine that runs first could take all the work that
// several are there for, and the trace would show nothing of the others at it.
// So while a program is recorded a goroutine that comes back to the place where
// it took a lock, an element or a number lets the others go first: after each round
// at first, then after 3, 7, …, for switches cost time. What stands in no loop is
// not interrupted, nor is a goroutine that holds a lock.
type loopTurns struct {
	// places in this round, one bit each
	seenSites uint64
	rounds    int
	limit     int
	heldLocks int // that it holds
}

// over counts an operation and reports whether the goroutine's turn is over.
//
//go:nosplit
func (t *loopTurns) isOver(kind uint8, site uint32) bool {
	if Mode != modeRecord || hasRanks || !mayTakeWork(kind) {
		return false
	}
	bit := uint64(1) << (site % 64)
	if t.seenSites&bit == 0 {
		t.seenSites |= bit
		return false
	}
	t.seenSites = bit
	t.rounds++
	return t.rounds >= t.limit && t.heldLocks == 0
}

// takes reports whether an operation may be how a goroutine gets work.
//
//go:nosplit
func mayTakeWork(kind uint8) bool {
	switch kind {
	case KindAcquire, KindRAcquire, KindRecv, KindSelect, KindAtomicRMW:
		return true
	}
	return false
}

// next begins the next turn, which may be longer.
func (t *loopTurns) beginTurn() { t.rounds, t.limit = 0, min(2*t.limit+1, sliceLimit) }

// locked counts the locks that the goroutine holds. Those that another one
// releases count for good: then it is not interrupted.
func (t *loopTurns) countLock(kind uint8) {
	switch kind {
	case KindAcquire, KindRAcquire:
		t.heldLocks++
	case KindRelease, KindRRelease:
		t.heldLocks = max(t.heldLocks-1, 0)
	}
}
