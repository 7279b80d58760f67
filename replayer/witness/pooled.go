package witness

import (
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// sharedPools returns the addresses of those pools that several goroutines use.
func sharedPools(t *trace.Trace) map[uint64]bool {
	first, shared := make(map[uint64]trace.GID), make(map[uint64]bool)
	for i := range t.Events {
		e := &t.Events[i]
		if !isPoolEvent(e) {
			continue
		}
		if g, ok := first[e.Val]; !ok {
			first[e.Val] = e.G
		} else if g != e.G {
			shared[e.Val] = true
		}
	}
	return shared
}

// poolEvents returns those events of a schedule that put items into shared pools or get them, in
// the order of the schedule, and for each the number of its item, 0 for none.
func poolEvents(t *trace.Trace, shared map[uint64]bool, schedule ...[]int) (events, items []int) {
	if len(shared) == 0 {
		return nil, nil
	}
	var positions []int
	for _, i := range slices.Concat(schedule...) {
		if e := &t.Events[i]; isPoolEvent(e) && shared[e.Val] {
			positions = append(positions, i)
		}
	}
	inOrder := slices.Clone(positions)
	slices.Sort(inOrder)           // the recorded order shows which Put a Get returns
	inPool := make(map[uint64]int) // by item: position of its Put
	item := make(map[int]int)      // by position
	n := 0
	for _, i := range inOrder {
		e := &t.Events[i]
		put, found := inPool[e.Obj]
		switch {
		case e.Kind == trace.Post:
			inPool[e.Obj] = i
		case e.Flags&trace.FlagFailed != 0:
			item[i] = 0
		case found:
			delete(inPool, e.Obj)
			n++
			item[put], item[i] = n, n
		}
	}
	for _, i := range positions {
		if number, ok := item[i]; ok {
			events, items = append(events, i), append(items, number)
		}
	}
	return events, items
}

// isPoolEvent reports whether e is a Put or a Get of a sync.Pool.
func isPoolEvent(e *trace.Event) bool {
	return (e.Kind == trace.Post || e.Kind == trace.Await) && e.Val != 0
}
