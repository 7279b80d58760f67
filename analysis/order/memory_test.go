package order_test

import (
	"slices"
	"testing"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

func overlap(a, b trace.Event) bool {
	return a.Obj < b.Obj+uint64(b.Size) && b.Obj < a.Obj+uint64(a.Size)
}

func TestGroupsHoldWhatOverlaps(t *testing.T) {
	eachRandom(t, func(t *testing.T, tr *trace.Trace, o *order.Order) {
		in := make(map[int32]int)
		at := make(map[int32]int32)
		for k, g := range o.Groups() {
			if !slices.IsSorted(g.Events) {
				t.Fatalf("group %d is not in order", k)
			}
			for n, i := range g.Events {
				in[i], at[i] = k+1, g.LocationOf[n]
				if l, e := g.Locations[g.LocationOf[n]], tr.Events[i]; e.Kind.IsAccess() && l != (order.Location{Obj: e.Obj, Size: e.Size}) {
					t.Fatalf("event %d is at %v", i, l)
				}
			}
		}
		for i, a := range tr.Events {
			for j, b := range tr.Events {
				if !a.Kind.IsAccess() || !b.Kind.IsAccess() || a.G == b.G || !a.Stores() && !b.Stores() || !overlap(a, b) {
					continue
				}
				k := in[int32(i)]
				if k == 0 || k != in[int32(j)] {
					t.Fatalf("events %d and %d are in groups %d and %d", i, j, k, in[int32(j)])
				}
				if !o.Groups()[k-1].Overlaps.Share(at[int32(i)], at[int32(j)]) {
					t.Fatalf("the locations of events %d and %d do not overlap", i, j)
				}
			}
		}
	})
}

func TestSourcesHoldLastWriters(t *testing.T) {
	eachRandom(t, func(t *testing.T, tr *trace.Trace, o *order.Order) {
		last := make(map[uint64]int)
		for i, e := range tr.Events {
			if !e.Kind.IsAccess() {
				continue
			}
			got := o.Sources(i)
			for b := e.Obj; b < e.Obj+uint64(e.Size); b++ {
				w, ok := last[b]
				if ok && e.Kind != trace.Write && e.Kind != trace.AtomicStore && tr.Events[w].G != e.G && !slices.Contains(got, int32(w)) {
					t.Fatalf("read %d: sources %v lack %d", i, got, w)
				}
				if e.Stores() {
					last[b] = i
				}
			}
			for _, w := range got {
				if f := tr.Events[w]; int(w) >= i || !f.Stores() || !overlap(e, f) || f.G == e.G {
					t.Fatalf("read %d cannot have read from %d", i, w)
				}
			}
		}
	})
}
