package runtime

// predictHasRanks says that the goroutine with the highest rank of those that can run is next, see
// PredictGoroutine.Rank.
var predictHasRanks bool

// PredictByRank sets that order.
func PredictByRank() { predictHasRanks = true }

// predictNewestNext reports whether a goroutine that was just started or woken runs next, as next
// says for an ordinary run. It does not while goroutines are in PredictYield.
func predictNewestNext(next bool) bool {
	return next && !predictOldest && !predictHasRanks && predictYielding == 0
}

// predictRank returns the rank of gp. The runtime's own goroutines go first.
func predictRank(gp *g) uint64 {
	if gp.predict == nil {
		return ^uint64(0)
	}
	return (*PredictGoroutine)(gp.predict).Rank
}

// predictBestFirst moves the goroutine with the highest rank to the front of pp's queue; of equal
// ones the one that has waited longest.
func predictBestFirst(pp *p) {
	if !predictHasRanks || pp.runqtail-pp.runqhead < 2 {
		return
	}
	slot := func(i uint32) *guintptr { return &pp.runq[i%uint32(len(pp.runq))] }
	best := pp.runqhead
	for i := pp.runqhead + 1; i != pp.runqtail; i++ {
		if predictRank(slot(i).ptr()) > predictRank(slot(best).ptr()) {
			best = i
		}
	}
	first := *slot(best)
	for i := best; i != pp.runqhead; i-- { // the others stay in their order
		*slot(i) = *slot(i - 1)
	}
	*slot(pp.runqhead) = first
}

// predictSinkRank ranks gp, which lets others run of its own will, below all that can run.
func predictSinkRank(pp *p, gp *g) {
	if !predictHasRanks || gp.predict == nil {
		return
	}
	c := (*PredictGoroutine)(gp.predict)
	if c.YieldsToRank {
		return
	}
	for i := pp.runqhead; i != pp.runqtail; i++ {
		if rank := predictRank(pp.runq[i%uint32(len(pp.runq))].ptr()); rank > 0 && rank <= c.Rank {
			c.Rank = rank - 1
		}
	}
}

// PredictEachReady calls visit for each goroutine that can run and has a record, except the
// running one, until it returns false.
func PredictEachReady(visit func(c *PredictGoroutine) bool) {
	PredictPin()
	pp := getg().m.p.ptr()
	for i := pp.runqhead; i != pp.runqtail; i++ {
		gp := pp.runq[i%uint32(len(pp.runq))].ptr()
		if gp.predict != nil && !visit((*PredictGoroutine)(gp.predict)) {
			break
		}
	}
	PredictUnpin()
}
