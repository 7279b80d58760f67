package predictrt

// regions follows the atomic regions of a goroutine (PECAN, section 3): outermost critical
// sections and what RegionBegin and RegionEnd mark, as anomaly.FindRegions finds them in a
// trace. The verdict tells in which region an access of the violation was, so that the replayer
// knows whether the accesses are of the same one, as an atomicity violation needs.
type regionState struct {
	heldLocks, openMarks int // held, and open
	number               int // of the latest region
}

// region returns the number of the region that the goroutine is in, or 0.
func (r *regionState) region() int {
	if r.heldLocks == 0 && r.openMarks == 0 {
		return 0
	}
	return r.number
}

// meet takes note of an event of kind: one that waits for others, or starts them,
// ends a region, and what follows in the same section is another one.
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
