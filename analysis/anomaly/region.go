package anomaly

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Regions are the atomic regions of a trace: stretches of one goroutine that
// are meant to happen as a whole (PECAN §4.1).
type Regions struct {
	of     *trace.RunLength // by event: its region, from 1; 0 for none
	n      int32
	marked []bool // by region, from 0
}

// FindRegions finds the outermost critical sections, and what RegionBegin and
// RegionEnd mark; where one is within another, the outer one counts. Starting
// goroutines, waiting, and operations on channels and conditions end a region;
// what follows in the same critical section is another one.
func FindRegions(t *trace.Trace, o *order.Order) *Regions {
	r := &Regions{of: trace.NewRunLength(len(t.Events))}
	now := make([]int32, len(t.Goroutines))    // the region of each goroutine, 0 for none
	marked := make([]int32, len(t.Goroutines)) // RegionBegins that have not ended
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
		case now[e.G] == 0 || begins(e, marked[e.G]) && (o.LockSet(i) == 0 || o.Outermost(i) == i):
			r.n++
			r.marked = append(r.marked, marked[e.G] > 0)
			now[e.G] = r.n
		}
		r.of.Add(now[e.G])
	}
	return r
}

// Of returns the number of the region that event i lies in, from 1, or 0.
func (r *Regions) Of(i int) int { return int(r.of.At(i)) }

// AnyMarked reports whether RegionBegin has begun any region.
func (r *Regions) AnyMarked() bool { return slices.Contains(r.marked, true) }

// Marked reports whether event i lies in a region that RegionBegin has begun: none does in nil.
func (r *Regions) Marked(i int) bool {
	if r == nil {
		return false
	}
	n := r.of.At(i)
	return n > 0 && r.marked[n-1]
}

// begins reports whether e begins a region where no lock has been held, and
// marked regions are open, with its own.
func begins(e *trace.Event, marked int32) bool {
	switch e.Kind {
	case trace.Acquire, trace.RAcquire:
		return marked == 0
	}
	return e.Kind == trace.RegionBegin && marked == 1
}
