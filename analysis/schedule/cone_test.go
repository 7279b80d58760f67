package schedule

import (
	"slices"
	"testing"

	"github.com/gopredict/gopredict/internal/tracetest"
)

// A cone that is given up at one of the accesses would have had it in the end, and one that is
// not is the same as if it were never given up: closed under what must happen before.
func TestConesGivenUp(t *testing.T) {
	failed, whole := 0, 0
	for k, shape := range []tracetest.Config{
		{Goroutines: 3, Events: 25, Sync: tracetest.All, Locks: 2, Locations: 2},
		{Goroutines: 12, Events: 8, Sync: tracetest.Mutexes | tracetest.Channels | tracetest.Posts | tracetest.LateForks, Locks: 3, Locations: 3},
	} {
		for seed := range uint64(40) {
			tr := tracetest.Random(seed, shape)
			p := plan(t, tr)
			for j, b := range tr.Events {
				for i, a := range tr.Events[:j] {
					if !a.Kind.IsAccess() || !b.Kind.IsAccess() || a.Obj != b.Obj || a.G == b.G {
						continue
					}
					v := target{accesses: []int{i, j}}
					for r := noReads; r <= allReads; r++ {
						c, all := p.newCone(p.testBase(v), r, nil, nil), p.newCone(p.testBase(v), r, nil, nil)
						c.avoid = v.accesses
						ok := c.addTarget(v)
						if want := all.addTarget(v); ok != want || ok && !slices.Equal(c.ends, all.ends) {
							t.Fatalf("shape %d, seed %d: to %v with reads %d the cone is %v, %t, and %v, %t if it is not given up", k, seed, v.accesses, r, c.ends, ok, all.ends, want)
						}
						for e := range tr.Events {
							if !ok || !c.includes(e) {
								continue
							}
							for _, before := range p.o.Ancestors(e) {
								if !c.includes(before) {
									t.Fatalf("shape %d, seed %d: the cone to %v has %d, not %d before", k, seed, v.accesses, e, before)
								}
							}
						}
						if ok {
							whole++
						} else if c.closedCount < all.closedCount {
							failed++
						}
					}
				}
			}
		}
	}
	if failed < 100 || whole < 100 {
		t.Errorf("only %d cones given up, and %d whole", failed, whole)
	}
}
