package anomaly

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Regions are the atomic regions of a trace: intervals of one goroutine's events that are meant to
// happen as one (PECAN §4.1). PECAN takes each synchronized method and block of Java; the critical
// sections of Go take their place.
type Regions struct {
	regionOf *trace.RunLength // by event: the number of its region, from 1; 0 for none
	count    int32
	marked   []bool // by region, from 0: RegionBegin began it
}

// FindRegions returns the atomic regions of t: the outermost critical sections, and the intervals
// between RegionBegin and RegionEnd. Of nested regions only the outer one counts. Starting
// goroutines, waiting, and operations on channels and conditions end a region; the rest of the
// critical section is then another region.
//
// Example: "acq l, w x, rel l, w x, acq l, r x, rel l" has the regions 1 1 1 0 2 2 2. The write
// outside of the sections lies in no region.
func FindRegions(t *trace.Trace, o *order.Order) *Regions {
	r := &Regions{regionOf: trace.NewRunLength(len(t.Events))}
	now := make([]int32, len(t.Goroutines))    // by goroutine: the number of its region, 0 for none
	marked := make([]int32, len(t.Goroutines)) // by goroutine: how many RegionBegins are open
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Kind == trace.RegionBegin:
			marked[e.G]++
		case e.Kind == trace.RegionEnd && marked[e.G] > 0:
			marked[e.G]--
		}
		switch {
		case e.Kind.EndsRegion() || marked[e.G] == 0 && o.LockSet(i) == 0:
			now[e.G] = 0
		// A release belongs to its section. So an acquire directly after it finds the old region
		// open, and has to begin a new one. A RegionBegin within a critical section does not.
		case now[e.G] == 0 || begins(e, marked[e.G]) && (o.LockSet(i) == 0 || o.Outermost(i) == i):
			r.count++
			r.marked = append(r.marked, marked[e.G] > 0)
			now[e.G] = r.count
		}
		r.regionOf.Add(now[e.G])
	}
	return r
}

// Of returns the number of the region that event i lies in, from 1, or 0.
func (r *Regions) Of(i int) int { return int(r.regionOf.At(i)) }

// AnyMarked reports whether RegionBegin has begun any region.
func (r *Regions) AnyMarked() bool { return slices.Contains(r.marked, true) }

// Marked reports whether event i is in a region that RegionBegin began. It is false if r is nil.
func (r *Regions) Marked(i int) bool {
	if r == nil {
		return false
	}
	n := r.regionOf.At(i)
	return n > 0 && r.marked[n-1]
}

// begins reports whether e begins a region. marked is the number of open RegionBegins, including e.
func begins(e *trace.Event, marked int32) bool {
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		return marked == 0
	}
	return e.Kind == trace.RegionBegin && marked == 1
}
