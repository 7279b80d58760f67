package trace

import "fmt"

// A Held has the value in memory before the event at position At: a write before which no other event
// accesses that memory, as far as the recording knows. Val has the form of the Val of the write.
type PriorValue struct {
	Position int
	Val      uint64
}

// heldKind is the kind of a record of a Held in the file, which is no event.
const heldKind Kind = 62

// event returns the form of h in the file, where it precedes the event e.
func (h PriorValue) event(e *Event) Event { return Event{Kind: heldKind, Site: e.Site, Val: h.Val} }

func (h PriorValue) text() string { return fmt.Sprintf("%s val=%d\n", heldWord, h.Val) }

// HeldAt returns the value in memory before the write at position i; ok is false if the trace does not
// tell.
func (t *Trace) PriorValueAt(i int) (val uint64, ok bool) {
	from, to := 0, len(t.PriorValues) // what every write asks is worth a loop of its own
	for from < to {
		if mid := int(uint(from+to) / 2); t.PriorValues[mid].Position < i {
			from = mid + 1
		} else {
			to = mid
		}
	}
	if from == len(t.PriorValues) || t.PriorValues[from].Position != i {
		return 0, false
	}
	return t.PriorValues[from].Val, true
}

// hold records that memory held val before the next event, a write.
func (t *Trace) hold(val uint64) {
	t.settleHeld(Event{})
	t.PriorValues = append(t.PriorValues, PriorValue{len(t.Events), val})
}

// settleHeld removes the Held of the next event e, unless e is a write.
func (t *Trace) settleHeld(e Event) {
	if !e.Kind.IsWrite() {
		t.DropPriorValue(len(t.Events))
	}
}

// DropHeld removes the Held of the event at position i, which must be the last one that has any.
func (t *Trace) DropPriorValue(i int) {
	if n := len(t.PriorValues); n > 0 && t.PriorValues[n-1].Position == i {
		if t.PriorValues = t.PriorValues[:n-1]; n == 1 {
			t.PriorValues = nil // as in a trace that has none
		}
	}
}
