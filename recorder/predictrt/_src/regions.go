package predictrt

// regions follows the atomic regions of a goroutine (PECAN, section 3): outermost critical
// sections and what RegionBegin and RegionEnd mark, as anomaly.FindRegions finds them in a
// trace. The verdict tells in which region an access of the violation was, so that the replayer
// knows whether the accesses are of the same one, as an atomicity violation needs.
type regions struct {
	locks, marks int // held, and open
	number       int // of the latest region
}

// region returns the number of the region that the goroutine is in, or 0.
func (r *regions) region() int {
	if r.locks == 0 && r.marks == 0 {
		return 0
	}
	return r.number
}

// meet takes note of an event of kind: one that waits for others, or starts them,
// ends a region, and what follows in the same section is another one.
func (r *regions) meet(kind uint8) {
	outside := r.locks == 0 && r.marks == 0
	switch {
	case kind == KindAcquire || kind == KindRAcquire:
		r.locks++
	case kind == KindRegionBegin:
		r.marks++
	case kind == KindRelease || kind == KindRRelease:
		r.locks = max(r.locks-1, 0)
		return
	case kind == KindRegionEnd:
		r.marks = max(r.marks-1, 0)
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
