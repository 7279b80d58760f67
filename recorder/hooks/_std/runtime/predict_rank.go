package runtime

// predictRanked is set where of the goroutines that can run the one with the highest rank
// is the next (PredictChance.Rank).
var predictRanked bool

// PredictByRank has goroutines run by their ranks from here on.
func PredictByRank() { predictRanked = true }

// predictNewestNext reports whether what was started or woken last is the next to run, where an
// ordinary run says so, and where no goroutine waits that has been interrupted.
func predictNewestNext(next bool) bool {
	return next && !predictOldest && !predictRanked && predictGivenWay == 0
}

// predictRank returns the rank of gp. The runtime's own goroutines go first.
func predictRank(gp *g) uint64 {
	if gp.predict == nil {
		return ^uint64(0)
	}
	return (*PredictChance)(gp.predict).Rank
}

// predictBest makes the goroutine with the highest rank the first in the queue of pp, of
// equal ones that which can run for the longest time.
func predictBest(pp *p) {
	if !predictRanked || pp.runqtail-pp.runqhead < 2 {
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

// predictSink ranks gp, which lets others go of its own will, below all of them.
func predictSink(pp *p, gp *g) {
	if !predictRanked || gp.predict == nil {
		return
	}
	c := (*PredictChance)(gp.predict)
	if c.Outranked {
		return
	}
	for i := pp.runqhead; i != pp.runqtail; i++ {
		if rank := predictRank(pp.runq[i%uint32(len(pp.runq))].ptr()); rank > 0 && rank <= c.Rank {
			c.Rank = rank - 1
		}
	}
}

// PredictReady calls visit for each goroutine that can run and has a record, but not for
// the running one, until it returns false.
func PredictReady(visit func(c *PredictChance) bool) {
	PredictPin()
	pp := getg().m.p.ptr()
	for i := pp.runqhead; i != pp.runqtail; i++ {
		gp := pp.runq[i%uint32(len(pp.runq))].ptr()
		if gp.predict != nil && !visit((*PredictChance)(gp.predict)) {
			break
		}
	}
	PredictUnpin()
}
