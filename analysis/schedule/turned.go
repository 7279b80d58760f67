package schedule

import (
	"slices"

	"github.com/gopredict/gopredict/analysis/order"
)

// turned performs the cone of the accesses so that the critical sections that
// are open at the accesses come after all others of their locks, although the
// recorded order is another one: PECAN's rule of the outermost lock, applied
// to every lock on all sides. Sections that these turn round in their turn
// follow the guide. All else keeps the recorded order as far as that lets it. Where no
// section is open, no section is turned round: only into one that contains an access
// does the guide lead back.
func (p *Planner) turned(b *base, v target, r keptReads) ([]int, bool) {
	var last []int32
	for _, i := range v.accesses {
		last = append(last, locksAt(p.o, i)...)
	}
	if len(last) == 0 {
		return nil, false
	}
	prop := p.graphs.Meeting(v.accesses...)
	return p.guided(b, prop, v, r, last, func(c *cone) bool {
		c.avoid = v.accesses
		return c.addTarget(v)
	})
}

// locksAt returns the acquires of the locks that the goroutine of event i holds when it
// stands there: not event i itself.
func locksAt(o *order.Order, i int) []int32 {
	return slices.DeleteFunc(slices.Clone(o.Held(i)), func(acq int32) bool { return int(acq) == i })
}
