package main

import (
	"github.com/gopredict/gopredict/analysis/causality"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/recorder/trace"
)

// Warnings are what Table 1 of Kahlon and Wang counts of races: pairs of events.
type warnings struct {
	all   int // accesses by different goroutines to the same memory, one of them a write
	locks int // of all, what lock sets and acquisition histories leave by themselves
	order int // of all, what the must-order leaves by itself
	both  int // of all, what these leave together
	graph int // of both, what the causality graph leaves
}

// warn counts the pairs of a trace.
func warn(t *trace.Trace, o *order.Order) warnings {
	var w warnings
	m := causality.New(t, o)
	var left []causality.Property
	for _, g := range o.Groups() {
		for l, j := range g.Events {
			for k, i := range g.Events[:l] {
				if t.Events[i].G == t.Events[j].G || !g.How[k].Conflicts(g.How[l]) || !g.Overlaps.Share(g.At[k], g.At[l]) {
					continue
				}
				w.all++
				_, _, locked := o.Locked(int(i), int(j))
				locked = locked || o.Exclude(o.LockSet(int(i)), o.LockSet(int(j)))
				ordered := o.BeforeReached(int(i), int(j))
				if !locked {
					w.locks++
				}
				if !ordered {
					w.order++
				}
				if !locked && !ordered {
					left = append(left, m.Meeting(int(i), int(j)))
				}
			}
		}
	}
	w.both = len(left)
	for _, group := range m.Partition(left) {
		var members []causality.Property
		for _, k := range group {
			members = append(members, left[k])
		}
		cyclic := m.Chopped(members...).Cyclic()
		for n := range members {
			if cyclic>>n&1 == 0 {
				w.graph++
			}
		}
	}
	return w
}
