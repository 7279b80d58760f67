package reduce

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A move takes the event at position from to the place before the event at the earlier position to.
type move struct {
	from, to int
	event    trace.Event
}

// rearrange applies moves to t. It must be called at most once for a trace.
func rearrange(t *trace.Trace, moves []move) {
	slices.SortFunc(moves, func(a, b move) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
	froms := make([]int, len(moves))
	for k, m := range moves {
		froms[k] = m.from
	}
	slices.Sort(froms)
	if s := sourceOf(t); s != nil {
		s.moves, s.movedFrom = moves, froms
	}
	now := applyMoves(t, moves, froms)
	at := func(i int) int { // of an event that has not been moved
		come, _ := slices.BinarySearchFunc(moves, i+1, func(m move, i int) int { return cmp.Compare(m.to, i) })
		gone, _ := slices.BinarySearch(froms, i)
		return i + come - gone
	}
	for k := range t.Freed {
		i := int(t.Freed[k].Position)
		for now[i] != 0 { // no event moves to position 0: no test has ended there
			i++
		}
		t.Freed[k].Position = int32(at(i))
	}
	for k := range t.PriorValues {
		if to, moved := now[t.PriorValues[k].Position]; moved {
			t.PriorValues[k].Position = to
		} else {
			t.PriorValues[k].Position = at(t.PriorValues[k].Position)
		}
	}
	slices.SortFunc(t.PriorValues, func(a, b trace.PriorValue) int { return cmp.Compare(a.Position, b.Position) })
}

// applyMoves moves events of t. The moves are sorted by destination, and froms has their origins,
// ascending. It returns the new positions of the moved events, by their old ones.
func applyMoves(t *trace.Trace, moves []move, froms []int) map[int]int {
	now := make(map[int]int, len(moves))
	place, next := froms[len(froms)-1], len(froms)-1
	for i := place; len(now) < len(moves); i-- {
		if next >= 0 && froms[next] == i {
			next--
		} else {
			t.Events[place] = t.Events[i]
			place--
		}
		for k := len(moves) - 1 - len(now); k >= 0 && moves[k].to == i; k-- {
			t.Events[place] = moves[k].event
			now[moves[k].from] = place
			place--
		}
	}
	return now
}
