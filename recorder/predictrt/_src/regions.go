package predictrt

// A regionState follows the atomic regions of a goroutine (PECAN, section 3): outermost critical
// sections, and what KindRegionBegin and KindRegionEnd mark. Package anomaly finds the same
// regions in a trace (FindRegions). The verdict says in which region an access of the violation
// was: the accesses of an atomicity violation must be in the same one.
type regionState struct {
	heldLocks, openMarks int
	number               int // of the latest region, from 1
}

// region returns the number of the region that the goroutine is in; 0 means none.
func (r *regionState) region() int {
	if r.heldLocks == 0 && r.openMarks == 0 {
		return 0
	}
	return r.number
}

// observe notes an event of a kind. One that waits for others, or starts them, ends a region; what
// follows in the same critical section is another region.
func (r *regionState) observe(kind uint8) {
	outside := r.heldLocks == 0 && r.openMarks == 0
	switch {
	case kind == KindAcquire || kind == KindRAcquire:
		r.heldLocks++
	case kind == KindRegionBegin:
		r.openMarks++
	case kind == KindRelease || kind == KindRRelease:
		r.heldLocks = max(r.heldLocks-1, 0)
		return
	case kind == KindRegionEnd:
		r.openMarks = max(r.openMarks-1, 0)
		return
	case endsRegion(kind):
		outside = true
	default:
		return
	}
	if outside {
		r.number++
	}
}
