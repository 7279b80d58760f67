package reduce

import (
	"cmp"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A move puts the event at a position before that at another one, which was before it.
type move struct {
	from, to int
	event    trace.Event
}

// rearrange makes moves, once.
func rearrange(t *trace.Trace, moves []move) {
	slices.SortFunc(moves, func(a, b move) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
	froms := make([]int, len(moves))
	for k, m := range moves {
		froms[k] = m.from
	}
	slices.Sort(froms)
	if s := sourceOf(t); s != nil {
		s.moves, s.froms = moves, froms
	}
	now := shove(t, moves, froms)
	at := func(i int) int { // of an event that has not been moved
		come, _ := slices.BinarySearchFunc(moves, i+1, func(m move, i int) int { return cmp.Compare(m.to, i) })
		gone, _ := slices.BinarySearch(froms, i)
		return i + come - gone
	}
	for k := range t.Freed {
		i := int(t.Freed[k].At)
		for now[i] != 0 { // none is moved to the beginning, where no test is over
			i++
		}
		t.Freed[k].At = int32(at(i))
	}
	for k := range t.Held {
		if to, moved := now[t.Held[k].At]; moved {
			t.Held[k].At = to
		} else {
			t.Held[k].At = at(t.Held[k].At)
		}
	}
	slices.SortFunc(t.Held, func(a, b trace.Held) int { return cmp.Compare(a.At, b.At) })
}

// shove makes moves of events, which are sorted by where these come to, and froms where they are from. It returns
// where they are now, by their former positions.
func shove(t *trace.Trace, moves []move, froms []int) map[int]int {
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
