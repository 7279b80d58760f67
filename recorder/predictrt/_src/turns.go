package predictrt

// A loopTurns counts the rounds of the loop that a goroutine is in.
//
// On one processor, the goroutine that runs first could take all the work that several are there
// for, and the trace would show nothing of the others. So in a recording, a goroutine that comes
// back to the place where it took a lock, an element or a number lets the others run: after each
// round at first, then after 3, 7, …, as switches cost time. A goroutine that holds a lock does
// not.
type loopTurns struct {
	seenSites uint64 // one bit for each site in this round
	rounds    int
	limit     int // rounds until others run
	heldLocks int // locks that it holds
}

// isOver counts an operation, and reports whether others are to run now.
//
//go:nosplit
func (t *loopTurns) isOver(kind uint8, site uint32) bool {
	if Mode != modeRecord || hasRanks || nonPreemptive || !mayTakeWork(kind) {
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

// mayTakeWork reports whether a goroutine may get work by an operation.
//
//go:nosplit
func mayTakeWork(kind uint8) bool {
	switch kind {
	case KindAcquire, KindRAcquire, KindRecv, KindSelect, KindAtomicRMW:
		return true
	}
	return false
}

// beginTurn begins the next turn, which may be longer.
func (t *loopTurns) beginTurn() { t.rounds, t.limit = 0, min(2*t.limit+1, maxTurnOperations) }

// countLock counts the locks that the goroutine holds. Those that another goroutine releases count
// for ever: others do not run then.
func (t *loopTurns) countLock(kind uint8) {
	switch kind {
	case KindAcquire, KindRAcquire:
		t.heldLocks++
	case KindRelease, KindRRelease:
		t.heldLocks = max(t.heldLocks-1, 0)
	}
}
