package trace

import (
	"cmp"
	"slices"
)

// A Move puts the event at a position before that at another one, which was before it.
type Move struct {
	From, To int
	Event    Event
}

// Rearrange makes moves, once.
func (t *Trace) Rearrange(moves []Move) {
	slices.SortFunc(moves, func(a, b Move) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) })
	froms := make([]int, len(moves))
	for k, m := range moves {
		froms[k] = m.From
	}
	slices.Sort(froms)
	if t.source != nil {
		t.source.moves, t.source.froms = moves, froms
	}
	now := t.shove(moves, froms)
	at := func(i int) int { // of an event that has not been moved
		come, _ := slices.BinarySearchFunc(moves, i+1, func(m Move, i int) int { return cmp.Compare(m.To, i) })
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
	slices.SortFunc(t.Held, func(a, b Held) int { return cmp.Compare(a.At, b.At) })
}

// shove makes moves of events, which are sorted by where these come to, and froms where they are from. It returns
// where they are now, by their former positions.
func (t *Trace) shove(moves []Move, froms []int) map[int]int {
	now := make(map[int]int, len(moves))
	place, next := froms[len(froms)-1], len(froms)-1
	for i := place; len(now) < len(moves); i-- {
		if next >= 0 && froms[next] == i {
			next--
		} else {
			t.Events[place] = t.Events[i]
			place--
		}
		for k := len(moves) - 1 - len(now); k >= 0 && moves[k].To == i; k-- {
			t.Events[place] = moves[k].Event
			now[moves[k].From] = place
			place--
		}
	}
	return now
}
