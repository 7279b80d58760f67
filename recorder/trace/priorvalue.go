package trace

import (
	"cmp"
	"slices"
)

// A PriorValue is the value in memory before a write that no other event precedes at that
// memory, as far as the recording knows. Val has the form of the Val of the write.
type PriorValue struct {
	Position int // of the write, in Trace.Events
	Val      uint64
}

// priorValueKind is the kind of a record of a [PriorValue] in the file, which is no event.
const priorValueKind Kind = 62

// event returns the form of v in the file, where it precedes the event e.
func (v PriorValue) event(e *Event) Event {
	return Event{Kind: priorValueKind, Site: e.Site, Val: v.Val}
}

// PriorValueAt returns the value in memory before the write at position i; ok is false if the trace
// does not have it.
func (t *Trace) PriorValueAt(i int) (val uint64, ok bool) {
	k, ok := slices.BinarySearchFunc(t.PriorValues, i, func(v PriorValue, i int) int { return cmp.Compare(v.Position, i) })
	if !ok {
		return 0, false
	}
	return t.PriorValues[k].Val, true
}

// addPriorValue records that memory held val before the next event, a write.
func (t *Trace) addPriorValue(val uint64) {
	t.settlePriorValue(Event{})
	t.PriorValues = append(t.PriorValues, PriorValue{len(t.Events), val})
}

// settlePriorValue removes the prior value for the next event e, unless e is a write.
func (t *Trace) settlePriorValue(e Event) {
	if !e.Kind.IsWrite() {
		t.DropPriorValue(len(t.Events))
	}
}

// DropPriorValue removes the prior value for the event at position i, which must be the last one that
// has any.
func (t *Trace) DropPriorValue(i int) {
	if n := len(t.PriorValues); n > 0 && t.PriorValues[n-1].Position == i {
		if t.PriorValues = t.PriorValues[:n-1]; n == 1 {
			t.PriorValues = nil // as in a trace that has none
		}
	}
}
